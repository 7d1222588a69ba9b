import { blocksOf, type Json, makeFollower } from "@souffleur/session"
import { Effect } from "effect"

/** Tools that only read. They are no progress: a successor that dies after reading its export has done no work. */
const readingTools = new Set(["Read", "Glob", "Grep", "LS"])
/**
 * A reading tool is no progress, nor is a tool of souffleur's own, by which a Conductor could ask for a recovery in
 * each generation.
 */
const getsNowhere = (name: string): boolean => readingTools.has(name) || name.startsWith("mcp__souffleur__")
/** The call by which the agent answers by a schema: it is no tool that does anything. */
const answering = "StructuredOutput"
/** Calls without a result that are remembered. The oldest are given up. */
const maxPending = 1_000

/** Progress of counting a file. */
interface Counted {
  results: number
  /** True if there was any result, even a failure or one of a reading tool. */
  any: boolean
  readonly looks: Set<string>
  readonly answers: Set<string>
}

/** Adds a call that waits for its result, in place of the oldest where there are too many. */
const wait = (calls: Set<string>, { id }: Json): void => {
  calls.add(String(id))
  for (const oldest of calls) if (calls.size > maxPending) calls.delete(oldest)
}

const count = (counted: Counted, record: Json): void => {
  if (record["type"] !== "user" && record["type"] !== "assistant") return
  for (const block of blocksOf(record["message"])) {
    if (block["type"] === "tool_use") {
      if (block["name"] === answering) wait(counted.answers, block)
      else if (getsNowhere(String(block["name"]))) wait(counted.looks, block)
    } else if (block["type"] === "tool_result" && !counted.answers.delete(String(block["tool_use_id"]))) {
      counted.any = true
      if (!counted.looks.delete(String(block["tool_use_id"])) && block["is_error"] !== true) counted.results += 1
    }
  }
}

/**
 * Reads the results of tools in session files, as a measure of an agent's work (spec: behaviour#retries). Failures and
 * results of reading tools do not count.
 */
export const makeToolResults = () => {
  const last = new Map<string, number>()
  const follow = makeFollower(
    (): Counted => ({ results: 0, any: false, looks: new Set(), answers: new Set() }),
    count,
    (_, line) => !line.includes('"tool_use') && !line.includes('"tool_result"')
  )
  const inFile = (path: string) =>
    follow(path).pipe(
      Effect.tap(({ results }) => Effect.sync(() => last.set(path, results))),
      Effect.map(({ results }) => results),
      Effect.orElseSucceed(() => last.get(path) ?? 0)
    )
  return {
    /** Counts the results of several files. The last count of a file stays if the file cannot be read. */
    count: Effect.fn("ToolResults.count")(function* (paths: ReadonlyArray<string>) {
      const counts = yield* Effect.forEach(new Set(paths), inFile)
      return counts.reduce((all, one) => all + one, 0)
    }),
    /**
     * Returns whether a file has any result, even a failure or that from a reading tool. A file that cannot be read has
     * none.
     */
    any: (path: string) =>
      follow(path).pipe(
        Effect.map((counted) => counted.any),
        Effect.orElseSucceed(() => false)
      )
  }
}
