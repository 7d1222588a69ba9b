import { agentsOwn, makeLines } from "@souffleur/domain"
import { piecesOf, TrustedFiles } from "@souffleur/process"
import { Effect, FileSystem, Semaphore, Stream } from "effect"
import { identityOf } from "./CompactBoundary.ts"
import { newLines } from "../lines/NewLines.ts"
import { blocksOf, type Json, recordOf } from "./Records.ts"

/** Bytes of a line that is looked at; a longer one is left out. */
const lineLimit = 1 << 22

/** Who only looks gets nowhere: a successor that dies after it has read its export has done no work. */
const looking = new Set(["Read", "Glob", "Grep", "LS"])
/** Nor does who talks with its watchdog, which asks for a recovery in each generation. */
const getsNowhere = (name: string): boolean => looking.has(name) || name.startsWith("mcp__souffleur__")
/** Calls whose result has not come, of which the oldest are given up. */
const mostPending = 1_000

/** What was counted of one file so far: a poll reads only what came since. */
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
      for (const oldest of counted.looks) if (counted.looks.size > mostPending) counted.looks.delete(oldest)
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
 * Whether a session file has the result of any tool, of one that only looks or that failed too. What cannot be read has
 * none.
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
 * Counts the results of tools in session files: what an agent has done, as far as its files tell (spec:
 * behaviour#retries). Results of tools that only look, and failures, are none. In bounded memory, and each file once:
 * it remembers how far it came. Of a file that cannot be read now the last count stays.
 */
export const makeToolResults = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const trusted = yield* TrustedFiles
  const files = new Map<string, Counted>()
  const oneAtATime = yield* Semaphore.make(1)

  const inFile = Effect.fnUntraced(function* (path: string) {
    const info = yield* fs.stat(path)
    const { device, inode } = identityOf(info)
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
