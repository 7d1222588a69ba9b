/** @module-tag cases */
import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import * as fs from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { alive, bundle, prints, said, stage, task, until, type Variables } from "./CliStage.ts"
import { live } from "./Live.ts"

describe.concurrent("done", () => {
  describe("behaviour#ends", () => {
    live("done in the agent's own session completes the watch, and leaves its process as it is", () =>
      Effect.gen(function* () {
        const the = yield* stage([task(1)])
        const conductor = yield* the.conductor()
        const watch = the.watch(conductor)
        const { watch: id } = yield* prints(watch, "WatchSettled")
        const another = yield* the.ask(["done"], { CLAUDE_CODE_SESSION_ID: "99999999-0000-4000-8000-000000000000" })
        assert.deepStrictEqual([another.code, another.lines], [2, []])
        assert.match(another.errors, /is not the Conductor of watch/u)
        // From another folder, as an agent is wherever it went; and a hook says it twice.
        for (const _ of [1, 2]) {
          const word = yield* the.run(["done", "--json", "--project-dir", the.home], {
            CLAUDE_CODE_SESSION_ID: the.session
          })
          assert.deepStrictEqual(
            [word.code, word.lines.map((line) => JSON.parse(line))],
            [0, [{ watch: id, completed: true, by: "agent" }]]
          )
        }
        assert.strictEqual((yield* watch.ended).code, 0)
        const { _tag, by } = said(watch.lines.at(-1)!)
        assert.deepStrictEqual([_tag, by], ["ConductorCompleted", "agent"])
        assert.isTrue(alive(conductor.pid))
        assert.strictEqual(the.row("souffleur")["state"], "complete")
        assert.match((yield* the.ask(["why"])).lines.join("\n"), /the agent said so: "souffleur done"/)
      })
    )
  })

  describe("behaviour#done", () => {
    live("done by hand completes the watch of the folder, and cancels a recovery without a launch", () =>
      Effect.gen(function* () {
        const the = yield* stage([task(1)], { SOUFFLEUR_STOP_GRACE: "10 minutes" })
        const conductor = yield* the.conductor(1, { SOUFFLEUR_STANDIN_IGNORE_TERM: "true" })
        const stubborn = the.spawned("/bin/sh", ["-c", "trap '' TERM; while :; do sleep 0.1; done"], {
          CLAUDE_PID: String(conductor.pid),
          CLAUDE_CODE_SESSION_ID: the.session
        })
        const watch = the.watch(conductor)
        yield* prints(watch, "WatchSettled")
        conductor.kill("SIGKILL")
        yield* prints(watch, "StepStarted", ({ step }) => step === "1 stop")
        const word = yield* the.ask(["done"])
        assert.strictEqual(word.code, 0, word.errors)
        assert.strictEqual((yield* watch.ended).code, 0)
        assert.deepInclude(said(watch.lines.at(-1)!), { _tag: "ConductorCompleted", by: "operator" })
        assert.deepStrictEqual(the.launched(), [])
        stubborn.kill("SIGKILL")
        const none = yield* the.ask(["done", "nobody"])
        assert.deepStrictEqual([none.code, none.lines], [2, []])
      })
    )
  })
})

/** Solo: there is no database. */
const solo = Effect.fnUntraced(function* (
  tasks: ReadonlyArray<ReturnType<typeof task>> = [],
  variables: Variables = {}
) {
  const the = yield* stage(tasks, variables)
  fs.rmSync(the.comms)
  return the
})
const lines = (file: string) => (fs.existsSync(file) ? fs.readFileSync(file, "utf8").trim().split("\n") : [])
const pidOf = ({ conductor }: { readonly [field: string]: unknown }) => (conductor as { readonly pid: number }).pid
const sh = (line: string, ...args: ReadonlyArray<string>) => ["--", "/bin/sh", "-c", line, "sh", ...args]

