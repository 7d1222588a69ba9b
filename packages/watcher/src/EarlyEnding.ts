import {
  type Agent,
  isUnconfirmed,
  judgeEnd,
  type ProcessEnd,
  type Processes,
  type Signs,
  type Watch
} from "@souffleur/domain"
import { treeOf } from "@souffleur/process"
import { Effect, Schedule } from "effect"
import type { Observation } from "./Observation.ts"

/** Looks at what runs on, and the time between two. Together they are shorter than a healthy poll. */
const looks = { times: 6, schedule: Schedule.spaced("500 millis") }

/** Counts the live processes that a dead Conductor has left, by the tags of its tools and of its launch. */
const leftBy = Effect.fn("EarlyEnding.leftBy")(function* ({ conductor, launchId, sessions }: Watch) {
  if (conductor === undefined) return 0
  const left = yield* treeOf({ root: conductor, sessionIds: sessions, launchId }, (agents) =>
    Effect.succeed(agents.flatMap(({ pid, sessionId }) => (sessions.includes(sessionId) ? [] : [pid])))
  )
  return left.filter(({ condition }) => condition !== "zombie").length
})

/**
 * Judges the end of a Conductor without comms (spec: behaviour#early-ends). `progressed`: something was done since its
 * launch. `checked`: a program of the user says whether the work is done, so that no answer has to. It waits a little
 * for processes that are about to end.
 */
export const endingOf = Effect.fn("endingOf")(function* (
  watch: Watch,
  { session, turnEnded }: Pick<Signs, "session" | "turnEnded">,
  end: ProcessEnd | undefined,
  { checked, progressed }: { readonly checked: boolean; readonly progressed: boolean }
): Effect.fn.Return<Observation["ending"], never, Agent | Processes> {
  const judge = (leftRunning: number) =>
    judgeEnd({
      kind: watch.kind,
      turnEnded,
      end,
      leftRunning,
      refused: session?.refused === true,
      successor: watch.provider !== undefined && !checked,
      progressed,
      saidDone: watch.saidDone,
      before: watch.launchedFor,
      unconfirmed: isUnconfirmed(watch, session?.turn)
    })
  // The last look is for processes that run on, because it takes time.
  const first = judge(0)
  if (first === undefined) return undefined
  if (first !== "complete") return { reason: first, leftRunning: 0 }
  if (watch.kind === "command") return first
  const leftRunning = yield* Effect.repeat(leftBy(watch), { until: (count) => count === 0, ...looks })
  const judged = judge(leftRunning)
  return judged === "complete" || judged === undefined ? judged : { reason: judged, leftRunning }
})
