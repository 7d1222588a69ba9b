import { Settings } from "@souffleur/domain"
import type { NamedWatch } from "@souffleur/embed"
import { findWatch, hadGuardian, layerClaims, layerHost, layerStore, livingWatches } from "@souffleur/embed/internal"
import { Console, Effect, Layer, Ref, Schedule } from "effect"
import { Command, Flag } from "effect/cli"
import { BadUsage, Ended } from "../Failure.ts"
import { printJson } from "../Printing.ts"
import { ready } from "../service/Watchdog.ts"
import { startDetached } from "../watching/Detach.ts"
import { json, namedIn, projectDir, watchName } from "./Options.ts"
import { Project, withLayers } from "./ProjectCommand.ts"

/** The result for one watch. `pid`: the souffleur that looks after it; `null`: none does. */
interface Resumed {
  readonly watch: string
  readonly outcome: "goes on" | "watched already" | "failed"
  readonly pid: number | null
  readonly message: string
}

/** Starts a souffleur for a watch that has none. One failure must not hold the other watches up. */
const resumed = Effect.fn("resumed")(
  function* ({ id, unreadable }: NamedWatch) {
    if (unreadable !== undefined) return yield* unreadable
    const { pid } = yield* startDetached(id, yield* hadGuardian(id))
    const done: Resumed = { watch: id, outcome: "goes on", pid, message: `it goes on, with souffleur pid ${pid}` }
    return done
  },
  (effect, { id }) =>
    effect.pipe(
      Effect.catchTag("AlreadyWatched", ({ owner }) => {
        const { pid } = owner.process
        const message = `souffleur pid ${pid} watches it already`
        return Effect.succeed<Resumed>({ watch: id, outcome: "watched already", pid, message })
      }),
      Effect.catch(({ message }) => Effect.succeed<Resumed>({ watch: id, outcome: "failed", pid: null, message }))
    )
)

/** Tells each result in one line. */
const tell = (all: ReadonlyArray<Resumed>) => {
  const width = Math.max(0, ...all.map(({ watch }) => watch.length))
  return Effect.forEach(all, ({ message, watch }) => Console.log(`${watch.padEnd(width)}  ${message}`), {
    discard: true
  })
}

/** Goes on with every unfinished watch of this store, one after the other. */
const resumeAll = Effect.flatMap(livingWatches, (all) => Effect.forEach(all, resumed))

/** Looks again and again for watches without a souffleur, and tells what is new. It never ends. */
const keepAll = Effect.gen(function* () {
  const { watcherInterval } = yield* Settings
  const told = yield* Ref.make<ReadonlyMap<string, string>>(new Map())
  const once = Effect.gen(function* () {
    const all = yield* resumeAll
    const before = yield* Ref.getAndSet(told, new Map(all.map(({ message, watch }) => [watch, message])))
    yield* tell(all.filter(({ message, watch }) => before.get(watch) !== message))
  })
  yield* once
  yield* ready
  return yield* Effect.repeat(once, Schedule.spaced(watcherInterval))
})

export const resumeCommand = Command.make(
  "resume",
  {
    watch: watchName,
    all: Flag.Boolean("all").pipe(
      Flag.withDescription("Every unfinished watch that has no souffleur, of any folder"),
      Flag.withDefault(false)
    ),
    keep: Flag.Boolean("keep").pipe(
      Flag.withDescription("With --all: stay, and look again at each WATCHER_INTERVAL"),
      Flag.withDefault(false)
    ),
    projectDir,
    json
  },
  Effect.fnUntraced(function* ({ all, json: asJson, keep, watch: name }) {
    if ((all && name._tag === "Some") || (keep && !all))
      return yield* new BadUsage({ message: "name one watch, or say --all, with --keep where it should stay" })
    if (keep) return yield* Effect.asVoid(keepAll)
    const found = all ? yield* livingWatches : [yield* findWatch(namedIn(yield* Project, name))]
    const [first] = found
    if (!all && first?.watch.phase === "Exited")
      return yield* new BadUsage({ message: `watch ${first.id} has ended: ${first.watch.end}` })
    const results = yield* Effect.forEach(found, resumed)
    if (asJson) yield* printJson(results)
    else if (results.length === 0) yield* Console.log("No watch is unfinished.")
    else yield* tell(results)
    if (results.some(({ outcome }) => outcome === "failed")) return yield* new Ended({ code: 1 })
  })
).pipe(
  withLayers((settings) => Layer.merge(layerStore(settings), Layer.provideMerge(layerClaims, layerHost))),
  Command.withExamples([{ command: "souffleur resume --all", description: "After a reboot" }])
)
