import type { RunEvent } from "@souffleur/plan"
import { runProgram } from "@souffleur/process"
import { Effect, FileSystem, Path } from "effect"
import { agentKind } from "../../packages/cli/src/agent/Kind.ts"
import { began, makeStage } from "../../packages/page/test/PageStage.ts"
import { examples } from "../../packages/plan/test/fixtures/events/RunExamples.ts"
import { keepSessions, sessions } from "./RealSessions.ts"

const agents = Object.keys(sessions) as ReadonlyArray<keyof typeof sessions>
/** Returns the id of the task of an agent. */
export const taskOf = (agent: string) => `task-${agent}`

/** A page with a run, each task of which was done by another agent. The last one is at work. */
export const furnishedRun = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const { home, project, serve, tellRun } = yield* makeStage({ agent: agentKind })
  yield* keepSessions(home)
  const git = (...args: ReadonlyArray<string>) =>
    runProgram({
      command: "git",
      args: ["-C", project, "-c", "user.name=A", "-c", "user.email=a@localhost", ...args],
      environment: { PATH: "/usr/bin:/bin", HOME: home },
      stdin: "",
      within: "30 seconds",
      atMost: 100_000
    })
  const commit = Effect.fnUntraced(function* (name: string, text: string) {
    yield* fs.writeFileString(path.join(project, name), text)
    yield* git("add", "-A")
    yield* git("commit", "-q", "-m", name)
    return (yield* git("rev-parse", "HEAD")).trim()
  })
  yield* git("init", "-q", "-b", "main")
  let base = yield* commit("plan.yaml", "tasks\n")
  let minute = 0
  const told: Array<RunEvent> = []
  const say = (event: RunEvent) => void told.push({ ...event, at: began + minute++ * 60_000 })
  say({
    ...examples.RunOpened,
    project,
    tasks: [...agents, "later"].map((agent) => ({
      id: taskOf(agent),
      title: `Let ${agent} write its part of the model, and its test`,
      dependsOn: [],
      gateDigest: "9f"
    }))
  })
  say({ ...examples.PlanQuestioned, questions: ["task-claude: how fast is fast?"] })
  for (const agent of agents) {
    const taskId = taskOf(agent)
    const token = `t-${agent}`
    say({ ...examples.TaskStarted, taskId, base })
    say({ ...examples.AgentAsked, token, taskId, agent, sessionId: "" })
    say({ ...examples.AgentSessionFound, token, sessionId: sessions[agent].id })
    if (agent === agents.at(-1)) break
    const head = yield* commit(`${agent}.ts`, `export const by = "${agent}"\n`)
    const work = { commits: [head], files: [`${agent}.ts`], testFile: null }
    say({ ...examples.AgentSpent, token, taskId })
    say({ ...examples.ImplementationCompleted, token, taskId, head, made: [head], ...work })
    const review = { ...examples.AgentAsked, token: `r-${agent}`, role: "reviewer" as const, taskId, agent: "claude" }
    say({ ...review, sessionId: sessions.claude.id })
    if (agent === "claude") {
      const said = `FAIL test/a.test.ts\n${"  at line of a stack that is rather long, to see how it wraps\n".repeat(20)}1 failed`
      say({ ...examples.ReviewRejected, token: `r-${agent}`, taskId })
      say({ ...examples.WorkRefused, taskId, head, said })
      say({ ...examples.AgentAsked, token: `u-${agent}`, taskId, agent, attempt: 2, sessionId: sessions.claude.id })
      say({ ...examples.ImplementationCompleted, token: `u-${agent}`, taskId, head, made: [], ...work })
      say({ ...examples.WorkVerified, taskId, head })
      say({ ...review, token: `v-${agent}`, attempt: 2, sessionId: sessions.claude.id })
      say({ ...examples.ReviewApproved, token: `v-${agent}`, taskId })
    } else say({ ...examples.ReviewApproved, token: `r-${agent}`, taskId, minor: [] })
    if (agent === "codex") say({ ...examples.TaskEscalated, taskId, message: "<b>which model?</b>" })
    else say({ ...examples.TaskCompleted, taskId, ...work })
    base = head
  }
  yield* tellRun("auth-0001", told)
  const more = (text: string) => fs.writeFileString(path.join(home, sessions.qwen.file), text, { flag: "a" })
  const tellMore = (events: ReadonlyArray<RunEvent>) => tellRun("auth-0001", events, told.length)
  return { link: yield* serve, more, tellMore }
})
