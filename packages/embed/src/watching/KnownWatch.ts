import { BadTarget, heldBy, Launcher, Processes, type Target, type Watch } from "@souffleur/domain"
import { Refused } from "@souffleur/eventlog"
import { Effect, Equal, Option, Runtime, Schema } from "effect"
import { wordsDigest } from "../jobs/JobTerms.ts"
import { remark } from "../Remark.ts"
import type { NamedWatch } from "./FindWatch.ts"

/** A watch is resumed as it was opened, and another command, comms or `force` was asked for. */
export class OpenedOtherwise extends Schema.TaggedError<OpenedOtherwise>()("OpenedOtherwise", {
  message: Schema.String,
  /** The id of that watch. Absent: it has ended. */
  watch: Schema.optionalKey(Schema.String)
}) {
  override readonly [Runtime.errorExitCode] = 2
}

/**
 * Refuses what a resumed watch cannot take any more, with `OpenedOtherwise`. `comms`: the database that was named;
 * `undefined`: none was.
 */
export const refuseChange = Effect.fnUntraced(function* (
  { id, watch }: NamedWatch,
  { comms, force }: { readonly comms: string | null | undefined; readonly force: boolean }
) {
  if (force)
    return yield* new OpenedOtherwise({
      watch: id,
      message: `watch ${id} goes on as it was opened: force is for the beginning of a watch`
    })
  if (comms !== undefined && comms !== watch.comms)
    return yield* new OpenedOtherwise({
      watch: id,
      message: `watch ${id} goes on with ${watch.comms ?? "no comms"}, and takes no other`
    })
})

/** Returns the words that a watch began with; `undefined`: they are not kept. */
export const firstWords = ({ digest, launchId }: NonNullable<Watch["firstLaunch"]>) =>
  Launcher.use(({ kept }) => kept(launchId, digest)).pipe(
    Effect.map(({ words }) => words),
    Effect.orElseSucceed(() => undefined)
  )

/**
 * Refuses another command than the watch began with, since it would not be run. Fails with `OpenedOtherwise`. Words
 * that were not kept cannot be compared, and the watch is resumed.
 */
export const refuseOther = Effect.fnUntraced(function* <E, R>(
  { id, watch }: NamedWatch,
  words: ReadonlyArray<string>,
  wordsOf: (first: NonNullable<Watch["firstLaunch"]>) => Effect.Effect<ReadonlyArray<string> | undefined, E, R>
) {
  if (watch.firstLaunch !== undefined) {
    const first = yield* wordsOf(watch.firstLaunch)
    if (first === undefined || JSON.stringify(first) === JSON.stringify(words)) return
  }
  return yield* new OpenedOtherwise({
    watch: id,
    message: `watch ${id} of this folder has another command, and is not finished, so nothing was started`
  })
})

/** Refuses a caller's id beside the unfinished watch of its folder, with `OpenedOtherwise`. */
export const refuseBeside = ({ id }: NamedWatch, asked: { readonly id?: string | undefined }) =>
  asked.id === undefined
    ? Effect.void
    : Effect.fail(
        new OpenedOtherwise({
          watch: id,
          message: `watch ${id} of this folder is not finished, so ${asked.id} was not started`
        })
      )

/**
 * Refuses another job under the id of a watch, with `OpenedOtherwise`. Fails with the log's error where that watch
 * cannot be read.
 */
export const refuseOtherJob = Effect.fnUntraced(function* (
  { id, unreadable, watch }: NamedWatch,
  { project, words }: { readonly project: string; readonly words: ReadonlyArray<string> }
) {
  if (unreadable !== undefined) return yield* unreadable
  if (watch.note.words === (yield* wordsDigest(words)) && watch.project === project) return
  return yield* new OpenedOtherwise({
    ...(watch.phase === "Exited" ? {} : { watch: id }),
    message: `watch ${id} is another job: ${watch.project === project ? "it has another command" : `it is of ${watch.project}`}, so nothing was started`
  })
})

/**
 * Accepts the same arguments for the same watch, even after a hand-off, because a restart loop has no others. Fails
 * with `BadTarget` where the pid is a live process in a session that the watch never had.
 */
export const goesOn = Effect.fn("Known.goesOn")(function* ({ id, watch }: NamedWatch, { pid, sessionId }: Target) {
  const follows = watch.conductor?.pid ?? watch.pid
  const found = Option.filter(yield* (yield* Processes).find(pid), ({ condition }) => condition !== "zombie")
  const another = Option.filter(found, ({ identity }) => !Equal.equals(identity, watch.conductor))
  const held = Option.isSome(another) ? yield* heldBy(another.value.identity) : undefined
  if (held !== undefined && !watch.sessions.includes(held)) {
    return yield* new BadTarget({
      message: `process ${pid} holds session ${held}, and watch ${id} of session ${sessionId} follows pid ${follows}: name that session, or end the watch`,
      watch: id
    })
  }
  if (pid !== follows)
    yield* remark("info", `watch ${id} follows pid ${follows}, Conductor (S${Math.max(1, watch.generation)}), by now`)
})

/**
 * Returns the first of two unfinished watches that were started at once in one folder. The second starts nothing, and
 * resumes the first.
 */
export const oldestIn = (watches: ReadonlyArray<NamedWatch>, project: string) =>
  watches.find(({ watch }) => watch.project === project)

/**
 * Resumes the unfinished watch of a folder. `None`: that watch has ended since it was found, such as the second of two
 * simultaneous starts. The folder is then looked at again.
 */
export const unlessEnded = <A, E, R>(goOn: Effect.Effect<A, E | Refused, R>) =>
  Effect.catchIf(
    Effect.asSome(goOn),
    (error): error is Refused & E => error instanceof Refused && error.reason === "ended",
    () => Effect.succeedNone
  )
