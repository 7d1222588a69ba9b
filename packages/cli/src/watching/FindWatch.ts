import { type Variables, type Watch, watches } from "@souffleur/domain"
import type { NamedState } from "@souffleur/eventlog"
import { Effect, Option, Path, Random } from "effect"
import { agentKind } from "../agent/Kind.ts"
import { BadUsage } from "../Failure.ts"

/** A watch and its name. */
export interface NamedWatch extends Omit<NamedState<Watch>, "state"> {
  /** As far as its log can be read. */
  readonly watch: Watch
}

/** Every watch of the log, oldest first: one that cannot be read hides no other. */
export const allWatches = Effect.map(watches.all, (all) =>
  all.map(({ state: watch, ...one }): NamedWatch => ({ ...one, watch }))
)

const newest = (watches: ReadonlyArray<NamedWatch>) => Option.fromNullishOr(watches.at(-1))

/**
 * Released before it had a Conductor, such as the second of two that were started at once: nobody means that one
 * without its name.
 */
const neverBegan = ({ watch }: NamedWatch) => watch.generation === 0 && watch.end === "released"

/** WATCH (spec: command-line#watch): a watch's id, any session id it had, or nothing: this folder's newest. */
export const findWatch = Effect.fn("findWatch")(function* (name: Option.Option<string>, project: string) {
  const watches = yield* allWatches
  const found = Option.match(name, {
    onNone: () => {
      const here = watches.filter(({ watch }) => watch.project === project)
      return Option.orElse(newest(here.filter((one) => !neverBegan(one))), () => newest(here))
    },
    onSome: (name) =>
      Option.orElse(Option.fromNullishOr(watches.find(({ id }) => id === name)), () =>
        newest(watches.filter(({ watch }) => watch.sessions.includes(name)))
      )
  })
  if (Option.isSome(found)) return found.value.unreadable === undefined ? found.value : yield* found.value.unreadable
  return yield* new BadUsage({
    message: Option.match(name, {
      onNone: () => `no watch of ${project}: "souffleur status" lists all`,
      onSome: (name) =>
        `no watch is called ${JSON.stringify(name.slice(0, 80))}, and none had such a session: "souffleur status" lists all`
    })
  })
})

/** The unfinished watch of a session, or of a folder: it goes on from there. */
export const unfinished = (
  watches: ReadonlyArray<NamedWatch>,
  of: { readonly sessionId: string } | { readonly project: string }
) =>
  newest(
    watches.filter(
      ({ watch }) =>
        watch.phase !== "Exited" &&
        ("sessionId" in of ? watch.sessions.includes(of.sessionId) : watch.project === of.project)
    )
  )

/**
 * The watch of the agent that runs this very command: by the session that it is in, else by the launch that it descends
 * from. `None`: no agent of a watch does.
 */
export const ofAgent = (watches: ReadonlyArray<NamedWatch>, variables: Variables) => {
  const { sessionId: session } = agentKind.identity(variables)
  const launch = variables["SOUFFLEUR_LAUNCH_ID"] ?? ""
  const inSession = newest(watches.filter(({ watch }) => session !== "" && watch.sessions.includes(session)))
  // A launch is named after its watch. One watch's id may be the beginning of another's: the longest is meant.
  const launched = watches
    .filter(({ id }) => launch.startsWith(`${id}-g`))
    .toSorted((a, b) => a.id.length - b.id.length)
  return Option.orElse(inSession, () => newest(launched))
}

/** A folder as it stands in an id. */
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

/** `remindly-3f2a`: the project's folder and four hex digits. */
export const newId = Effect.fnUntraced(function* (project: string) {
  const folder = yield* folderName(project)
  const number = yield* Random.nextIntBetween(0, 0xffff)
  return `${folder}-${number.toString(16).padStart(4, "0")}`
})