describe.concurrent("run, of a plain command", () => {
  describe("behaviour#restart", () => {
    live("a killed command runs again with the same words, and exit code 0 completes the watch", () =>
      Effect.gen(function* () {
        const the = yield* solo()
        const hostile = ["$(touch x)", "--json", "--", "a\nb", ""]
        const line = 'printf "%s|" "$@" >> said; echo >> said; [ -e again ] || { touch again; exec sleep 60; }'
        const run = the.start(["run", "--json", ...sh(line, ...hostile)], { KEY: "of the user" })
        const first = yield* prints(run, "ConductorConfirmed")
        yield* until(
          Effect.sync(() => fs.existsSync(join(the.project, "again"))),
          (yes) => yes
        )
        process.kill(pidOf(first), "SIGKILL")
        const next = yield* prints(run, "ConductorRelaunched")
        assert.deepInclude(next, { generation: 2, provider: "restart", sessionId: "" })
        assert.deepStrictEqual(yield* run.ended, { code: 0, signal: null }, run.errors())
        assert.deepInclude(said(run.lines.at(-1)!), { _tag: "ConductorCompleted", by: "exit" })
        const words = `${hostile.join("|")}|`
        assert.deepStrictEqual(lines(join(the.project, "said")).join("\n"), `${words}\n${words}`)
        assert.deepStrictEqual(the.launched(), [pidOf(first), pidOf(next)])
        // Words that a person types may hold a key. They are in files of ours alone, and in no line of the log.
        const log = JSON.stringify(yield* the.events)
        for (const secret of ["touch", "of the user"]) assert.notInclude(log, secret)
        const launches = join(the.state, "launches")
        const kept = fs.readdirSync(launches)
        for (const name of kept) assert.strictEqual(fs.statSync(join(launches, name)).mode & 0o077, 0)
        // The watch is over: so is what it was started with.
        assert.deepStrictEqual([...new Set(kept.map((name) => name.slice(name.lastIndexOf("."))))].toSorted(), [
          ".err",
          ".exit",
          ".out",
          ".receipt"
        ])
      })
    )

    live("a command that died waits before it is run again, also for the next souffleur, and go ends that", () =>
      Effect.gen(function* () {
        const the = yield* solo([], { SOUFFLEUR_RESTART_PAUSE: "1 hour" })
        const words = [
          "run",
          "--no-guardian",
          "--json",
          ...sh("[ -e again ] || { touch again; echo the disk is full; exit 3; }")
        ]
        const run = the.start(words)
        const { kind, until: end } = yield* prints(run, "WaitStarted")
        assert.strictEqual(kind, "pause")
        run.kill("SIGKILL")
        yield* run.ended
        const next = the.start(words)
        yield* prints(next, "OwnerTook")
        const [known] = JSON.parse((yield* the.ask(["status", "--json"])).lines.join("\n")) as ReadonlyArray<{
          readonly wait: { readonly until: string }
        }>
        assert.strictEqual(Date.parse(known?.wait.until ?? ""), end)
        assert.lengthOf(the.launched(), 1)
        const why = (yield* the.ask(["why"])).lines.join("\n")
        assert.match(why, /The command is dead: it ended with exit code 3/u)
        assert.match(why, /Its last words\n {2}the disk is full/u)
        assert.notInclude(JSON.stringify(yield* the.events), "the disk is full")
        const held = yield* the.ask(["hold"])
        assert.strictEqual(held.code, 0, held.errors)
        const go = yield* the.run(["go", "--json"])
        assert.deepInclude(JSON.parse(go.lines[0]!), { cycle: 1 })
        assert.strictEqual((yield* next.ended).code, 0, next.errors())
        assert.lengthOf(the.launched(), 2)
      })
    )

    live("a command gets a terminal by --terminal, or once it says that it wants one; an agent by no flag", () =>
      Effect.gen(function* () {
        const the = yield* solo()
        const asked = yield* the.run(["run", "--terminal", "--json", ...sh("test -t 0 && test -t 1")])
        assert.strictEqual(asked.code, 0, asked.errors)
        assert.lengthOf(the.launched(), 1)
        const wanting = "test -t 0 || { echo 'stdin is not a terminal' >&2; exit 1; }"
        const found = yield* the.run(["run", "--json", ...sh(wanting)])
        assert.strictEqual(found.code, 0, found.errors)
        assert.lengthOf(the.launched(), 3)
        const agent = yield* the.run(["run", "--terminal", "--", process.execPath, bundle, "__stand-in", "work"])
        assert.deepStrictEqual([agent.code, agent.lines], [2, []])
        assert.match(agent.errors, /a terminal is for another command/u)
      })
    )
  })

  describe("behaviour#early-ends", () => {
    live("a command that ends with 0 is complete, and the process that it leaves running runs on", () =>
      Effect.gen(function* () {
        const the = yield* solo()
        const run = the.start(["run", "--json", ...sh('echo run >> said; sleep 300 & echo "$!" > left')])
        assert.deepStrictEqual(yield* run.ended, { code: 0, signal: null }, run.errors())
        const left = Number(lines(join(the.project, "left"))[0])
        assert.isTrue(alive(left))
        process.kill(left, "SIGKILL")
        assert.deepStrictEqual(lines(join(the.project, "said")), ["run"])
        const { _tag, revision, watch } = said(run.lines.at(-1)!)
        assert.strictEqual(_tag, "ConductorCompleted")
        for (const words of [["9999"], [watch, "abc"]])
          assert.strictEqual((yield* the.ask(["why", ...words])).code, 2, words.join(" "))
        const why = (yield* the.ask(["why", String(revision)])).lines.join("\n")
        assert.match(why, /the command ended with exit code 0/u)
      })
    )
  })

  describe("behaviour#retries", () => {
    live("three quick deaths of a command end the watch with 1, without an export", () =>
      Effect.gen(function* () {
        const the = yield* solo()
        const { code, errors, lines } = yield* the.run(["run", "--json", ...sh("exit 3")])
        assert.strictEqual(code, 1, errors)
        assert.deepInclude(said(lines.at(-1)!), { _tag: "RetriesExhausted", exportPath: null })
        assert.lengthOf(the.launched(), 3)
        const died = lines.map(said).findLast(({ _tag }) => _tag === "ConductorDied")
        const why = (yield* the.ask(["why", String(died?.revision)])).lines.join("\n")
        assert.match(why, /it ran .*; the progress of a command is not known/)
        for (const words of [["status", "--json"], ["state", "--json"], ["why"], ["log"]])
          assert.strictEqual((yield* the.run(words)).code, 0)
      })
    )
  })

  describe("behaviour#first-launch", () => {
    live("a pipe gives an agent in print mode the prompt that its command lacks, and an empty one is refused", () =>
      Effect.gen(function* () {
        const the = yield* solo()
        const piped = (words: string, ...more: ReadonlyArray<string>) => {
          const agent = [process.execPath, bundle, "__stand-in", "-p"]
          const line = [process.execPath, bundle, "run", ...more, "--no-guardian", "--", ...agent]
          return the.spawned("/bin/sh", ["-c", `printf '${words}' | "$0" "$@"`, ...line])
        }
        const command = [process.execPath, bundle, "run", "--no-guardian", "--", "/bin/sh", "-c", "cat"]
        const unread = the.spawned("/bin/sh", ["-c", `echo words | "$0" "$@"`, ...command])
        assert.strictEqual((yield* unread.ended).code, 0)
        assert.include(unread.errors(), "the command gets an empty standard input")
        const apart = [process.execPath, bundle, "run", "--detach", "--no-guardian", "--", "/bin/sh", "-c", "cat"]
        const detached = the.spawned("/bin/sh", ["-c", `echo words | "$0" "$@"`, ...apart])
        assert.strictEqual((yield* detached.ended).code, 0, detached.errors())
        assert.include(detached.errors(), "the command gets an empty standard input")
        yield* until(the.ask(["log"]), ({ lines }) => lines.join("\n").includes("The command completed"))
        const empty = piped(" \\n")
        assert.strictEqual((yield* empty.ended).code, 2)
        assert.match(empty.errors(), /standard input has none/u)
        const foreseen = piped("Gossamer it is.", "--dry-run")
        assert.strictEqual((yield* foreseen.ended).code, 0, foreseen.errors())
        assert.include(foreseen.lines.join("\n"), "Gossamer it is.")
        const run = piped("Gossamer it is.", "--json")
        assert.strictEqual((yield* run.ended).code, 0, run.errors())
        const { sessionId } = run.lines.map(said).find(({ _tag }) => _tag === "LaunchPrepared")!
        assert.include(the.conversation(String(sessionId)), "Gossamer it is.")
      })
    )
  })

  describe("behaviour#first-launch", () => {
    live(
      "a souffleur that is killed right after its start leaves the command to the next one, which starts it once",
      () =>
        Effect.gen(function* () {
          const the = yield* solo()
          // A guardian might come first on a busy machine.
          const run = the.start(["run", "--json", "--no-guardian", ...sh("echo run >> said; exec sleep 60")])
          yield* prints(run, "LaunchPrepared")
          run.kill("SIGKILL")
          yield* run.ended
          const other = yield* the.run(["run", "--json", ...sh("echo another >> said")])
          assert.deepStrictEqual([other.code, other.lines], [2, []])
          assert.match(other.errors, /watch opera-[0-9a-f]{4} of this folder has another command, and is not finished/)
          const again = the.start(["run", "--json", "--no-guardian", ...sh("echo run >> said; exec sleep 60")])
          yield* prints(again, "WatchSettled")
          assert.match(
            again.errors(),
            /watch opera-[0-9a-f]{4} of this folder is not finished: it goes on, and nothing else is started/
          )
          yield* until(
            Effect.sync(() => lines(join(the.project, "said"))),
            (found) => found.join("") !== ""
          )
          assert.deepStrictEqual(lines(join(the.project, "said")), ["run"])
          assert.lengthOf(the.launched(), 1)
          assert.strictEqual((yield* the.ask(["release"])).code, 0)
          assert.strictEqual((yield* again.ended).code, 0)
        })
    )
  })
})

