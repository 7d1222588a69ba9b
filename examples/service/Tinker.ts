import { execFileSync } from "node:child_process"
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { text } from "node:stream/consumers"
import { setTimeout as sleep } from "node:timers/promises"

// A tiny agent without a model, `Tinker.ts FOLDER SESSION`, with its prompt on standard input. It counts as far as it is
// told, and does its part in a plan. Where it is told to stumble, it is killed after two, and its successor goes on.
const [folder = "", session = ""] = process.argv.slice(2)
const prompt = await text(process.stdin)
const record = (kind: "prompt" | "did" | "answer" | "end", text = "") =>
  appendFileSync(
    `${folder}/sessions/${session}.jsonl`,
    `${JSON.stringify({ kind, text, time: new Date().getTime() })}\n`
  )
const end = (words: string) => {
  record("answer", words)
  record("end")
  console.log(words)
}
const git = (...args: ReadonlyArray<string>) =>
  execFileSync("git", ["-c", "user.name=Tinker", "-c", "user.email=tinker@localhost", ...args], { encoding: "utf8" })
/** Answers a plan. The word behind the header is in the prompt alone. */
const report = (header: string, lines: string) =>
  end(`${header} ${new RegExp(`^${header} (\\w+)$`, "mu").exec(prompt)?.[1]}\n${lines}`)

mkdirSync(`${folder}/sessions`, { recursive: true })
record("prompt", prompt)
if (prompt.startsWith("## Code Review Task")) {
  record("did", git("show", "--stat", "HEAD"))
  report("APPROVED", "summary: it is there")
} else if (prompt.startsWith("## Implementation Task")) {
  const file = `${/^\*\*Task ID:\*\* (\w+)$/mu.exec(prompt)?.[1]}.txt`
  writeFileSync(file, "Once upon a time\n")
  git("add", file)
  record("did", git("commit", "-m", `Write ${file}`))
  report("IMPLEMENTATION_COMPLETE", `commits: [HEAD]\nfiles_changed: [${file}]\ntest_file: none`)
} else {
  const begins = !existsSync("progress.txt")
  const noted = begins ? `0 of ${/\d+/u.exec(prompt)}` : readFileSync("progress.txt", "utf8")
  const [counted = 0, goal = 0] = noted.split(" of ").map(Number)
  for (let next = counted + 1; next <= goal; next++) {
    if (next === 3 && begins && prompt.includes("stumble")) process.kill(process.pid, "SIGKILL")
    writeFileSync("progress.txt", `${next} of ${goal}`)
    record("did", `${next}`)
    record("answer", `${next}`)
    await sleep(100)
  }
  end(`I counted to ${goal}.`)
}
