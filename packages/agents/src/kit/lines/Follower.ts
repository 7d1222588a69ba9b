import { agentsOwn } from "@souffleur/domain"
import { lookTrusted } from "@souffleur/process"
import { Effect, Semaphore } from "effect"
import { fileIdentity } from "./FileIdentity.ts"
import { type Json, recordOf } from "./JsonRecord.ts"
import { newLines } from "./NewLines.ts"
import { writtenAtOf } from "./Tail.ts"

/** Bytes of a line at most. A longer line is left out. */
const lineLimit = 1 << 22

interface Followed<S> {
  readonly file: string
  readonly state: S
  /** The end of the last whole line. */
  offset: number
}

/**
 * Makes a reader that gives each record of a growing file to `take` once, in order, and returns the state. A file that
 * was replaced begins again. `key` tells states of one file apart. `skips` tells that a line need not be parsed. Fails
 * where the file cannot be read.
 *
 * @example
 * ```ts
 * import { makeFollower } from "@souffleur/agents"
 *
 * // Each call reads what the file has gained since the call before.
 * const countAnswers = makeFollower(
 *   () => ({ answers: 0 }),
 *   (state, record) => {
 *     if (record["role"] === "assistant") state.answers++
 *   }
 * )
 * const answers = countAnswers("/home/ada/.agent/session.jsonl")
 * ```
 */
export const makeFollower = <S>(
  begin: (key: string) => S,
  take: (state: S, record: Json, writtenAt: number) => void,
  skips: (state: S, line: string) => boolean = () => false
) => {
  const known = new Map<string, Followed<S>>()
  // Readers at once would take the same records.
  const oneAtATime = Semaphore.makeUnsafe(1)
  return Effect.fnUntraced(function* (path: string, key = "") {
    const info = yield* lookTrusted(path, agentsOwn)
    const { device, inode } = fileIdentity(info)
    const [file, name] = [`${device}/${inode}`, `${key} ${path}`]
    const before = known.get(name)
    const same = before !== undefined && before.file === file && before.offset <= Number(info.size)
    const followed = same ? before : { file, state: begin(key), offset: 0 }
    known.set(name, followed)
    if (followed.offset === Number(info.size)) return followed.state
    const writtenAt = writtenAtOf(info)
    yield* newLines(
      path,
      { limit: lineLimit, offset: followed.offset },
      (line) => {
        const record = skips(followed.state, line) ? undefined : recordOf(line)
        if (record !== undefined) take(followed.state, record, writtenAt)
      },
      (end) => (followed.offset = end)
    )
    return followed.state
  }, oneAtATime.withPermits(1))
}
