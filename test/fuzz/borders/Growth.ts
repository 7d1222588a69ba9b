import {
  bare,
  makeTerminalText,
  parseConfigFile,
  parseNotify,
  parsePayload,
  plain,
  prometheusText
} from "@souffleur/domain"
import { loadPlan, readState, readVerdict } from "@souffleur/plan"
import { lastLines } from "@souffleur/process"
import { estimate, trim } from "@souffleur/recovery"
import { makeStreamJsonReader, makeTurns } from "@souffleur/agents"
import { hookCall } from "../../../packages/agents/src/kit/hooks/HookInput.ts"
import { isAbout } from "../../../packages/agents/src/claude/settings/PermissionRule.ts"
import { table } from "../../../packages/cli/src/explain/TextTable.ts"
import { makePipeOutput } from "@souffleur/process"
import { makeTerminalOutput } from "../../../packages/cli/src/watching/AgentOutput.ts"
import { wrappedText } from "../../../packages/cli/src/Wrapped.ts"
import { makeCodexReader as codexReader } from "../../../packages/agents/src/codex/command/CodexOutput.ts"
import { makeCopilotReader as copilotReader } from "../../../packages/agents/src/copilot/CopilotOutput.ts"
import { trustsFolders } from "../../../packages/agents/src/copilot/TrustedFolders.ts"
import { makeGeminiReader as geminiReader } from "../../../packages/agents/src/gemini/GeminiOutput.ts"
import { parseLine, wholeLockersIn } from "../../../packages/node/src/processes/Ps.ts"
import { makeOpenCodeReader as openCodeReader } from "../../../packages/agents/src/opencode/OpenCodeOutput.ts"
import { html, written } from "../../../packages/page/src/Html.ts"
import { makePiReader as piReader } from "../../../packages/agents/src/pi/PiOutput.ts"
import { parseStatus } from "../../../packages/plan/src/git/Git.ts"
import { settingsTree } from "../../../packages/agents/src/kit/settings/SettingsText.ts"
import type { Seed } from "../../simulation/Seed.ts"
import { border, holds, type Place } from "../Border.ts"
import { homeIn } from "../CommandLine.ts"
import { valueOf } from "../Settle.ts"

/** A text that can have any length: its unit is repeated between a beginning and an end. */
interface Shape {
  readonly head: string
  readonly unit: string
  readonly tail: string
}

/** Pieces on which a reader may look back or ahead: of terminals, Markdown, JSON, YAML, paths, and of our own files. */
const pieces = [
  [
    "\u001B",
    "\u001B[",
    "\u009B",
    "\u001B]",
    "\u0090",
    "\u001B\\",
    "\u0007",
    "1;",
    "38;5;",
    "8;",
    "m",
    "?",
    "\r",
    "\r\n",
    "\n"
  ],
  [
    "{",
    "}",
    "[",
    "]",
    '"',
    "\\",
    ":",
    ",",
    "'",
    "`",
    "~~~\n",
    "```\n",
    "#",
    "# ",
    "//",
    "/*",
    "<",
    "<!--",
    "&",
    "*",
    "-",
    "- ",
    "|"
  ],
  [
    " ",
    "\t",
    "\u2028",
    "\u00A0",
    "\0",
    "\uD800",
    "é",
    "🙂",
    "中",
    "a",
    ".",
    "_",
    "=",
    "/",
    "../",
    "0",
    "1 ",
    "a: ",
    "A_",
    "command:"
  ],
  [
    "## User\n",
    "/compact",
    "\nCompacted ",
    "APPROVED x\n",
    "issues:\n- ",
    "summary: ",
    "KEY=",
    "# t1: x\n",
    "1 . N... 1 2 3 "
  ],
  ["---\n", "gitdir: ", "'\\''", "> ", "{}\n", '{"a":', "resume_prompt", "session_id", ",1"]
].flat()
const anything = (seed: Seed) => seed.pick(pieces)

const textOf = ({ head, tail, unit }: Shape, length: number) =>
  head + unit.repeat(Math.ceil(length / unit.length)) + tail

/** Gives a text to a reader in pieces, as a pipe does. */
const inPieces = (push: (piece: string) => unknown, text: string, size: number) => {
  for (let at = 0; at < text.length; at += size) push(text.slice(at, at + size))
}

/** Gives a text to a reader of files. */
const asFile =
  (name: string, read: (file: string, folder: string) => Promise<unknown>) => (text: string, place: Place) => {
    const home = homeIn(place.folder)
    return read(home.write(name, text), home.project)
  }

/** Gives a text to a reader of an agent's records: as a line, and as the words in a record. */
const records = (make: () => (line: string) => unknown, recordOf: (text: string) => unknown) => (text: string) => {
  const read = make()
  for (const line of [text, JSON.stringify(recordOf(text)), JSON.stringify(recordOf(""))]) read(line)
}

