import { assert, describe, it } from "@effect/vitest"
import type { AgentSession, Held, ProcessInfo } from "@souffleur/domain"
import { Effect } from "effect"
import { liveSessions, sessionTitle } from "../src/watching/LiveSessions.ts"
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

describe("behaviour#who-holds-a-session", () => {
  it.effect("the live sessions are those of the pid files where there are no hooks", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* live([pidFile(10, "a")], []), [[10, "a", "/p"]])
    })
  )

  it.effect("a hook outranks a pid file on the session of a process, and adds a process without a pid file", () =>
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
  it.effect(
    "the live sessions leave out hooks of a process that is gone, a zombie, another user's, or another under its pid",
    () =>
      Effect.gen(function* () {
        const told = [held(10, "a"), held(20, "b"), held(30, "c"), held(40, "d", 1)]
        const running = [process(20, { condition: "zombie" }), process(30, { uid: 0 }), process(40)]
        assert.deepStrictEqual(yield* live([], told, ...running), [])
      })
  )
})

describe("behaviour#plain-words", () => {
  it("the choices have no control characters, and are short enough to be read", () => {
    const evil = `\u001B[2J\u009B\u202E\n${"x".repeat(5000)}`
    const title = sessionTitle({ pid: 7, sessionId: evil, project: evil, status: evil })
    assert.notMatch(title, /[\p{Cc}\u202E]/u)
    assert.include(title, "\\u001b[2J")
    assert.isBelow(title.length, 500)
  })
})
