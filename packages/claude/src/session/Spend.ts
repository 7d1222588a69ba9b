import { Bounds, type Spent } from "@souffleur/domain"
import { fileIdentity, isJson, type Json, newLines, recordOf, timeOf, tokensOf } from "@souffleur/session"
import { Effect, FileSystem } from "effect"
import { answerOf } from "./Records.ts"

/** Bytes of a line at most: an answer is written block by block. */
const lineLimit = 1 << 20
/** Counts that matter. Tokens that are read from a cache cost a tenth, and would hide all others. */
const counted = ["input_tokens", "cache_creation_input_tokens", "output_tokens"]

/** The cost of a session without a record of it. */
export const nothingSpent: Spent = { tokens: 0, dollars: 0 }

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
interface Counted extends Spent {
  readonly file: string
  readonly since: number
  readonly offset: number
  /** The cost of the session until the last record of its cost. */
  readonly cost: number
  /** When the newest record was written. A record of the cost has no time of its own. */
  readonly at: number
  /**
   * The answer of the last record. Its blocks are records of their own with the same id, and the last count is final.
   */
  readonly last: { readonly id: unknown; readonly tokens: number }
}

/**
 * Counts the tokens of every answer in session files since a moment, with subagents' answers. It also follows the
 * agent's own count of dollars. A file is read once: earlier counts are remembered, unless the file was replaced. A
 * file that cannot be read counts 0.
 */
export const makeSpend = () => {
  const known = new Map<string, Counted>()
  return Effect.fn("spent")(
    function* (path: string, since: number) {
      const fs = yield* FileSystem.FileSystem
      const info = yield* fs.stat(path)
      const { device, inode } = fileIdentity(info)
      const file = `${device}/${inode}`
      const before = known.get(path)
      const same =
        before !== undefined && before.file === file && before.since === since && before.offset <= Number(info.size)
      let { at, cost, dollars, last, offset, tokens } = same
        ? before
        : { ...nothingSpent, offset: 0, cost: 0, at: since, last: { id: undefined as unknown, tokens: 0 } }
      yield* newLines(
        path,
        { limit: lineLimit, offset },
        (line) => {
          const record = recordOf(line)
          if (record === undefined) return
          at = timeOf(record, at)
          const total = costOf(record)
          if (total !== undefined) {
            // A count that is less than before began again with a process.
            if (at >= since) dollars += total < cost ? total : total - cost
            cost = total
          }
          const answer = answerOf(record)
          if (answer === undefined || timeOf(record, since) < since) return
          const { id, usage } = answer
          const now = { id, tokens: isJson(usage) ? tokensOf(usage, counted) : 0 }
          tokens = Bounds.sum([tokens, now.tokens, id !== undefined && id === last.id ? -last.tokens : 0])
          last = now
        },
        (end) => (offset = end)
      )
      known.set(path, { file, since, offset, tokens, dollars, cost, at, last })
      return { tokens, dollars } satisfies Spent
    },
    Effect.orElseSucceed(() => nothingSpent)
  )
}
