import { Bounds, type HandoffReceipt, handoffLine, nothingSpent } from "@souffleur/domain"
import { makeFollower } from "../lines/Follower.ts"
import { timeOf } from "../lines/JsonRecord.ts"
import type { Saying, Sayings } from "./Said.ts"

/** Calls without a result that are remembered. The oldest are given up. */
const maxPending = 1_000

/** Makes a reader of the count of tool results in a session file, and of whether there was any. */
export const makeResults = (sayings: Sayings) =>
  makeFollower(
    () => ({ progress: 0, any: false, looks: new Set<string>(), answers: new Set<string>() }),
    (state, record) => {
      for (const said of sayings(record)) {
        if (said._tag === "Look") {
          const calls = said.answers === true ? state.answers : state.looks
          calls.add(said.id)
          for (const oldest of calls) if (calls.size > maxPending) calls.delete(oldest)
        }
        if (said._tag === "Progress" && said.of !== undefined && state.answers.has(said.of)) continue
        if (said._tag === "Result" && state.answers.delete(said.id)) continue
        if (said._tag === "Progress" && (said.of === undefined || !state.looks.delete(said.of))) state.progress += 1
        if (said._tag === "Result" || said._tag === "Progress") state.any = true
      }
    }
  )

/** Makes a reader of what answers used since a moment (epoch ms), which is the key. */
export const makeUseCount = (sayings: Sayings) =>
  makeFollower(
    (key) => ({
      ...nothingSpent,
      since: Number(key),
      at: Number(key),
      cost: 0,
      last: { of: undefined as unknown, tokens: 0 }
    }),
    (state, record) => {
      const { since } = state
      state.at = timeOf(record, state.at)
      for (const said of sayings(record)) {
        if (said._tag === "Cost") {
          // A record of the cost may have no time of its own. A count that is less than before began again.
          if (state.at >= since) state.dollars += said.dollars < state.cost ? said.dollars : said.dollars - state.cost
          state.cost = said.dollars
        }
        if (timeOf(record, since) < since) continue
        if (said._tag === "Call") state.calls += 1
        if (said._tag !== "Used") continue
        const again = said.of !== undefined && said.of === state.last.of
        state.tokens = Bounds.sum([state.tokens, said.tokens, again ? -state.last.tokens : 0])
        state.dollars += said.dollars ?? 0
        state.credits += said.credits ?? 0
        if (!again && said.aside !== true) state.turns += 1
        state.last = { of: said.of, tokens: said.tokens }
      }
    }
  )

/** Progress of reading a session file for a launch. */
interface Receipt {
  readonly launchId: string
  readonly line: string
  announced: boolean
  taken: HandoffReceipt | undefined
}

const contextIn = (sayings: ReadonlyArray<Saying>, at: number): HandoffReceipt["context"] => {
  const said = sayings.find((one) => one._tag === "Context")
  if (said === undefined || said.tokens === 0) return undefined
  const { model, tokens, window } = said
  return { tokens, window: typeof window === "number" && tokens <= window ? window : undefined, model, at }
}

/** Makes a reader of the model's first answer after the prompt of a launch, whose id is the key. */
export const makeReceipt = (sayings: Sayings) =>
  makeFollower(
    (launchId): Receipt => ({
      launchId,
      line: handoffLine(launchId),
      announced: false,
      taken: undefined
    }),
    (state, record, writtenAt) => {
      const all = sayings(record)
      for (const said of all) {
        // Alone on its line, or in marks of the agent's own, as for a command's arguments.
        if (said._tag === "Prompt")
          state.announced ||= said.text.split(/[\n<>]/u).some((one) => one.trim() === state.line)
        else if (state.announced && state.taken === undefined && (said._tag === "Answer" || said._tag === "Call"))
          state.taken = { at: timeOf(record, writtenAt), context: contextIn(all, timeOf(record, writtenAt)) }
      }
    },
    ({ announced, launchId, taken }, line) => taken !== undefined || (!announced && !line.includes(launchId))
  )
