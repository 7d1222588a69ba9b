import { estimate, trim } from "@souffleur/recovery"
import { claudeCode, markOf } from "@souffleur/agents"
import { Agent } from "@souffleur/domain"
import { Processes as HostProcesses } from "@souffleur/node"
import { Effect, Exit, Layer, Option } from "effect"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { border, holds, type Place } from "../Border.ts"
import { homeIn } from "../CommandLine.ts"
import { bytes } from "../Hostile.ts"
import { sessionFile } from "../SessionRecords.ts"
import { settle, valueOf } from "../Settle.ts"

/** Asks Claude Code of the session in a file. */
const asked = <A, E>(file: string, ask: (agent: Agent["Service"]) => Effect.Effect<A, E>) => {
  const agentDir = file.slice(0, file.indexOf("/projects/"))
  const claude = claudeCode.layer({ agentDir, agentCommand: { program: "claude", args: [] }, environment: {} })
  return Agent.use(ask).pipe(Effect.provide(Layer.provide(claude, HostProcesses.layer)))
}

const fileIn = (place: Place, data: Uint8Array): string =>
  homeIn(place.folder).write("claude/projects/x/abc.jsonl", data)

/** Checks that every reader of a session file gives an answer to it. */
export const sessionFiles = border("session-files", {
  share: 4,
  within: 5000,
  draw: (seed) => (seed.chance(0.04) ? bytes(seed) : sessionFile(seed)),
  checks: {
    signs: async (data, place) => {
      const signs = await valueOf(asked(fileIn(place, data), (agent) => agent.signs("abc")))
      holds(signs !== undefined && Option.isSome(signs), "a file that is there has no signs")
    },
    "export, estimate and trim": async (data, place) => {
      const [file, out] = [fileIn(place, data), join(place.folder, "export.md")]
      const made = await settle(asked(file, (agent) => agent.exportSession("abc", out)))
      holds(Exit.isSuccess(made), "it is not exported")
      const text = readFileSync(out, "utf8")
      // oxlint-disable-next-line no-control-regex
      holds(!/[\0-\x08\x0b-\x1f\x7f]/u.test(text), "an export holds control characters")
      const headings = text
        .split("\n")
        .filter((line) => /^## (?:User|Assistant|Summary of what came before)\b/u.test(line))
      // The output of a tool is in a fence, as it is. Without the mark, it belongs to no turn.
      const marks = headings.map((line) => line.split(" ").at(-1)!).filter((mark) => /^[0-9a-f]{12}$/u.test(mark))
      holds(new Set(marks).size <= 1, "a heading that is not of the export", headings)
      const before = await valueOf(estimate(out))
      holds(before !== undefined && Number.isSafeInteger(before.estimated_tokens), "an export of ours has no estimate")
      await settle(trim(out, 2000))
      holds((await valueOf(estimate(out))) !== undefined, "a trimmed export has no estimate")
    },
    "tool results": async (data, place) => {
      const file = fileIn(place, data)
      const count = await valueOf(asked(file, (agent) => agent.toolResults(["abc"])))
      holds(Number.isSafeInteger(count), "results of tools that are no count", String(count))
      await settle(asked(file, (agent) => agent.usedTools("abc")))
    },
    spend: async (data, place) => {
      const spent = await valueOf(asked(fileIn(place, data), (agent) => agent.spent(["abc"], 0)))
      const { dollars, tokens } = spent!
      holds(Number.isSafeInteger(tokens) && tokens >= 0, "tokens that are no count", String(tokens))
      holds(Number.isFinite(dollars) && dollars >= 0, "dollars that are no amount", String(dollars))
    },
    "hand-off, compaction and project": async (data, place) => {
      const path = fileIn(place, data)
      await settle(asked(path, (agent) => agent.handoffTaken("abc", "opera-0001-g2-launch-1")))
      const mark = await valueOf(markOf({ path, sessionId: "abc" }))
      await settle(asked(path, (agent) => agent.compactedSince({ ...mark!, offset: 0 })))
      await settle(asked(path, (agent) => agent.projectOf("abc")))
    }
  }
})
