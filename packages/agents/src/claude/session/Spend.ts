import { Bounds, nothingSpent, type Spent } from "@souffleur/domain"
import { Effect } from "effect"
import { makeFollower } from "../../kit/lines/Follower.ts"
import { type Json, timeOf, tokensOf } from "../../kit/lines/JsonRecord.ts"
import { answerOf } from "./Records.ts"

/** Counts that matter. Tokens that are read from a cache cost a tenth, and would hide all others. */
const counts = ["input_tokens", "cache_creation_input_tokens", "output_tokens"]

/** The dearest session that is believed, in dollars. */
const maxDollars = 1e9

/**
 * Reads what a session has cost until this record, by the agent's own count. `undefined`: the record does not tell, or
 * no session costs that.
 */
const costOf = (record: Json): number | undefined => {
  const cost = record["type"] === "cost-state" ? record["totalCostUSD"] : undefined
  return typeof cost === "number" && cost >= 0 && cost <= maxDollars ? cost : undefined
}

/** Progress of counting a session file. */
interface Counted {
  readonly since: number
  tokens: number
  dollars: number
  turns: number
  /** The cost of the session until the last record of its cost. */
  cost: number
  /** When the newest record was written. A record of the cost has no time of its own. */
  at: number
  /**
   * The answer of the last record. Its blocks are records of their own with the same id, and the last count is final.
   */
  last: { readonly id: unknown; readonly tokens: number }
}

const count = (counted: Counted, record: Json): void => {
  const { cost, last, since } = counted
  counted.at = timeOf(record, counted.at)
  const total = costOf(record)
  if (total !== undefined) {
    // A count that is less than before began again with a process.
    if (counted.at >= since) counted.dollars += total < cost ? total : total - cost
    counted.cost = total
  }
  const answer = answerOf(record)
  if (answer === undefined || timeOf(record, since) < since) return
  if (record["isSidechain"] !== true && (answer["id"] === undefined || answer["id"] !== last.id)) counted.turns += 1
  const now = { id: answer["id"], tokens: tokensOf(answer["usage"], counts) }
  counted.tokens = Bounds.sum([
    counted.tokens,
    now.tokens,
    now.id !== undefined && now.id === last.id ? -last.tokens : 0
  ])
  counted.last = now
}

/**
 * Counts the tokens of every answer in session files since a moment, with subagents' answers. It also follows the
 * agent's own count of dollars. The last count of a file stays if the file cannot be read.
 */
export const makeSpend = () => {
  const last = new Map<string, Spent>()
  const follow = makeFollower((key): Counted => {
    const since = Number(key)
    return { ...nothingSpent, since, cost: 0, at: since, last: { id: undefined, tokens: 0 } }
  }, count)
  return Effect.fn("spent")(function* (path: string, since: number) {
    const key = `${since} ${path}`
    return yield* follow(path, String(since)).pipe(
      Effect.map(({ dollars, tokens, turns }): Spent => ({ ...nothingSpent, tokens, dollars, turns })),
      Effect.tap((spent) => Effect.sync(() => last.set(key, spent))),
      Effect.orElseSucceed(() => last.get(key) ?? nothingSpent)
    )
  })
}
