import { appendFileSync, mkdirSync, readFileSync } from "node:fs"
import { setTimeout as sleep } from "node:timers/promises"

// A tiny agent, `ScribeProgram.ts FOLDER SESSION PROMPT [EXPORT]`. It writes a story of five parts into its session.
// A session that begins with an export goes on where that one ends. Without one it gets stuck after two parts.
const [folder = "", session = "", prompt = "", exported] = process.argv.slice(2)
const file = `${folder}/sessions/${session}.jsonl`
const say = (kind: "prompt" | "part" | "end", text: string) =>
  appendFileSync(file, `${JSON.stringify({ at: new Date().getTime(), kind, text })}\n`)

mkdirSync(`${folder}/sessions`, { recursive: true })
say("prompt", prompt)
const before = exported === undefined ? [] : readFileSync(exported, "utf8").match(/^Part \d$/gmu)
for (let part = (before?.length ?? 0) + 1; part <= 5; part++) {
  await sleep(exported === undefined && part === 3 ? 3_600_000 : 200)
  say("part", `Part ${part}`)
}
say("end", "The story is complete.")