describe("behaviour#secrets", () => {
  live("a command whose watch the log could not take leaves no environment behind", () =>
    Effect.gen(function* () {
      const the = yield* solo()
      assert.strictEqual((yield* the.ask(["status"])).code, 0)
      const log = new DatabaseSync(join(the.state, "souffleur.db"))
      // The log is opened and read as ever. Only the event that opens the watch fails, when its launch is written.
      log.exec("CREATE TRIGGER full BEFORE INSERT ON events BEGIN SELECT RAISE(ABORT, 'disk full'); END")
      log.close()
      const { code, errors } = yield* the.run(["run", ...sh("echo ran > said")], { SECRET_TOKEN: "topsecret" })
      assert.notStrictEqual(code, 0, errors)
      assert.match(errors, /the event log cannot be used/u)
      assert.deepStrictEqual(fs.readdirSync(join(the.state, "launches")), [])
      assert.isFalse(fs.existsSync(join(the.project, "said")))
      const asked = yield* the.run(["run", "--", process.execPath, bundle, "__stand-in", "work"], {
        TEST_KEY: "topsecret"
      })
      assert.include(
        asked.errors,
        "the agent does not get TEST_KEY: where it needs it, set SOUFFLEUR_AGENT_ENVIRONMENT=TEST_KEY"
      )
      assert.notInclude(asked.errors, "topsecret")
    })
  )
})

