import { assert, describe, it } from "@effect/vitest"
import { Effect, FileSystem, Option } from "effect"
import { heldSession, runningSessions } from "../../src/claude/session/RunningSessions.ts"
import { aProcess, claudeFolder, running, services } from "./support/ClaudeFolder.ts"

const pidFile = (pid: number, more: Readonly<Record<string, unknown>> = {}) =>
  JSON.stringify({
    pid,
    sessionId: `session-${pid}`,
    cwd: "/p",
    procStart: "77",
    version: "2.1.329",
    status: "busy",
    kind: "interactive",
    ...more
  })
it.layer(services)((it) => {
  describe("behaviour#numbers-of-others", () => {
    it.effect("a pid file is skipped if its numbers are impossible for a process, or its texts are too long", () =>
      Effect.gen(function* () {
        const fields = { sessionId: 129, cwd: 4097, procStart: 33 }
        const long = Object.entries(fields).map(([name, length], n) => [
          `sessions/1${n}.json`,
          pidFile(10 + n, { [name]: "7".repeat(length) })
        ])
        const numbers = [0, -10, 1.5, 1e300, 4_194_305].map((pid, n) => [
          `sessions/2${n}.json`,
          pidFile(20 + n, { pid })
        ])
        const odd = [-77, 77.5, 1e300].map((procStart, n) => [`sessions/3${n}.json`, pidFile(30 + n, { procStart })])
        const telling = pidFile(9, { status: "s".repeat(201), waitingFor: "w".repeat(201) })
        const folder = yield* claudeFolder({
          ...Object.fromEntries([...long, ...numbers, ...odd]),
          "sessions/9.json": telling
        })
        const processes = [9, 10, 11, 0, -10, 1.5, 1e300, 4_194_305].map((pid) => aProcess(pid, 77))
        const strange = [-77, 77.5, 1e300].map((startTime, n) => aProcess(30 + n, startTime))
        const longStart = aProcess(12, "7".repeat(21) as unknown as number)
        const sessions = yield* runningSessions(folder).pipe(
          Effect.provide(running(...processes, ...strange, longStart))
        )
        assert.deepStrictEqual(
          sessions.map(({ pid, status, waitingFor }) => [pid, status.length, waitingFor?.length]),
          [[9, 200, 200]]
        )
      })
    )
  })

  describe("claude-code#pid-file", () => {
    it.effect("a pid file counts only if the process confirms it", () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const folder = yield* claudeFolder({
          "sessions/10.json": pidFile(10),
          "sessions/11.json": pidFile(11, { procStart: 77, status: undefined }),
          "sessions/12.json": pidFile(12, { status: "waiting", waitingFor: "permission prompt" }),
          "sessions/20.json": pidFile(20),
          "sessions/21.json": pidFile(21),
          "sessions/22.json": pidFile(22),
          "sessions/23.json": pidFile(23),
          "sessions/13.json": pidFile(13, { procStart: "Thu Jan  1 00:01:17 1970" }),
          "sessions/24.json": pidFile(24, { procStart: undefined }),
          "sessions/41.json": pidFile(41, { procStart: "Thu Jan  1 00:01:18 1970" }),
          "sessions/42.json": pidFile(42, { procStart: "yesterday" }),
          "sessions/25.json": "{",
          "sessions/26.json": "[]",
          "sessions/27.json": pidFile(27, { sessionId: "" }),
          "sessions/28.json": pidFile(28, { padding: "x".repeat(70_000) }),
          "sessions/29.0123.key": "secret",
          "sessions/30.json/x": ""
        })
        yield* fs.symlink("/nowhere", `${folder}/sessions/31.json`)
        const writtenAt = 1_700_000_000_000
        for (const pid of [10, 11, 12, 13])
          yield* fs.utimes(`${folder}/sessions/${pid}.json`, writtenAt / 1000, writtenAt / 1000)
        const sessions = yield* runningSessions(folder).pipe(
          Effect.provide(
            running(
              ...[10, 11, 13, 41, 42, 24, 25, 26, 27, 28, 29].map((pid) => aProcess(pid, 77)),
              aProcess(12, 77, { condition: "stopped" }),
              // Reused, a zombie, another user's; 23 is gone.
              aProcess(20, 78),
              aProcess(21, 77, { condition: "zombie" }),
              aProcess(22, 77, { uid: 0 })
            )
          )
        )
        assert.deepStrictEqual(
          sessions.toSorted((a, b) => a.pid - b.pid),
          [
            { pid: 10, sessionId: "session-10", project: "/p", status: "busy", waitingFor: undefined, writtenAt },
            { pid: 11, sessionId: "session-11", project: "/p", status: "unknown", waitingFor: undefined, writtenAt },
            {
              pid: 12,
              sessionId: "session-12",
              project: "/p",
              status: "waiting",
              waitingFor: "permission prompt",
              writtenAt
            },
            { pid: 13, sessionId: "session-13", project: "/p", status: "busy", waitingFor: undefined, writtenAt }
          ]
        )
      })
    )

    it.effect("the file that a killed process left names its session, and no other process's", () =>
      Effect.gen(function* () {
        const folder = yield* claudeFolder({ "sessions/10.json": pidFile(10), "sessions/11.json": pidFile(12) })
        const held = (pid: number, startTime: number) => heldSession(folder, { pid, startTime })
        assert.deepStrictEqual(yield* held(10, 77), Option.some("session-10"))
        for (const [pid, start] of [
          [10, 78],
          [11, 77],
          [13, 77]
        ] as const)
          assert.deepStrictEqual(yield* held(pid, start), Option.none())
      })
    )

    it.effect("a missing folder has no sessions", () =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* runningSessions("/nowhere").pipe(Effect.provide(running())), [])
      })
    )
  })
})
