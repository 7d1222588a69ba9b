import { identifiedBy, type Json, readLiteral, saidPackage, saidResult, type Saying, textOf } from "@souffleur/agents"
import { Duration, Effect, Option } from "effect"
import { fileURLToPath } from "node:url"

/** The file of the agent's program, which Node runs. */
const program = fileURLToPath(new URL("Tinker.ts", import.meta.url))
const isTinker = (word = "") => word === "tinker"
const none = new Set<string>()
const flags = { kept: { one: none, none }, lifting: none, means: new Map(), ours: none, inline: false }

/** Says what a record of a session means. */
const sayings = (record: Json): ReadonlyArray<Saying> => {
  const text = textOf(record["text"])
  const call = { id: `${record["time"]}`, name: "tool", input: {}, spawns: false, edits: [] }
  switch (record["kind"]) {
    case "prompt":
      return [{ _tag: "Prompt", text }]
    case "did":
      return [{ _tag: "Call", ...call }, ...saidResult({ id: call.id, text, failed: false }, true)]
    case "answer":
      return [
        { _tag: "Answer", text },
        { _tag: "Used", tokens: 10 }
      ]
    case "end":
      return [{ _tag: "Ended" }]
    default:
      return []
  }
}

/** The tinker as a kind of agent. `tinker PROMPT` is its command. */
export const tinker = saidPackage({
  title: "Tinker",
  program: "tinker",
  is: isTinker,
  folder: { variables: ["TINKER_DIR"], inHome: ".tinker" },
  sessions: "sessions",
  stall: Duration.seconds(30),
  marks: new Set(["TINKER_SESSION"]),
  identity: identifiedBy("TINKER_SESSION"),
  refusedAsRoot: [],
  recordsDollars: false,
  commitSetting: "the tinker always commits",
  typed: [],
  goOn: (sessionId) => `tinker ${sessionId}`,
  addTools: () => "the tinker takes no tools",
  flags,
  takeApart: (words) => readLiteral(flags, words, () => undefined),
  ofLaunch: ({ args }) => (args[0] === program ? Option.some({ program: "tinker", args: [] }) : Option.none()),
  dialect: ({ agentDir, environment }) => ({
    depth: 0,
    sessionPath: /\/([\w-]+)\.jsonl$/u,
    sayings,
    idles: true,
    runs: (words) => words.includes(program),
    variable: "TINKER_SESSION",
    command: ({ prompt, session: { sessionId } }) =>
      Effect.succeed({
        program: process.execPath,
        args: [program, agentDir, sessionId],
        input: prompt,
        environment: { PATH: environment["PATH"] ?? "", TINKER_SESSION: sessionId }
      })
  })
})