describe("behaviour#first-launch", () => {
  live("three simultaneous starts in one folder run one command", () =>
    Effect.gen(function* () {
      const the = yield* solo()
      const runs = [1, 2, 3].map((n) =>
        the.start(["run", "--json", "--no-guardian", ...sh(`echo ${n} >> said; exec sleep 60`)])
      )
      const ends: Array<number | null> = []
      yield* Effect.forEach(runs, (run) => Effect.forkScoped(Effect.map(run.ended, ({ code }) => ends.push(code))))
      yield* until(
        Effect.sync(() => ends.length),
        (ended) => ended >= 2
      )
      // Each of the others finds another command there, or a souffleur that looks after it.
      assert.deepStrictEqual(
        ends.filter((code) => code !== 2 && code !== 3),
        [],
        runs.map((run) => run.errors()).join("\n")
      )
      const words = Effect.sync(() => lines(join(the.project, "said")))
      assert.lengthOf(yield* until(words, (found) => found.length > 0), 1)
      assert.strictEqual((yield* the.ask(["release"])).code, 0)
    })
  )

  describe.concurrent("run, of a known agent", () => {
    live("a killed agent is recovered with its conversation and its own flags, and its end completes the watch", () =>
      Effect.gen(function* () {
        const the = yield* solo([task(1, 50), task(2, 50)])
        const agent = join(the.home, "claude-code", "claude")
        fs.mkdirSync(join(the.home, "claude-code"))
        // The first life hangs in the second task. Flags that the stand-in does not know are noted, and left out.
        const life =
          '[ -e lived ] || { touch lived; export SOUFFLEUR_STANDIN_HANG_AT=2; }\nprintf "%s\\n" "$@" >> words; echo "$1 $2" >> flags; shift 2'
        const settings = '[ "${1#--settings=}" = "$1" ] || shift'
        fs.writeFileSync(
          agent,
          `#!/bin/sh\n${life}\n${settings}\nexec '${process.execPath}' '${bundle}' __stand-in "$@"\n`,
          { mode: 0o755 }
        )
        const prompt = "--dangerously-skip-permissions; the stage word is gossamer"
        const run = the.start(["run", "--json", "--", agent, "--model", "opus", "--", prompt])
        const first = yield* prints(run, "ConductorConfirmed", ({ print }) => print === true)
        yield* prints(run, "WatchSettled")
        yield* until(
          Effect.sync(() => the.conversation(String(first["sessionId"]))),
          (text) => text.includes("scene-2.txt")
        )
        process.kill(pidOf(first), "SIGKILL")
        // The first task is done: what a tool gave back is progress.
        assert.deepInclude(yield* prints(run, "ConductorDied"), { retries: 0, taskCount: 1 })
        const next = yield* prints(run, "ConductorRelaunched")
        assert.deepStrictEqual([next["provider"], next["sessionId"]], ["resume", first["sessionId"]])
        assert.deepStrictEqual(yield* run.ended, { code: 0, signal: null }, run.errors())
        assert.deepInclude(said(run.lines.at(-1)!), { _tag: "ConductorCompleted", by: "turn" })
        const { revision } = run.lines.map(said).find(({ _tag }) => _tag === "ConductorDied")!
        assert.match(
          (yield* the.ask(["why", String(revision)])).lines.join("\n"),
          /results of tools: 1, 0 at the last launch; no commit since/
        )
        assert.include(the.conversation(String(first["sessionId"])), prompt)
        assert.include(the.conversation(String(next["sessionId"])), "the stage word is gossamer")
        assert.deepStrictEqual(lines(join(the.project, "flags")), ["--model opus", "--model opus"])
        assert.notInclude(JSON.stringify(yield* the.events), "gossamer")
        // The list of processes, which every user of the machine can read, does not show standard input.
        const words = fs.readFileSync(join(the.project, "words"), "utf8")
        assert.strictEqual(words.split("--permission-mode").length, 3)
        for (const said of ["gossamer", "Hand-off", String(next["exportPath"])])
          assert.notInclude(words.replaceAll(/^--settings=.*$/gmu, ""), said)
      })
    )

    live("a flag that no launch may have is bad usage: no watch is opened, and nothing starts", () =>
      Effect.gen(function* () {
        const the = yield* solo()
        const agent = [process.execPath, bundle, "__stand-in"]
        const taken = "44444444-4444-4444-8444-444444444444"
        const sessions = join(the.home, "claude", "projects", "another")
        fs.mkdirSync(sessions, { recursive: true })
        fs.writeFileSync(join(sessions, `${taken}.jsonl`), "{}\n")
        const cases: ReadonlyArray<readonly [words: ReadonlyArray<string>, why: RegExp]> = [
          [
            [...agent, "--permission-mode", "bypassPermissions", "work"],
            /above MAX_EXTERNAL_PERMISSION \(acceptEdits\): .*"souffleur setup --permission bypassPermissions" sets that/
          ],
          [[...agent, "--dangerously-skip-permissions", "work"], /above MAX_EXTERNAL_PERMISSION/],
          [[...agent, "--continue", "work"], /--continue/],
          [[...agent, "--resume", "no-such-session", "work"], /no session no-such-session/],
          [
            [...agent, "--session-id", taken, "work"],
            new RegExp(`is there already, and the command that goes on with it is claude --resume ${taken} `)
          ],
          [[...agent], /has no prompt/],
          [["no-such-program"], /no program no-such-program in PATH/],
          [[], /which command/]
        ]
        for (const [words, why] of cases) {
          const { code, errors, lines } = yield* the.run(["run", "--", ...words])
          assert.deepStrictEqual([code, lines], [2, []], errors)
          assert.match(errors, why)
        }
        assert.deepStrictEqual((yield* the.ask(["status", "--json"])).lines, ["[]"])
        assert.deepStrictEqual(the.launched(), [])
      })
    )
  })
})

