import { agentsOwn, makeLines } from "@souffleur/domain"
import { piecesOf, TrustedFiles } from "@souffleur/process"
import { blocksOf, fileIdentity, type Json, newLines, recordOf } from "@souffleur/session"
import { Effect, FileSystem, Semaphore, Stream } from "effect"

/** Bytes of a line at most. A longer line is left out. */
const lineLimit = 1 << 22

/** Tools that only read. They are no progress: a successor that dies after reading its export has done no work. */
const readingTools = new Set(["Read", "Glob", "Grep", "LS"])
/**
 * Holds if a tool is no progress. souffleur's own tools are none either: a Conductor could ask for a recovery in each
 * generation.
 */
const getsNowhere = (name: string): boolean => readingTools.has(name) || name.startsWith("mcp__souffleur__")
/** Calls without a result that are remembered. The oldest are given up. */
const maxPending = 1_000

/** Progress of counting a file: a poll reads only new lines. */
interface Counted {
  readonly device: string
  readonly inode: string
  /** The end of the last whole line. */
  offset: number
  results: number
  readonly looks: Set<string>
}

const blocksIn = (line: string): ReadonlyArray<Json> => {
  const record = recordOf(line)
  return record?.["type"] === "user" || record?.["type"] === "assistant" ? blocksOf(record["message"]) : []
}

const count = (counted: Counted, line: string): void => {
  if (!line.includes('"tool_use') && !line.includes('"tool_result"')) return
  for (const block of blocksIn(line)) {
    if (block["type"] === "tool_use" && getsNowhere(String(block["name"]))) {
      counted.looks.add(String(block["id"]))
      for (const oldest of counted.looks) if (counted.looks.size > maxPending) counted.looks.delete(oldest)
    } else if (
      block["type"] === "tool_result" &&
      !counted.looks.delete(String(block["tool_use_id"])) &&
      block["is_error"] !== true
    ) {
      counted.results += 1
    }
  }
}

/**
 * Holds if a session file has the result of any tool, even a failure or one of a reading tool. A file that cannot be
 * read has none.
 */
export const anyToolResult = Effect.fn("anyToolResult")(
  function* (path: string) {
    const file = yield* (yield* TrustedFiles).open(path, agentsOwn)
    let found = false
    const text = new TextDecoder()
    const lines = makeLines(lineLimit, (bytes, whole) => {
      if (found || !whole) return
      const line = text.decode(bytes)
      found = line.includes('"tool_result"') && blocksIn(line).some((block) => block["type"] === "tool_result")
    })
    yield* piecesOf(file).pipe(
      Stream.takeWhile(() => !found),
      Stream.runForEach((chunk) => Effect.sync(() => lines.push(chunk)))
    )
    return found
  },
  Effect.scoped,
  Effect.orElseSucceed(() => false)
)

/**
 * Counts the results of tools in session files, as a measure of an agent's work (spec: behaviour#retries). Failures and
 * results of reading tools do not count. Memory is bounded, and each byte is read once. The last count of a file stays
 * if the file cannot be read.
 */
export const makeToolResults = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const trusted = yield* TrustedFiles
  const files = new Map<string, Counted>()
  const oneAtATime = yield* Semaphore.make(1)

  const inFile = Effect.fnUntraced(function* (path: string) {
    const info = yield* fs.stat(path)
    const { device, inode } = fileIdentity(info)
    const before = files.get(path)
    const same =
      before !== undefined && before.device === device && before.inode === inode && Number(info.size) >= before.offset
    const counted: Counted = same ? before : { device, inode, offset: 0, results: 0, looks: new Set() }
    files.set(path, counted)
    if (Number(info.size) === counted.offset) return counted.results
    yield* newLines(
      path,
      { limit: lineLimit, offset: counted.offset },
      (line) => count(counted, line),
      (end) => (counted.offset = end)
    ).pipe(Effect.provideService(TrustedFiles, trusted))
    return counted.results
  })

  return (paths: ReadonlyArray<string>): Effect.Effect<number> =>
    Effect.forEach([...new Set(paths)], (path) =>
      Effect.orElseSucceed(inFile(path), () => files.get(path)?.results ?? 0)
    ).pipe(
      Effect.map((counts) => counts.reduce((all, one) => all + one, 0)),
      oneAtATime.withPermits(1),
      Effect.withSpan("ToolResults.count")
    )
})
