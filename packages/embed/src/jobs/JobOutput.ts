import { EventLog, evolve, initial, Launcher, type PrintedOn, type Recorded, type Watch } from "@souffleur/domain"
import { byteString, makePrintedFeed, outputInterval, shownInPipe } from "@souffleur/process"
import { type Cause, Effect, FileSystem, Queue, Runtime, Schema, Stream } from "effect"
import { eventsBetween } from "../timeline/WatchPast.ts"
import { findWatch, type NamedWatch, type WatchName } from "../watching/FindWatch.ts"
import { Parts } from "../world/Parts.ts"

/** Nothing is kept of what the agent of a watch prints. `message` says why. */
export class NoOutput extends Schema.TaggedError<NoOutput>()("NoOutput", {
  id: Schema.String,
  message: Schema.String
}) {
  override readonly [Runtime.errorExitCode] = 2
}

/** Bytes that an agent or a command printed. */
export interface Printed {
  readonly launchId: string
  readonly on: PrintedOn
  readonly bytes: Uint8Array
}

/** How far an output is read. */
export interface OutputOptions {
  /** False to end with what is printed by now. Defaults to `true`: to the end of the watch. */
  readonly follow?: boolean
}

/** Returns whether two states are about the same launch. */
const isSameLaunch = (one: Watch, other: Watch): boolean =>
  one.launchId === other.launchId &&
  one.firstLaunch?.launchId === other.firstLaunch?.launchId &&
  one.failures.length === other.failures.length

/** Folds the events of a watch, and collects its newest state, and each before another launch. */
const makeStates = () => {
  const states: Array<Watch> = []
  let now = initial
  return {
    note: ({ event }: Recorded) => {
      const before = states.at(-1)
      now = evolve(now, event)
      const isSame = before !== undefined && isSameLaunch(before, now)
      states.splice(isSame ? states.length - 1 : states.length, 1, now)
    },
    now: () => now,
    /** Returns those since the last call. */
    taken: () => states.splice(0)
  }
}

/** Fails with `NoOutput` where no launch of a watch has printed to a file. A watch that is just beginning will have. */
const refuseNone = Effect.fnUntraced(function* (
  { id, watch }: NamedWatch,
  states: ReadonlyArray<Watch>,
  follow: boolean
) {
  const fs = yield* FileSystem.FileSystem
  const { inWindow, outputPath } = yield* Launcher
  const launches = states.flatMap(({ firstLaunch, launchId = firstLaunch?.launchId }) => launchId ?? [])
  const last = launches.at(-1)
  const begins = watch.phase !== "Exited" && watch.generation === 0
  if (follow && begins) return
  for (const launch of new Set(launches))
    if (yield* Effect.orElseSucceed(fs.exists(outputPath(launch)), () => false)) return
  const why =
    last === undefined
      ? watch.generation === 0
        ? "nothing was launched in it"
        : "souffleur did not start its agent, and keeps nothing of what that prints"
      : (yield* inWindow(last))
        ? "its agent has a window of its own, and what it prints there is not kept"
        : "what it printed is not kept any more"
  return yield* new NoOutput({ id, message: `${id} has no output: ${why}` })
})

/** Offers what the launches of a watch have printed, and then what they print. */
const offering = Effect.fnUntraced(function* (
  queue: Queue.Enqueue<Printed, Cause.Done>,
  known: NamedWatch,
  follow: boolean
) {
  const log = yield* EventLog
  const states = makeStates()
  const note = (recorded: Recorded) => Effect.sync(() => states.note(recorded))
  const history = eventsBetween(({ after, upTo }) => log.read(known.id, after, upTo), 0, known.watch.revision)
  yield* Stream.runForEach(history, note)
  const before = states.taken()
  yield* refuseNone(known, before, follow)
  const feed = yield* makePrintedFeed({
    earlier: "all",
    shown: shownInPipe,
    wholeLines: ({ kind }) => kind === "agent",
    endsLines: true,
    print: (text, on, launchId) => Queue.offer(queue, { launchId, on, bytes: byteString.bytes(text) })
  })
  const print = (states: ReadonlyArray<Watch>) => Effect.forEach(states, feed.print, { discard: true })
  yield* print(before)
  if (follow) {
    const following = log.changes(known.id, states.now().revision)
    const printing = Effect.gen(function* () {
      for (let now = states.now(); now.phase !== "Exited";) {
        yield* Effect.sleep(outputInterval)
        // The states are taken before the output is read. So the last words are in the file when the watch has ended.
        const next = states.taken()
        now = next.at(-1) ?? now
        yield* print(next.length === 0 ? [now] : next)
      }
    })
    const noting = Stream.runForEach(following, note)
    yield* Effect.raceFirst(printing, Effect.andThen(noting, Effect.never))
  }
  yield* feed.close
  yield* Queue.end(queue)
})

/** Streams what the agent or the command of a watch printed, from the beginning as far as it is kept. */
export const outputOf = (name: WatchName, { follow = true }: OutputOptions = {}) =>
  Stream.unwrap(
    Effect.gen(function* () {
      const known = yield* findWatch(name)
      const { layerPrinted, settings } = yield* Parts
      const found = yield* settings(known.watch.project)
      return Stream.callback<
        Printed,
        Effect.Error<ReturnType<typeof offering>>,
        Effect.Services<ReturnType<typeof offering>>
      >((queue) => offering(queue, known, follow), { bufferSize: 16, strategy: "suspend" }).pipe(
        Stream.catchTag("PlatformError", ({ message }) =>
          Stream.fail(new NoOutput({ id: known.id, message: `the output of ${known.id} cannot be read: ${message}` }))
        ),
        Stream.provide(layerPrinted(found, known))
      )
    })
  )
