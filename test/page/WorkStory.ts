import { runProgram } from "@souffleur/process"
import { Effect, FileSystem, Path } from "effect"
import { agentKind } from "../../packages/cli/src/agent/Kind.ts"
import { makeStage, night } from "../../packages/page/test/PageStage.ts"
import { keepSessions, sessions } from "./RealSessions.ts"

/** A page with a watch of each agent, whose work tree has changes. */
export const furnishedWatches = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const { home, project, serve, tell } = yield* makeStage({ agent: agentKind })
  yield* keepSessions(home)
  for (const [agent, { id }] of Object.entries(sessions))
    yield* tell(
      `${agent}-0001`,
      night(project).map((event) => ("sessionId" in event ? { ...event, sessionId: id } : event))
    )
  const git = (...args: ReadonlyArray<string>) =>
    runProgram({
      command: "git",
      args: ["-C", project, "-c", "user.name=A", "-c", "user.email=a@localhost", ...args],
      environment: { PATH: "/usr/bin:/bin", HOME: home, GIT_COMMITTER_DATE: "2026-02-27T00:00:00Z" },
      stdin: "",
      within: "30 seconds",
      atMost: 100_000
    })
  const write = (name: string, text: string) => fs.writeFileString(path.join(project, name), text)
  yield* git("init", "-q", "-b", "main")
  yield* write("reminder.ts", "export const remind = (at: number) => at\n\nexport const late = true\n")
  yield* write("old.md", "An old note.\n")
  yield* git("add", "-A")
  yield* git("commit", "-q", "-m", "Begin")
  yield* write(
    "reminder.ts",
    `export const remind = (at: number) => at + 60_000\n\nexport const late = false // ${"x".repeat(300)}\n`
  )
  yield* fs.remove(path.join(project, "old.md"))
  yield* write(
    "a-new-file-with-a-rather-long-name-that-has-to-fit-a-telephone.test.ts",
    "import { remind } from './reminder'\n"
  )
  const more = (text: string) => fs.writeFileString(path.join(home, sessions.claude.file), text, { flag: "a" })
  return { link: yield* serve, more, project, tell }
})

/** An answer of Claude Code with the context that it had, and a tool that it calls. */
export const answered = (n: number, at: number, context: number, call?: Readonly<Record<string, unknown>>): string =>
  `${JSON.stringify({
    type: "assistant",
    timestamp: new Date(at).toISOString(),
    message: {
      id: `m${n}`,
      model: "claude-sonnet-4-5",
      usage: { input_tokens: 1000, cache_read_input_tokens: context - 1000, output_tokens: 500 },
      content: [
        call === undefined ? { type: "text", text: `Answer ${n}.` } : { type: "tool_use", id: `c${n}`, ...call }
      ]
    }
  })}\n`
