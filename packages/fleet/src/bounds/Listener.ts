import { Effect, FileSystem, Option, Schema } from "effect"

/** Another user of this machine listens where the hub should. No token goes there. */
export class ListenerStrange extends Schema.TaggedError<ListenerStrange>()("ListenerStrange", {
  port: Schema.Int,
  uid: Schema.Int
}) {
  override get message(): string {
    return `port ${this.port} of this machine is taken by another user (uid ${this.uid}), who would get the token: end that, run the hub as this user or as root, or reach it by https`
  }
}

/** Returns the users that listen at a port, by a table of the kernel. */
export const listenersIn = (table: string, port: number): ReadonlyArray<number> =>
  table
    .split("\n")
    .slice(1)
    .flatMap((line) => {
      const [, local = "", , state, , , , uid] = line.trim().split(/\s+/u)
      return state === "0A" && Number.parseInt(local.split(":").at(-1)!, 16) === port ? [Number(uid)] : []
    })

/**
 * Looks who listens at the port of an http address, which is on this machine. Fails with `ListenerStrange` where that
 * is neither this user nor root. Where no kernel tells, as on macOS, or nobody listens, it succeeds.
 */
export const refuseStrangeListener = Effect.fn("refuseStrangeListener")(function* (url: string) {
  const { port, protocol } = new URL(url)
  if (protocol !== "http:") return
  const fs = yield* FileSystem.FileSystem
  const own = Option.flatMap(yield* Effect.option(fs.stat("/proc/self")), ({ uid }) => uid)
  if (Option.isNone(own)) return
  const tables = yield* Effect.forEach(["/proc/self/net/tcp", "/proc/self/net/tcp6"], (file) =>
    Effect.orElseSucceed(fs.readFileString(file), () => "")
  )
  const at = port === "" ? 80 : Number(port)
  const uid = tables.flatMap((table) => listenersIn(table, at)).find((one) => one !== 0 && one !== own.value)
  if (uid !== undefined) return yield* new ListenerStrange({ port: at, uid })
})
