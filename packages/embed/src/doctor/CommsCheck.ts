import { CommsErrand } from "@souffleur/comms"
import { Comms, type CommsSnapshot, parseTime, type ResolvedSettings, type Watch, Words } from "@souffleur/domain"
import { Clock, Duration, Effect, FileSystem, Option, Path, Result } from "effect"
import { allPublished } from "@souffleur/supervisor"
import type { NamedWatch } from "../watching/FindWatch.ts"
import { layerStoreReading } from "../world/StoreLayers.ts"
import { type Finding, note, passed, wrong } from "./Finding.ts"

const init = "souffleur init"

const rows = ({ conductor, souffleur }: CommsSnapshot): ReadonlyArray<Finding> => {
  const lost = [...(Option.isNone(conductor) ? ["task-00"] : []), ...(Option.isNone(souffleur) ? ["souffleur"] : [])]
  return lost.length === 0
    ? [passed("comms rows", "task-00 and souffleur are there")]
    : [wrong("comms rows", `no row ${lost.join(", no row ")}`, `${init}: it adds what is missing`)]
}

/** Compares the row of souffleur with the state of the newest watch of this comms (spec: behaviour#state-in-comms). */
const state = ({ souffleur }: CommsSnapshot, watch: Watch, told: boolean): ReadonlyArray<Finding> => {
  if (Option.isNone(souffleur) || watch.phase === "New" || watch.phase === "Validating") return []
  const said = souffleur.value
  const meant =
    watch.phase !== "Exited"
      ? watch.standby === undefined
        ? "confirmed"
        : "error"
      : {
          completed: "complete",
          unconfirmed: "complete",
          "retries exhausted": "error",
          "validation exhausted": "exited",
          stopped: "exited",
          "limit reached": "exited",
          released: undefined
        }[watch.end ?? "released"]
  if (meant === undefined || said === meant) return [passed("comms state", `row souffleur is ${said}`)]
  if (!told) return [note("comms state", `row souffleur is ${said}: comms was not told everything yet`)]
  return [
    watch.phase === "Exited"
      ? note("comms state", `row souffleur is ${said}, and the newest watch ended: ${watch.end}`)
      : wrong(
          "comms state",
          `row souffleur is ${said}, the watch says ${meant}`,
          "souffleur writes it when its watch runs: souffleur watch"
        )
  ]
}

/** Returns whether comms was told all events of a watch. `true` too if that cannot be known. */
const isTold = ({ id, watch }: NamedWatch, settings: ResolvedSettings) =>
  allPublished(id, watch.revision).pipe(
    Effect.provide(layerStoreReading(settings)),
    Effect.orElseSucceed(() => true)
  )

/** Judges the heartbeat of task-00 as a watcher would. */
const heartbeat = (
  { conductor }: CommsSnapshot,
  watched: boolean,
  staleAfter: Duration.Duration,
  now: number
): ReadonlyArray<Finding> => {
  if (Option.isNone(conductor)) return []
  const { lastHeartbeat, state } = conductor.value
  if (lastHeartbeat === null) return [note("heartbeat", `task-00 (${state}) has none yet: it is not judged by it`)]
  const time = parseTime(lastHeartbeat)
  if (Option.isNone(time))
    return [
      wrong(
        "heartbeat",
        "the heartbeat of task-00 is no time",
        "write it as datetime('now') does: UTC, 2026-01-31 23:59:59"
      )
    ]
  if (time.value > now)
    return [
      wrong(
        "heartbeat",
        `task-00 has one ${Words.duration(time.value - now)} in the future`,
        "write UTC, as datetime('now') does; is the clock right?"
      )
    ]
  const age = now - time.value
  const text = `task-00 (${state}) beat ${Words.duration(age)} ago`
  return watched && age > Duration.toMillis(staleAfter) && state !== "complete"
    ? [
        note(
          "heartbeat",
          `${text}, more than ${Words.duration(Duration.toMillis(staleAfter))}: a watcher calls that dead`
        )
      ]
    : [passed("heartbeat", text)]
}

/** Checks the comms database of a project, and reads it as the watcher does. */
export const commsCheck = Effect.fn("Doctor.commsCheck")(function* (
  settings: ResolvedSettings,
  project: string,
  watches: ReadonlyArray<NamedWatch>
) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const found = watches.findLast(({ watch }) => watch.project === project)
  const here = found?.watch
  if (here !== undefined && here.comms === null && here.phase !== "Exited")
    return [passed("comms", "this project's watch is solo")]
  const file = here?.comms ?? path.join(project, "comms.db")
  const sharing = watches.filter(({ watch }) => watch.phase !== "Exited" && watch.comms === file).map(({ id }) => id)
  if (sharing.length > 1)
    return [
      wrong(
        "comms",
        `${file} has ${sharing.length} watches (${sharing.join(", ")}), and its rows speak of one Conductor`,
        `souffleur release ${sharing[0]}, if its Conductor is not the one that works`
      )
    ]
  if (!(yield* Effect.orElseSucceed(fs.exists(file), () => false))) {
    return here?.phase !== "Exited" && here?.comms === file
      ? [wrong("comms", `${file} is gone, and a watch reads it`, "bring it back")]
      : [
          note(
            "comms",
            `${file} is not there: a watch would be solo`,
            `${init}, if your Conductor keeps its tasks there`
          )
        ]
  }
  // Asked before the row is read, because comms may be told meanwhile.
  const told = found === undefined || (yield* isTold(found, settings))
  const read = yield* Effect.andThen(
    CommsErrand.sound(file),
    Effect.flatMap(Comms, ({ snapshot }) => snapshot)
  ).pipe(CommsErrand.patiently, Effect.provide(CommsErrand.layer(file)), Effect.result)
  if (Result.isFailure(read)) {
    const { reason } = read.failure
    const todo =
      reason === "locked"
        ? "who holds it? souffleur goes on trying"
        : reason === "stuck"
          ? "look into it with sqlite3; a watch goes on by the process and the session file alone"
          : `another file? souffleur watch --comms; tables missing? ${init}`
    return [wrong("comms", read.failure.message, todo)]
  }
  const now = yield* Clock.currentTimeMillis
  return [
    passed("comms", `${file} has what souffleur needs, ${read.success.taskCount} tasks`),
    ...rows(read.success),
    ...(here?.comms === file ? state(read.success, here, told) : []),
    ...heartbeat(read.success, here !== undefined && here.phase !== "Exited", settings.heartbeatStaleAfter, now)
  ]
})
