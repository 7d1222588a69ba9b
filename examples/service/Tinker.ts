import { execFileSync } from "node:child_process"
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { text } from "node:stream/consumers"
import { setTimeout as sleep } from "node:timers/promises"

// A tiny agent without a model, `Tinker.ts FOLDER SESSION`, with its prompt on standard input. It counts as far as it is
// told, and does its part in a plan. Where it is told to stumble, it is killed at two, and its successor goes on.
const [folder = "", session = ""] = process.argv.slice(2)
const prompt = await text(process.stdin)
mkdirSync(`${folder}/sessions`, { recursive: true })
const record = (kind: string, more: object = {}) =>
  appendFileSync(
    `${folder}/sessions/${session}.jsonl`,
    `${JSON.stringify({ kind, time: new Date().getTime(), ...more })}\n`
  )

/** Does something by a tool, and records that. */
let calls = 0
const act = (tool: string, input: object, does: () => string) => {
  const id = `call-${++calls}`
  record("call", { id, tool, input })
  record("result", { id, text: does() })
}
/** Ends its turn with its last words. */
const end = (words: string) => {
  record("answer", { text: words })
  record("end")
  console.log(words)
}
const git = (...args: ReadonlyArray<string>) =>
  execFileSync("git", ["-c", "user.name=Tinker", "-c", "user.email=tinker@localhost", ...args], { encoding: "utf8" })
/** Answers a plan. The word behind the header is in the prompt alone. */
const report = (header: string, lines: string) =>
  end(`${header} ${new RegExp(`^${header} (\\w+)$`, "mu").exec(prompt)?.[1]}\n${lines}`)

record("begin", { folder: process.cwd() })
record("prompt", { text: prompt })
if (prompt.startsWith("## Code Review Task")) {
  act("look", {}, () => git("show", "--stat", "HEAD"))
  report("APPROVED", "summary: it is there")
} else if (prompt.startsWith("## Implementation Task")) {
  const file = `${/^\*\*Task ID:\*\* (\w+)$/mu.exec(prompt)?.[1]}.txt`
  act("write", { file }, () => {
    writeFileSync(file, "Once upon a time\n")
    git("add", file)
    return git("commit", "-q", "-m", `Write ${file}`)
  })
  report("IMPLEMENTATION_COMPLETE", `commits: [HEAD]\nfiles_changed: [${file}]\ntest_file: none`)
} else {
  const file = "progress.txt"
  const begins = !existsSync(file)
  const [counted = 0, goal = 0] = (begins ? `0 of ${/\d+/u.exec(prompt)}` : readFileSync(file, "utf8"))
    .split(" of ")
    .map(Number)
  for (let next = counted + 1; next <= goal; next++) {
    if (next === 3 && begins && prompt.includes("stumble")) process.kill(process.pid, "SIGKILL")
    act("write", { file }, () => {
      writeFileSync(file, `${next} of ${goal}`)
      return `${next}`
    })
    record("answer", { text: `${next}` })
    await sleep(100)
  }
  end(`I counted to ${goal}.`)
}