describe("command-line#looking", () => {
  live("three watches of one machine are all in status, and one stream has their events in order", () =>
    Effect.gen(function* () {
      const the = yield* solo([], { SOUFFLEUR_LAUNCH_SPACING: "1 hour" })
      const projects = ["one", "two", "three"].map((name) => join(the.home, name))
      for (const project of projects) fs.mkdirSync(project)
      const teller = the.start(["log", "--all", "--follow", "--json"])
      const runs = projects.map((project) =>
        the.start(["run", "--json", "--project-dir", project, ...sh("exec sleep 60")])
      )
      const watches = yield* Effect.forEach(runs, (run) =>
        Effect.map(prints(run, "WatchSettled"), ({ watch }) => watch)
      )
      const statuses = JSON.parse((yield* the.ask(["status", "--json"])).lines.join("\n")) as ReadonlyArray<{
        watch: string
        phase: string
      }>
      assert.sameMembers(
        statuses.map(({ phase, watch }) => `${watch} ${phase}`),
        watches.map((watch) => `${watch} Watching`)
      )
      for (const watch of watches) assert.strictEqual((yield* the.ask(["done", watch])).code, 0)
      for (const run of runs) assert.strictEqual((yield* run.ended).code, 0)
      const written = (yield* the.ask(["log", "--all", "--json"])).lines
      yield* until(
        Effect.sync(() => teller.lines.length),
        (told) => told >= written.length
      )
      assert.deepStrictEqual(teller.lines, written)
      assert.sameMembers([...new Set(written.map((one) => said(one).watch))], watches)
      for (const run of runs) assert.includeMembers([...written], [...run.lines])
      teller.kill("SIGINT")
      yield* teller.ended
      assert.strictEqual((yield* the.ask(["log", watches[0]!, "--all"])).code, 2)
    })
  )
})
