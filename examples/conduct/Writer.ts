import { execFileSync } from "node:child_process"
import { appendFileSync, mkdirSync, writeFileSync } from "node:fs"
import { text } from "node:stream/consumers"
import { parseArgs } from "node:util"

// The agent of this example. It writes and reviews as its prompt says, without a model.
const { values } = parseArgs({
  strict: false,
  options: { "session-id": { type: "string" }, resume: { type: "string" } }
})
const session = String(values["session-id"] ?? values.resume)
const prompt = await text(process.stdin)
const task = /^\*\*Task ID:\*\* (\w+)$/mu.exec(prompt)?.[1] ?? ""
const git = (...args: ReadonlyArray<string>) =>
  execFileSync("git", ["-c", "user.name=Writer", "-c", "user.email=writer@localhost", ...args], { encoding: "utf8" })

/** Prints an answer. The word behind its first word is in the prompt alone. */
const say = (header: string, lines: string) => {
  const word = new RegExp(`^${header} (\\w+)$`, "mu").exec(prompt)?.[1]
  console.log(`${header} ${word}\n${lines}`)
}

/** Keeps in the session that the commit was looked at. An approval counts only then. */
const look = () => {
  const folder = `${process.env["CLAUDE_CONFIG_DIR"]}/projects/${process.cwd().replaceAll(/[^A-Za-z0-9]/gu, "-")}`
  const content = [{ type: "tool_result", tool_use_id: "look", content: git("show", "--stat", "HEAD") }]
  mkdirSync(folder, { recursive: true })
  appendFileSync(
    `${folder}/${session}.jsonl`,
    `${JSON.stringify({ type: "user", sessionId: session, message: { role: "user", content } })}\n`
  )
}

if (prompt.startsWith("## Code Review Task")) {
  look()
  say("APPROVED", "summary: it is there")
} else if (task === "title" && !prompt.includes("Guidance of the user")) {
  say("IMPLEMENTATION_BLOCKED", "reason: the publisher decides on the title")
} else {
  writeFileSync(`${task}.txt`, "Once upon a time\n")
  git("add", `${task}.txt`)
  git("commit", "-q", "-m", `Write the ${task}`)
  say("IMPLEMENTATION_COMPLETE", `commits: [HEAD]\nfiles_changed: [${task}.txt]\ntest_file: none`)
}
