import { assert, describe, it } from "@effect/vitest"
import { Errands } from "@souffleur/domain"
import { Clock, Effect, Fiber, Schedule } from "effect"
import { spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { jumpingClock } from "../../domain/test/JumpingClock.ts"
import * as ErrandProcess from "../src/own/ErrandProcess.ts"
import { builtProgram } from "./fixtures/BuiltProgram.ts"

/** Says back what it is asked, with its own pid; hangs, or ends, where it is told to. */
const echo = await builtProgram(fileURLToPath(new URL("fixtures/errands.ts", import.meta.url)))
const line = [process.execPath, "--no-warnings", echo] as const

const alive = (pid: number) => {
  try {
    return !/^\d+ \(.*\) [ZX]/su.test(readFileSync(`/proc/${pid}/stat`, "utf8"))
  } catch {
    return false
  }
}
const gone = (pid: number) =>
  Effect.repeat(
    Effect.sync(() => !alive(pid)),
    { until: (yes) => yes, schedule: Schedule.spaced("10 millis") }
  )
const asked = (about: string, what: string) => Errands.use((errands) => errands.ask(about, what))
const pidIn = (answer: string) => Number(/^(\d+) /u.exec(answer)?.[1])

describe("behaviour#use-of-comms", () => {
  describe.concurrent("errands", () => {
    const live = (what: string, test: () => Effect.Effect<void, unknown>) => it.live(what, test)

    live("run in one process, one at a time, which ends with its parent", () =>
      Effect.gen(function* () {
        const pid = yield* Effect.gen(function* () {
          const answers = yield* Effect.forEach(["one", "two", "three"], (word) => asked("a", word), { concurrency: 3 })
          const pid = pidIn(answers[0]!)
          assert.deepStrictEqual(answers, [`${pid} one`, `${pid} two`, `${pid} three`])
          return pid
        }).pipe(Effect.provide(ErrandProcess.layer({ line: () => line })))
        yield* gone(pid)
      })
    )

    live("end by a kill when they take too long, and only their subject is spared for a while", () =>
      Effect.gen(function* () {
        const before = pidIn(yield* asked("a", "one"))
        const error = yield* Effect.flip(asked("a", "hang"))
        assert.strictEqual(error.reason, "silent")
        assert.match(error.message, /did not answer within 3s/)
        yield* gone(before)
        assert.strictEqual((yield* Effect.flip(asked("a", "one"))).reason, "silent")
        const next = pidIn(yield* asked("b", "one"))
        assert.notStrictEqual(next, before)
        assert.strictEqual(pidIn(yield* asked("b", "two")), next)
      }).pipe(Effect.provide(ErrandProcess.layer({ line: () => line, errandTimeout: "3 seconds", pause: "1 hour" })))
    )

    live("spare their subject for no longer where the clock is set back meanwhile", () =>
      Effect.gen(function* () {
        const wall = { ahead: 0 }
        const clock = yield* jumpingClock(() => wall.ahead)
        yield* Effect.gen(function* () {
          yield* Effect.flip(asked("a", "hang"))
          wall.ahead = -3_600_000
          yield* Effect.retry(asked("a", "one"), { schedule: Schedule.spaced("20 millis") })
        }).pipe(Effect.provideService(Clock.Clock, clock))
      }).pipe(Effect.provide(ErrandProcess.layer({ line: () => line, errandTimeout: "1 second", pause: "1 second" })))
    )

    live("get a new process if theirs has ended, and fail without the program", () =>
      Effect.gen(function* () {
        const before = pidIn(yield* asked("a", "one"))
        assert.strictEqual((yield* Effect.flip(asked("a", "end"))).reason, "ended")
        assert.notStrictEqual(pidIn(yield* asked("a", "one")), before)
      }).pipe(
        Effect.provide(ErrandProcess.layer({ line: () => line })),
        Effect.andThen(
          Effect.flip(Effect.provide(asked("a", "one"), ErrandProcess.layer({ line: () => ["/no/such/program"] })))
        ),
        Effect.map((error) => assert.strictEqual(error.reason, "ended"))
      )
    )

    live("end when their caller stops waiting, and so does an idle process", () =>
      Effect.gen(function* () {
        const before = pidIn(yield* asked("a", "one"))
        const hanging = yield* Effect.forkChild(asked("a", "hang"))
        yield* Effect.sleep("50 millis")
        yield* Fiber.interrupt(hanging)
        yield* gone(before)
        const next = pidIn(yield* asked("a", "two"))
        yield* gone(next)
        assert.notStrictEqual(pidIn(yield* asked("a", "three")), next)
      }).pipe(Effect.provide(ErrandProcess.layer({ line: () => line, errandTimeout: "1 hour", idle: "200 millis" })))
    )

    live("end by themselves in a call that does not return, if their parent is gone", () =>
      Effect.gen(function* () {
        const child = spawn(line[0], line.slice(1), { stdio: ["pipe", "pipe", "inherit"] })
        const ended = new Promise<string | null>((resolve) => child.on("exit", (_, signal) => resolve(signal)))
        child.stdin.end("hang\n")
        assert.strictEqual(yield* Effect.promise(() => ended), "SIGKILL")
      })
    )
  })
})
