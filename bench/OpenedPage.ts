import { Effect, Schema, Stream } from "effect"
import { running } from "./Child.ts"

type Variables = Readonly<Record<string, string>>
const Printed = Schema.fromJsonString(Schema.Struct({ url: Schema.String }))

/** Returns the first line of a process. */
const firstLine = (handle: Effect.Success<ReturnType<typeof running>>) =>
  handle.stdout.pipe(
    Stream.decodeText(),
    Stream.splitLines,
    Stream.take(1),
    Stream.runCollect,
    Effect.map(([line = ""]) => line)
  )

/** Starts a page, and goes through its link as a browser does. */
export const opened = Effect.fnUntraced(function* (entry: string, cwd: string, env: Variables) {
  const handle = yield* running(process.execPath, [entry, "page", "--port", "0", "--json"], cwd, env)
  const { url } = yield* Schema.decodeEffect(Printed)(yield* firstLine(handle))
  const entrance = yield* Effect.promise(() => fetch(url, { redirect: "manual" }))
  const headers = { cookie: (entrance.headers.get("set-cookie") ?? "").split(";", 1)[0]! }
  const list = new URL(entrance.headers.get("location") ?? "", url).href
  return {
    pid: Number(handle.pid),
    list,
    ask: (path: string) => Effect.promise(() => fetch(`${list}${path}`, { headers }))
  }
})
