import { Agent, isSessionKnown, Launcher, type ProcessEnd, type Spent, type Watch } from "@souffleur/domain"
import { lastWords, lookAsWatched } from "@souffleur/process"
import { Effect, Option } from "effect"
import type { WatchName } from "../watching/FindWatch.ts"
import { looking } from "./JobLook.ts"

/** What came of a job. The words are as they were written: a terminal would obey them. */
export interface JobResult {
  readonly id: string
  /** How it ended; `null`: it has not ended. */
  readonly end: NonNullable<Watch["end"]> | null
  /** See `Souffleur.lastWords`. */
  readonly words: string
  /** How the process of its last launch ended; `null`: it runs, or its end was not seen. */
  readonly exit: ProcessEnd | null
  /** What all of its sessions used, by the agents' own records. */
  readonly used: Spent
}

/** Returns the last answer of an agent's session, else the last lines that were printed. */
const wordsOf = Effect.fnUntraced(function* (watch: Watch) {
  const agent = yield* Agent
  yield* lookAsWatched(watch)
  const answered = watch.kind === "agent" && isSessionKnown(watch.sessionId)
  const answer = answered ? yield* agent.lastAnswer(watch.sessionId) : ""
  return answer === "" ? (yield* lastWords(watch)).join("\n") : answer
})

/** Returns the words that the agent of a watch wrote last. */
export const wordsOfJob = Effect.fn("Souffleur.wordsOfJob")(function* (name: WatchName) {
  return yield* looking(name, ({ watch }) => wordsOf(watch))
})

/** Returns what came of a job. */
export const resultOf = Effect.fn("Souffleur.resultOf")(function* (name: WatchName) {
  return yield* looking(
    name,
    Effect.fnUntraced(function* ({ id, watch }) {
      const { spent } = yield* Agent
      const { endOf } = yield* Launcher
      const { end, launchId, openedAt, sessions } = watch
      const over = end !== undefined && launchId !== undefined
      return {
        id,
        end: end ?? null,
        words: yield* wordsOf(watch),
        exit: over ? (Option.getOrUndefined(yield* endOf(launchId))?.end ?? null) : null,
        used: yield* spent(sessions, openedAt)
      } satisfies JobResult
    })
  )
})
