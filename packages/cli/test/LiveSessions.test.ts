import { assert, it } from "@effect/vitest"
import type { AgentSession, Held, ProcessInfo } from "@souffleur/domain"
import { Effect } from "effect"
import { liveSessions, titleOf } from "../src/watching/LiveSessions.ts"
import { host, pidFile, process } from "./Host.ts"

const held = (pid: number, sessionId: string, startTime = pid * 100): Held => ({
  sessionId,
  pid,
  startTime,
  since: 1,
  until: 2,
  source: null,
  ended: null
})
const live = (files: ReadonlyArray<AgentSession>, told: ReadonlyArray<Held>, ...running: ReadonlyArray<ProcessInfo>) =>
  Effect.provide(
    Effect.map(liveSessions(), (sessions) => sessions.map(({ pid, project, sessionId }) => [pid, sessionId, project])),
    host({ running, files, hooks: { held: Effect.succeed(told) } })
  )

it.effect("without hooks, what the pid files say", () =>
  Effect.gen(function* () {
    assert.deepStrictEqual(yield* live([pidFile(10, "a")], []), [[10, "a", "/p"]])
  })
)

it.effect("a hook knows better which session a process holds, and of one that has no pid file", () =>
  Effect.gen(function* () {
    const sessions = yield* live(
      [pidFile(10, "old"), pidFile(20, "b")],
      [held(10, "new"), held(30, "c")],
      process(10),
      process(20),
      process(30)
    )
    assert.deepStrictEqual(sessions, [
      [10, "new", "/p"],
      [20, "b", "/p"],
      [30, "c", ""]
    ])
  })
)

it.effect("believes no hook of a process that is gone, a zombie, somebody else's, or another one under its pid", () =>
  Effect.gen(function* () {
    const told = [held(10, "a"), held(20, "b"), held(30, "c"), held(40, "d", 1)]
    const running = [process(20, { condition: "zombie" }), process(30, { uid: 0 }), process(40)]
    assert.deepStrictEqual(yield* live([], told, ...running), [])
  })
)

it("what is chosen from is plain, and short enough to be read", () => {
  const evil = `\u001B[2J\u009B\u202E\n${"x".repeat(5000)}`
  const title = titleOf({ pid: 7, sessionId: evil, project: evil, status: evil })
  assert.notMatch(title, /[\p{Cc}\u202E]/u)
  assert.include(title, "\\u001b[2J")
  assert.isBelow(title.length, 500)
})
