import { Bounds } from "@souffleur/domain"
import { Effect, FileSystem } from "effect"
import { identityOf } from "./CompactBoundary.ts"
import { newLines } from "../lines/NewLines.ts"
import { answerOf, isJson, recordOf, timeOf, tokensOf } from "./Records.ts"

/** Bytes of a line that is looked at: an answer is written block by block. */
const lineLimit = 1 << 20
/** What was read from a cache costs a tenth, and would hide all else. */
const counted = ["input_tokens", "cache_creation_input_tokens", "output_tokens"]

/** How far a session file was counted, and to what. */
interface Counted {
  readonly file: string
  readonly since: number
  readonly offset: number
  readonly tokens: number
  /** The answer of the last record, whose blocks are records of their own with the same count, the last one final. */
  readonly last: { readonly id: unknown; readonly tokens: number }
}

/**
 * Tokens of every answer in session files since a moment, subagents' too. A file is read once: what was counted before
 * is remembered, unless another file has come in its place. What cannot be read counts nothing.
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
