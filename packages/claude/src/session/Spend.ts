import { Bounds } from "@souffleur/domain"
import { Effect, FileSystem } from "effect"
import { identityOf } from "./CompactBoundary.ts"
import { newLines } from "../lines/NewLines.ts"
import { answerOf, isJson, recordOf, timeOf, tokensOf } from "./Records.ts"

/** Bytes of a line at most: an answer is written block by block. */
const lineLimit = 1 << 20
/** Counts that matter. Tokens that are read from a cache cost a tenth, and would hide all others. */
const counted = ["input_tokens", "cache_creation_input_tokens", "output_tokens"]

/** Progress of counting a session file. */
interface Counted {
  readonly file: string
  readonly since: number
  readonly offset: number
  readonly tokens: number
  /**
   * The answer of the last record. Its blocks are records of their own with the same id, and the last count is final.
   */
  readonly last: { readonly id: unknown; readonly tokens: number }
}

/**
 * Counts the tokens of every answer in session files since a moment, with subagents' answers. A file is read once:
 * earlier counts are remembered, unless the file was replaced. A file that cannot be read counts 0.
 */
export const makeSpend = () => {
  const known = new Map<string, Counted>()
  return Effect.fn("Spend.of")(
    function* (path: string, since: number) {
      const fs = yield* FileSystem.FileSystem
      const info = yield* fs.stat(path)
      const { device, inode } = identityOf(info)
      const file = `${device}/${inode}`
      const before = known.get(path)
      const same =
        before !== undefined && before.file === file && before.since === since && before.offset <= Number(info.size)
      let { last, offset, tokens } = same
        ? before
        : { offset: 0, tokens: 0, last: { id: undefined as unknown, tokens: 0 } }
      yield* newLines(
        path,
        { limit: lineLimit, offset },
        (line) => {
          const record = recordOf(line)
          const answer = record === undefined ? undefined : answerOf(record)
          if (record === undefined || answer === undefined || timeOf(record, since) < since) return
          const { id, usage } = answer
          const now = { id, tokens: isJson(usage) ? tokensOf(usage, counted) : 0 }
          tokens = Bounds.sum([tokens, now.tokens, id !== undefined && id === last.id ? -last.tokens : 0])
          last = now
        },
        (end) => (offset = end)
      )
      known.set(path, { file, since, offset, tokens, last })
      return tokens
    },
    Effect.orElseSucceed(() => 0)
  )
}
