import { Agent, type SaidPart, type SaidPlace, type Watch } from "@souffleur/domain"
import { lookAsWatched } from "@souffleur/process"
import { Effect, Option, Stream } from "effect"
import { findWatch, type WatchName } from "../watching/FindWatch.ts"
import { lookedAt, looking } from "../jobs/JobLook.ts"

/** A part of the conversation of a watch, in one of its sessions. */
export interface ConversationPart extends SaidPart {
  /** The place of its session among those of the watch. */
  readonly session: number
  /** The sessions of the watch by their ids, in the order in which it came to them. */
  readonly sessions: ReadonlyArray<string>
}

/** Which part is asked for; without any, the end of the session that the watch has now. */
export interface ConversationAsked {
  readonly session?: number
  readonly place?: SaidPlace
}

/** How often a session file is looked at for a reader. */
const every = "1 second"

const sessionNow = ({ sessionId, sessions }: Watch): number => sessions.lastIndexOf(sessionId)

const partOf = Effect.fnUntraced(function* (watch: Watch, { place, session = sessionNow(watch) }: ConversationAsked) {
  const { conversation } = yield* Agent
  const id = watch.sessions[session]
  if (conversation === undefined || watch.kind !== "agent" || id === undefined) return Option.none()
  yield* lookAsWatched(watch)
  return Option.map(yield* conversation(id, place), (part): ConversationPart => ({
    ...part,
    session,
    sessions: watch.sessions
  }))
})

/** Returns a part of the conversation of a watch; `None`: there is none, or its session cannot be read. */
export const conversationOf = Effect.fn("Souffleur.conversationOf")(function* (
  name: WatchName,
  asked: ConversationAsked = {}
) {
  return yield* looking(name, ({ watch }) => partOf(watch, asked))
})

/**
 * Returns what the end of the session that a watch has now tells of its use over time, and the list that its agent
 * keeps of its own work, by a read of so many bytes; `None`: there is none.
 */
export const pastOf = Effect.fn("Souffleur.pastOf")(function* (name: WatchName, bytes: number) {
  return yield* looking(
    name,
    Effect.fnUntraced(function* ({ watch }) {
      const { past } = yield* Agent
      if (past === undefined || watch.kind !== "agent") return Option.none()
      yield* lookAsWatched(watch)
      return yield* past(watch.sessionId, bytes)
    })
  )
})

/**
 * Streams what is said after a place, through the sessions that follow, to the end of the watch. Of a session that
 * begins meanwhile it reads the end alone.
 */
export const conversationNews = (name: WatchName, from: { readonly session: number; readonly after: number }) =>
  Stream.unwrap(
    Effect.gen(function* () {
      const { known, layer } = yield* lookedAt(name)
      const look = Effect.fnUntraced(function* (at: { readonly session: number; readonly after: number }) {
        const { watch } = yield* findWatch(known.id)
        const found = yield* partOf(watch, { session: at.session, place: { after: at.after } })
        const isNews = Option.exists(found, ({ to }) => to !== at.after)
        const moved = !isNews && at.session !== sessionNow(watch)
        const part = moved ? yield* partOf(watch, {}) : found
        const next = Option.match(part, { onNone: () => at, onSome: ({ session, to }) => ({ session, after: to }) })
        const over = !isNews && !moved && watch.phase === "Exited"
        return [next, [{ over, said: Option.filter(part, () => isNews || moved) }]] as const
      })
      return Stream.tick(every).pipe(
        Stream.mapAccumEffect(() => from, look),
        Stream.takeUntil(({ over }) => over),
        Stream.map(({ said }) => Option.toArray(said)),
        Stream.flattenIterable,
        Stream.provide(layer)
      )
    })
  )
