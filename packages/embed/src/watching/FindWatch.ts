import { type Watch, type WatchBrief, watches, watchKey } from "@souffleur/domain"
import { Cursor, type NamedState } from "@souffleur/eventlog"
import { spanOf } from "../trace/OwnSpans.ts"
import { Effect, Option, Path, Random, Runtime, Schema } from "effect"

/** No watch has this name, or none is of this folder. */
export class WatchNotFound extends Schema.TaggedError<WatchNotFound>()("WatchNotFound", { message: Schema.String }) {
  override readonly [Runtime.errorExitCode] = 2
}

/** A watch and its name. */
export interface NamedWatch extends Omit<NamedState<Watch>, "state"> {
  /** The state as far as the log can be read. */
  readonly watch: Watch
}

const namedWatch = ({ state: watch, ...one }: NamedState<Watch>): NamedWatch => ({ ...one, watch })

/** Every watch of the log, oldest first. An unreadable watch hides no other. */
export const allWatches = Effect.map(watches.all, (all) => all.map(namedWatch))

/** A watch that has ended, as a list shows it. */
export interface EndedWatch extends WatchBrief {
  readonly phase: "Exited"
}

/**
 * Every watch of the log. `ended`: what has ended, as far as a list shows it, and read no further. `whole`: all others.
 * Both are oldest first.
 */
export const briefWatches = Effect.map(watches.brief, ({ ended, whole }) => ({
  whole: whole.map(namedWatch),
  ended: ended.map(({ brief, id }) => ({ id, watch: { ...brief, phase: "Exited" } satisfies EndedWatch }))
}))

/** The watches that have not ended, and those that cannot be read, oldest first. */
export const livingWatches = Effect.map(watches.living, (all) => all.map(namedWatch))

/** The watches that have not ended, as far as the log can be read, oldest first. */
export const unfinishedWatches = Effect.map(livingWatches, (all) => all.filter(({ watch }) => watch.phase !== "Exited"))

/** Returns the newest watches with a key, newest first, `limit` at most. */
export const newestWatches = (key: string, limit: number, wanted?: (watch: Watch) => boolean) =>
  Effect.map(watches.newest(key, limit, wanted), (all) => all.map(namedWatch))

/** Returns the wanted watches that ended last, the last one first, `limit` at most. `count`: the number of all. */
export const endedWatches = (limit: number, wanted?: (one: NamedWatch) => boolean) =>
  Effect.map(watches.ended(limit, wanted && ((one) => wanted(namedWatch(one)))), ({ count, last }) => ({
    count,
    last: last.map(namedWatch)
  }))

/** The most ended watches whose news are told. The others are counted. */
const maxEnded = 20

/** Returns the mark of a person's last look at a watch. */
export const lookedMark = (id: string) => `${id}/looked`

/** Returns the last ended watches that have news for a person, oldest first. `more` counts the other ones. */
export const endedNews = Effect.gen(function* () {
  const marks = yield* Cursor
  const { count, last } = yield* endedWatches(maxEnded)
  const ended = yield* Effect.filter(last, ({ id, watch }) =>
    Effect.map(marks.position(lookedMark(id)), (seenUpTo) => seenUpTo < watch.revision)
  )
  return { ended: ended.toReversed(), more: count - ended.length }
})

const first = Effect.map(([one]: ReadonlyArray<NamedWatch>) => Option.fromUndefinedOr(one))

/**
 * A watch may be released before it had a Conductor, such as the second of two simultaneous ones. Only its name selects
 * it.
 */
const neverBegan = ({ end, generation }: Watch) => generation === 0 && end === "released"

/** Finds a watch by its id; `None`: there is none. Fails with `UnreadableEvent` where it cannot be read. */
export const watchById = (id: string) => Effect.map(watches.one(id), Option.map(namedWatch))

/** Returns the newest watch that had this session; `None`: there is none. */
export const newestOfSession = (session: string) => first(newestWatches(watchKey.session(session), 1))

/** Returns the newest watch of a folder. A watch that never began counts where there is no other. */
const newestHere = Effect.fnUntraced(function* (project: string) {
  const begun = yield* first(newestWatches(watchKey.project(project), 1, (watch) => !neverBegan(watch)))
  return Option.isSome(begun) ? begun : yield* first(newestWatches(watchKey.project(project), 1))
})

const named = Effect.fnUntraced(function* (name: string) {
  const found = yield* watchById(name)
  return Option.isSome(found) ? found : yield* newestOfSession(name)
})

/** A watch by its id or by any session that it had, or the newest watch of a folder (absolute). */
export type WatchName = string | { readonly project: string }

const missing = (name: WatchName) =>
  typeof name === "string"
    ? `no watch is called ${JSON.stringify(name.slice(0, 80))}, and none had such a session`
    : `no watch of ${name.project}`

/**
 * Finds a watch (spec: command-line#watch). Fails with `WatchNotFound` when there is none, and with the log's error
 * when the watch is unreadable.
 */
export const findWatch = Effect.fn("findWatch")(function* (name: WatchName) {
  const found = yield* typeof name === "string" ? named(name) : newestHere(name.project)
  if (Option.isNone(found)) return yield* new WatchNotFound({ message: missing(name) })
  yield* spanOf({ project: found.value.watch.project, watch: found.value.id })
  return found.value.unreadable === undefined ? found.value : yield* found.value.unreadable
})

/** Returns the newest unfinished watch of a session or of a folder. */
export const unfinished = (of: { readonly sessionId: string } | { readonly project: string }) =>
  Effect.map(unfinishedWatches, (all) =>
    Option.fromUndefinedOr(
      all.findLast(({ watch }) =>
        "sessionId" in of ? watch.sessions.includes(of.sessionId) : watch.project === of.project
      )
    )
  )

/** Returns a folder's name as an id has it. */
export const folderName = Effect.fnUntraced(function* (project: string) {
  const path = yield* Path.Path
  const folder = path
    .basename(project)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/gu, "-")
    .replaceAll(/^-+|-+$/gu, "")
    .slice(0, 40)
  return folder === "" ? "watch" : folder
})

/** Draws an id such as `remindly-3f2a`: the project's folder and four hex digits. */
export const newId = Effect.fnUntraced(function* (project: string) {
  const folder = yield* folderName(project)
  const number = yield* Random.nextIntBetween(0, 0xffff)
  return `${folder}-${number.toString(16).padStart(4, "0")}`
})
