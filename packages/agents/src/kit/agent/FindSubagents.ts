import type { SessionFile } from "@souffleur/domain"
import { Effect, Option } from "effect"
import { inHead } from "../lines/Head.ts"
import type { AgentDialect, Needs } from "./AgentDialect.ts"
import { filesOf } from "./FindSession.ts"

/**
 * Makes the search for the files of subagents that have sessions of their own. A subagent begins after its session, and
 * its file is named by its beginning. Each file is read once, for the session that it works for.
 */
export const makeSubagentSearch = (dialect: AgentDialect) => {
  const { worksFor } = dialect
  const known = new Map<string, string>()
  return Effect.fn("subagentsOf")(function* ({
    path,
    sessionId
  }: SessionFile): Effect.fn.Return<ReadonlyArray<string>, never, Needs> {
    if (worksFor === undefined) return []
    const later = (yield* filesOf(dialect, path)).filter((file) => file !== path && dialect.sessionPath.test(file))
    return yield* Effect.filter(
      later,
      Effect.fnUntraced(function* (file) {
        const before = known.get(file)
        if (before !== undefined) return before === sessionId
        const root = yield* inHead(file, (record) => worksFor(record) ?? "")
        // A file that is empty yet tells it later.
        if (Option.isSome(root)) known.set(file, root.value)
        return Option.contains(root, sessionId)
      })
    )
  })
}
