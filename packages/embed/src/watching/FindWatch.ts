import { type Watch, watches } from "@souffleur/domain"
import type { NamedState } from "@souffleur/eventlog"
import { Effect, Option, Path, Random, Runtime, Schema } from "effect"

/** No watch has this name, or none is of this folder. `message` says what to do. */
export class WatchNotFound extends Schema.TaggedError<WatchNotFound>()("WatchNotFound", { message: Schema.String }) {
  override readonly [Runtime.errorExitCode] = 2
}

/** A watch and its name. */
export interface NamedWatch extends Omit<NamedState<Watch>, "state"> {
  /** The state as far as the log can be read. */
  readonly watch: Watch
}

/** Every watch of the log, oldest first. An unreadable watch hides no other. */
export const allWatches = Effect.map(watches.all, (all) =>
  all.map(({ state: watch, ...one }): NamedWatch => ({ ...one, watch }))
)

/** Returns the newest of these watches. */
export const newestOf = (watches: ReadonlyArray<NamedWatch>) => Option.fromNullishOr(watches.at(-1))

/**
 * Whether a watch was released before it had a Conductor, such as the second of two simultaneous ones. Only its name
 * selects it.
 */
const neverBegan = ({ watch }: NamedWatch) => watch.generation === 0 && watch.end === "released"

/**
 * Finds a watch by its id or by any session id it had (spec: command-line#watch). Without a name it is the newest of
 * this folder. Fails with `WatchNotFound` when there is none, and with the log's error when the watch is unreadable.
 */
export const findWatch = Effect.fn("findWatch")(function* (name: Option.Option<string>, project: string) {
  const watches = yield* allWatches
  const found = Option.match(name, {
    onNone: () => {
      const here = watches.filter(({ watch }) => watch.project === project)
      return Option.orElse(newestOf(here.filter((one) => !neverBegan(one))), () => newestOf(here))
    },
    onSome: (name) =>
      Option.orElse(Option.fromNullishOr(watches.find(({ id }) => id === name)), () =>
        newestOf(watches.filter(({ watch }) => watch.sessions.includes(name)))
      )
  })
  if (Option.isSome(found)) return found.value.unreadable === undefined ? found.value : yield* found.value.unreadable
  return yield* new WatchNotFound({
    message: Option.match(name, {
      onNone: () => `no watch of ${project}: "souffleur status" lists all`,
      onSome: (name) =>
        `no watch is called ${JSON.stringify(name.slice(0, 80))}, and none had such a session: "souffleur status" lists all`
    })
  })
})

/** Returns the newest unfinished watch of a session or of a folder. */
export const unfinished = (
  watches: ReadonlyArray<NamedWatch>,
  of: { readonly sessionId: string } | { readonly project: string }
) =>
  newestOf(
    watches.filter(
      ({ watch }) =>
        watch.phase !== "Exited" &&
        ("sessionId" in of ? watch.sessions.includes(of.sessionId) : watch.project === of.project)
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