const readers: Readonly<Record<string, (text: string, place: Place) => unknown>> = {
  "plain words": (text) => plain(text),
  "words without sequences": bare,
  "words for a terminal": (text) => makeTerminalText(true)(text),
  "an output on a terminal": (text) => {
    const { end, push } = makeTerminalOutput(makeStreamJsonReader(), true)
    inPieces(push, text, 65_536)
    end()
  },
  "an output on a terminal, piece by piece": (text) => {
    const { end, push } = makeTerminalOutput(makeStreamJsonReader(), true)
    inPieces(push, text, 64)
    end()
  },
  "a record on a terminal, piece by piece": (text) => {
    const { end, push } = makePipeOutput(makeStreamJsonReader())
    inPieces(push, `{${text.replaceAll("\n", "")}`, 64)
    end()
  },
  "last words": (text) => lastLines(text),
  "Claude Code's records": records(makeStreamJsonReader, (text) => ({
    type: "assistant",
    session_id: "s",
    message: {
      content: [
        { type: "text", text },
        { type: "tool_use", name: text, input: { command: text } }
      ]
    }
  })),
  "Codex's records": records(codexReader, (text) => ({ type: "error", message: text })),
  "Copilot's records": records(copilotReader, (text) => ({ type: "assistant.message", data: { content: text } })),
  "Gemini's records": records(geminiReader, (content) => ({
    type: "message",
    role: "assistant",
    timestamp: "x",
    content
  })),
  "OpenCode's records": records(openCodeReader, (text) => ({
    type: "text",
    sessionID: "s",
    timestamp: 1,
    part: { text }
  })),
  "pi's records": records(piReader, (toolName) => ({ type: "tool_execution_start", toolName, args: {} })),
  "a turn of an export": (text) => {
    const turns = makeTurns({ boundary: "b", mark: "m" })
    turns.said("User", text)
    turns.toolCall(text, { text }, "c")
    turns.toolResult(text, false, "c")
  },
  "an export": asFile("export.md", async (file) => {
    await valueOf(estimate(file))
    await valueOf(trim(file, 2000))
  }),
  "a verdict": (text) => [readVerdict("reviewer", text), readVerdict("implementer", text)],
  "a plan in YAML": asFile("opera/plan.yaml", (file, project) => valueOf(loadPlan(file, project))),
  "a plan in Markdown": asFile("opera/plan.md", (file, project) => valueOf(loadPlan(file, project))),
  "a state file": (text) => readState(text),
  "a payload": parsePayload,
  "a hook's input": hookCall,
  "a config file": parseConfigFile,
  "channels of notices": parseNotify,
  "settings of an agent": settingsTree,
  "the folders that Copilot trusts": asFile("copilot/config.json", (file) =>
    valueOf(trustsFolders(file.slice(0, file.lastIndexOf("/"))))
  ),
  "a permission rule": (text) => isAbout(`Bash(${text})`, "git commit -m text"),
  "a permission rule with stars": (text) => isAbout(`Bash(${"*t".repeat(text.length / 2)}!)`, "git commit -m text"),
  "the status of git": parseStatus,
  "processes of ps": (text) => [parseLine(text), wholeLockersIn(text)],
  "a text in columns": (text) => [wrappedText(text, 80), table([[text, text]], { columns: 80, wraps: true })],
  "a page": (text) => written(html`<p title="${text}">${text}</p>`),
  "numbers for Prometheus": (text) =>
    prometheusText([{ name: "a", help: "b", type: "gauge", samples: [{ labels: { text }, value: 1 }] }])
}

/** UTF-16 units of the shortest and the longest text that is measured. */
const [shortest, longest] = [4096, 1 << 19]
/** Processor ms. Less time is not measured: it holds nothing up, and a busy machine disturbs it. */
const worth = 25
/** Most work for twice the bytes. */
const most = 2.5

const cpu = async (run: () => unknown): Promise<number> => {
  const before = process.cpuUsage()
  await run()
  const { system, user } = process.cpuUsage(before)
  return (system + user) / 1000
}

/** Measures how the work grows from half of a length to all of it, by the best of some tries. */
const growthTo = async (read: (text: string) => unknown, shape: Shape, length: number): Promise<number> => {
  const [half, whole] = [textOf(shape, length / 2), textOf(shape, length)]
  let [least, all] = [Infinity, await cpu(() => read(whole))]
  for (let left = 6; all >= worth && left > 0 && !(all < most * least); left--) {
    least = Math.min(least, await cpu(() => read(half)))
    all = Math.min(all, await cpu(() => read(whole)))
  }
  return all < worth ? 0 : all / least
}

/** Checks the growth where it is worth it. A collection of garbage may disturb a length, but not three in a row. */
const growsWell = async (read: (text: string) => unknown, shape: Shape): Promise<boolean> => {
  let bad = 0
  for (let length = shortest; length <= longest && bad < 3; length *= 2) {
    const times = await growthTo(read, shape, length)
    if (times > most) bad += 1
    else if (times > 0) return true
  }
  return bad < 3
}

/** Checks that the work of each reader of others' words grows as their length does, whatever the words are. */
export const growths = border("growth", {
  share: 1,
  within: 10_000,
  draw: (seed): Shape => ({
    head: seed.chance(0.5) ? "" : anything(seed) + (seed.chance(0.3) ? anything(seed) : ""),
    unit: anything(seed) + (seed.chance(0.4) ? anything(seed) : ""),
    tail: seed.chance(0.3) ? "" : anything(seed)
  }),
  checks: Object.fromEntries(
    Object.entries(readers).map(([name, read]) => [
      name,
      async (shape: Shape, place: Place) => {
        const well = await growsWell((text) => read(text, place), shape)
        holds(well, "twice the bytes take more than two and a half times the work", shape)
      }
    ])
  )
})
