import { spawn } from "node:child_process"
import { once } from "node:events"
import { assert, describe } from "@effect/vitest"
import { Processes } from "@souffleur/domain"
import { Effect, FileSystem } from "effect"
import { baselineGate, programLines, taskOf } from "../src/index.ts"
import { type Act, approves, complete, planOf } from "./PlanStage.ts"
import { live, liveCase, noting, say, theatre } from "./PlanTheatre.ts"

const checks = (...names: ReadonlyArray<string>) =>
  ({
    setup: [],
    verify: [["sh", "-c", names.map((name) => `test -f ${name} || { echo no ${name}; exit 3; }`).join(";")]]
  }) as const

describe.concurrent("behaviour#gate", () => {
  live("a forgotten file is caught in a clean checkout, and the same session mends it before any review", () =>
    Effect.gen(function* () {
      const prompts: Array<string> = []
      const play = yield* theatre(
        ({ commits, git, write }) => {
          const forgets: Act = (assignment) => Effect.andThen(write("needed.txt", "1"), commitsBut(assignment))
          const commitsBut: Act = () =>
            Effect.gen(function* () {
              yield* write("work.txt", "1")
              yield* git("add", "work.txt")
              yield* git("commit", "-q", "-m", "work")
              return complete
            })
          return { implementer: [forgets, noting(prompts, commits)], reviewer: [noting(prompts, say(approves))] }
        },
        { gate: checks("base.txt", "needed.txt"), tasks: ["t1"] }
      )
      // The base lacks it too.
      assert.deepInclude((yield* play.conducts).paused, { reason: "red" })
      assert.deepStrictEqual(play.asked, [], "no agent begins from there")
      yield* play.dispatch({ _tag: "AllowRed" })
      const run = yield* play.conducts
      assert.deepStrictEqual(
        play.asked.map(({ resumed, role }) => [role, resumed]),
        [
          ["implementer", false],
          ["implementer", true],
          ["reviewer", false]
        ]
      )
      assert.strictEqual(play.asked[0]?.session, play.asked[1]?.session)
      assert.match(
        prompts[0]!,
        /the commit is refused by `sh -c .*`, which ended with 3\. The end .*:\n\n~~~\nno needed\.txt\n~~~\n\nGo on from/su
      )
      assert.match(prompts[1]!, /\*\*Gate:\*\* in a clean checkout of the last commit these ended with 0: `sh -c/u)
      assert.deepInclude(taskOf(run, "t1"), { status: "completed", attempts: 1, verified: true })
      assert.includeMembers(yield* play.tags, ["BaselineRefused", "RedAllowed", "WorkRefused", "WorkVerified"])
      const verified = (yield* play.events).find(({ _tag }) => _tag === "WorkVerified")
      assert.match(JSON.stringify(verified), /"programs":\["sh -c/u)
      const fs = yield* FileSystem.FileSystem
      assert.strictEqual((yield* play.git("worktree", "list")).trim().split("\n").length, 2)
      yield* play.judging.clear("r")
      assert.strictEqual((yield* play.git("worktree", "list")).trim().split("\n").length, 1)
      assert.deepStrictEqual(yield* fs.readDirectory(`${play.stateDir}/gates`), [])
    })
  )
  live("the third refusal is a person's; an answer begins the count again", () =>
    Effect.gen(function* () {
      const play = yield* theatre(({ commits }) => ({ implementer: [commits], reviewer: [say(approves)] }), {
        gate: checks("work-1.txt", "work-5.txt")
      })
      yield* play.dispatch({ _tag: "AllowRed" })
      const run = yield* play.conducts
      assert.deepInclude(taskOf(run, "t1")?.escalation, { reason: "gate" })
      assert.strictEqual(play.asked.length, 3)
      yield* play.dispatch({ _tag: "Answer", taskId: "t1", answer: "retry", text: "" })
      assert.deepInclude(taskOf(yield* play.conducts, "t1"), { status: "completed", verified: true })
      assert.strictEqual((yield* play.tags).filter((tag) => tag === "WorkRefused").length, 4)
    })
  )
  live("a red commit before the first agent pauses the run, until another one is there", () =>
    Effect.gen(function* () {
      const play = yield* theatre(({ commits }) => ({ implementer: [commits], reviewer: [say(approves)] }), {
        gate: checks("mended.txt"),
        tasks: ["t1", "t2"]
      })
      for (const _ of [1, 2]) assert.match((yield* play.conducts).paused?.message ?? "", /^sh -c .* at [0-9a-f]{12}$/u)
      yield* play.write("mended.txt", "1")
      yield* play.git("add", "-A")
      yield* play.git("commit", "-q", "-m", "mended")
      const run = yield* play.conducts
      assert.deepInclude(run, { phase: "finished" })
      const tags = yield* play.tags
      assert.deepStrictEqual(
        [
          tags.filter((tag) => tag === "BaselineRefused").length,
          tags.filter((tag) => tag === "BaselineVerified").length,
          tags.filter((tag) => tag === "WorkVerified").length
        ],
        [2, 1, 2]
      )
    })
  )
  liveCase(
    "each checkout is a new one, with the ignored files that .worktreeinclude names, and setup comes first",
    () =>
      Effect.gen(function* () {
        const play = yield* theatre(({ commits }) => ({ implementer: [commits], reviewer: [say(approves)] }), {
          gate: {
            setup: [["sh", "-c", "grep -q key .env && echo once >> made.log"]],
            verify: [
              ["sh", "-c", "test ! -f other.log && cat made.log && test $(wc -l < made.log) = 1 && test -h link"]
            ]
          },
          tasks: ["t1", "t2"]
        })
        yield* play.write(".gitignore", ".env\n*.log\nlink\n")
        yield* play.write(".worktreeinclude", ".env\nlink\n")
        yield* play.git("add", "-A")
        yield* play.git("commit", "-q", "-m", "settings")
        yield* play.write(".env", "key=1")
        yield* play.write("other.log", "1")
        const fs = yield* FileSystem.FileSystem
        yield* fs.symlink("nowhere", `${play.project}/link`)
        const run = yield* play.conducts
        for (const id of ["t1", "t2"]) assert.strictEqual(taskOf(run, id)?.verified, true)
      })
  )
  live("what runs there counts as an agent's session, and may break its checkout, but not the project's", () =>
    Effect.gen(function* () {
      const mine = `test "$SOUFFLEUR_LAUNCH_ID" = run-r-gate && rm -rf .git`
      const play = yield* theatre(({ commits }) => ({ implementer: [commits], reviewer: [say(approves)] }), {
        gate: { setup: [], verify: [["sh", "-c", mine]] },
        tasks: ["t1", "t2"]
      })
      // A work tree of the user's own, which is not there at the moment.
      yield* play.git("worktree", "add", "-q", `${play.stateDir}/own`)
      const fs = yield* FileSystem.FileSystem
      yield* fs.rename(`${play.stateDir}/own`, `${play.stateDir}/away`)
      const run = yield* play.conducts
      for (const id of ["t1", "t2"]) assert.strictEqual(taskOf(run, id)?.verified, true)
      yield* play.judging.clear("r")
      assert.strictEqual((yield* play.git("branch", "--show-current")).trim(), "main")
      yield* fs.rename(`${play.stateDir}/away`, `${play.stateDir}/own`)
      assert.include(yield* play.git("-C", `${play.stateDir}/own`, "status"), "On branch own")
    })
  )
  live("a task's own program does not judge the commit before the first task, and no red one is allowed later", () =>
    Effect.gen(function* () {
      const play = yield* theatre(({ commits }) => ({ implementer: [commits], reviewer: [say(approves)] }))
      const gate = (common: string, own?: string) => ({
        setup: [],
        verify: [[common], ...(own === undefined ? [] : [["test", "-f", own] as const])] as never
      })
      const tasks = [
        { ...planOf("t1").tasks[0]!, gate: gate("true", "none") },
        { ...planOf("t2").tasks[0]!, gate: gate("true") }
      ]
      assert.deepStrictEqual(baselineGate({ tasks })?.verify.join(), "true")
      assert.isUndefined(baselineGate({ tasks: [tasks[0]!, { ...tasks[1]!, gate: gate("false") }] }))
      assert.isUndefined(baselineGate({ tasks: [tasks[0]!, planOf("t2").tasks[0]!] }), "t2 has none")
      assert.deepStrictEqual(programLines({ tasks }), ["true", "test -f none"])
      assert.strictEqual((yield* play.conducts).phase, "finished")
      const error = yield* Effect.flip(play.dispatch({ _tag: "AllowRed" }))
      assert.strictEqual(error._tag, "Refused")
    })
  )
  live("what its programs leave running is ended, also what those of a killed conductor left", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const pids = `${yield* fs.makeTempDirectoryScoped()}/pids`
      const leaves = ["sh", "-c", `setsid sleep 300 & echo $! >> ${pids}`] as const
      const play = yield* theatre(({ commits }) => ({ implementer: [commits], reviewer: [say(approves)] }), {
        gate: { setup: [], verify: [leaves] }
      })
      const marks = { SOUFFLEUR_LAUNCH_ID: "run-r-gate", SOUFFLEUR_GATE: `${play.stateDir}/gates` }
      const env = { ...marks, PATH: process.env["PATH"] }
      const before = spawn(leaves[0], leaves.slice(1), { env, stdio: "ignore" })
      yield* Effect.promise(() => once(before, "exit"))
      assert.deepInclude(taskOf(yield* play.conducts, "t1"), { verified: true })
      const { tagged } = yield* Processes
      const left = (yield* fs.readFileString(pids)).trim().split("\n")
      assert.strictEqual(left.length, 3)
      const carry = yield* tagged({ environment: marks })
      assert.deepStrictEqual(
        carry.filter(({ identity: { pid } }) => left.includes(`${pid}`)),
        []
      )
      const told = (yield* play.events).flatMap((event) => (event._tag === "GateLeftEnding" ? event.pids : []))
      assert.includeMembers(told.map(String), left, "the log says so before")
    })
  )
  live("a run that was stopped in the gate of a killed conductor ends what that left", () =>
    Effect.gen(function* () {
      const play = yield* theatre(() => ({ implementer: [], reviewer: [] }), {
        gate: { setup: [], verify: [["true"]] }
      })
      const env = { SOUFFLEUR_LAUNCH_ID: "run-r-gate", SOUFFLEUR_GATE: `${play.stateDir}/gates` }
      const left = spawn("/bin/sleep", ["300"], { env, stdio: "ignore" })
      const ended = once(left, "exit")
      yield* play.dispatch({ _tag: "Stop", atOnce: true, reason: "wrong" })
      assert.isNotNull((yield* play.conducts).stop)
      yield* Effect.promise(() => ended)
    })
  )
  liveCase("a program that is not there, and one that takes too long, refuse the commit", () =>
    Effect.gen(function* () {
      const acts = () => ({ implementer: [], reviewer: [] })
      for (const [program, settings, why] of [
        ["nonesuch", {}, /there is no program nonesuch in PATH/u],
        ["sleep", { verifyTimeout: "50 millis" }, /did not end within 50ms/u]
      ] as const) {
        const play = yield* theatre(acts, { gate: { setup: [], verify: [[program, "60"]] }, settings: settings as {} })
        assert.deepInclude((yield* play.conducts).paused, { reason: "red" })
        const refused = (yield* play.events).find(({ _tag }) => _tag === "BaselineRefused")
        assert.match(JSON.stringify(refused), why)
      }
    })
  )
  live("a task without a gate is judged by its reviewer alone, and is unverified", () =>
    Effect.gen(function* () {
      const prompts: Array<string> = []
      const play = yield* theatre(({ commits }) => ({
        implementer: [commits],
        reviewer: [noting(prompts, say(approves))]
      }))
      const run = yield* play.conducts
      assert.strictEqual(taskOf(run, "t1")?.verified, false)
      assert.notInclude(prompts[0]!, "**Gate:**")
      assert.notInclude(yield* play.tags, "BaselineVerified")
    })
  )
})
