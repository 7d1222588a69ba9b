import { execFileSync, spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import * as fs from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { type Launcher, Processes } from "@souffleur/domain"
import { Effect, Fiber, Option } from "effect"
import { TestClock } from "effect/testing"
import * as NodeProcesses from "../src/processes/Processes.ts"
import { builtProgram } from "./fixtures/BuiltProgram.ts"
import { entryOf, hostile, howEnded, launching, node, order, windowed } from "./fixtures/Launching.ts"
import { becomes, exists, folder, identity, killed, output, spawned, until } from "./fixtures/Spawned.ts"

type Service = typeof Launcher.Service

const { launcherIn, usual } = await launching()
const [gated, briefly, andStays] = (await Promise.all(
  ["gatedLaunch.ts", "brieflyLaunch.ts", "launchAndStay.ts"].map((name) => builtProgram(entryOf(name)))
)) as [string, string, string]

const start = Effect.fnUntraced(function* (launcher: Service, id: string) {
  const agent = yield* launcher.launch(id)
  yield* Effect.addFinalizer(() => killed(agent.pid))
  return agent
})
const cancelled = (launcher: Service, id: string) => Effect.map(launcher.settle(id), Option.isNone)
const mode = (path: string) => fs.statSync(path).mode & 0o777
it.layer(NodeProcesses.layer, { excludeTestServices: true })((it) => {
  describe("behaviour#polls", () => {
    it.effect("the end of a launch is reported, however seldom it is looked at", () =>
      Effect.gen(function* () {
        const at = yield* folder
        const launcher = yield* launcherIn(join(at, "state"))
        yield* launcher.prepare(order("reported-1", at, "exec sleep 300"))
        const agent = yield* start(launcher, "reported-1")
        const { untilOver } = yield* Processes
        const over = yield* Effect.forkChild(untilOver(agent, "1 day"), { startImmediately: true })
        assert.isUndefined(over.pollUnsafe())
        yield* killed(agent.pid)
        assert.deepStrictEqual(
          yield* howEnded(launcher, "reported-1"),
          Option.some({ _tag: "Killed", signal: "SIGKILL" } as const)
        )
        assert.isTrue(Option.isSome(yield* Effect.timeoutOption(Fiber.join(over), "10 seconds")))
      })
    )
  })

  describe("behaviour#launch-at-most-once", () => {
    it.effect(
      "the launcher becomes the agent under the receipt's pid, with exactly its arguments and environment",
      () =>
        Effect.gen(function* () {
          const at = yield* folder
          const state = join(at, "state")
          const launcher = yield* launcherIn(state)
          const environment = {
            PATH: "/usr/bin:/bin",
            EMPTY: "",
            QUOTED: `a "b" $(c)\n=d`,
            SOUFFLEUR_LAUNCH_ID: "of-another"
          }
          // Written to files, whole, before the end: stdout is for what a shell would have to say.
          const line = `cat /proc/$$/cmdline > args; cat /proc/$$/environ > env; cat /proc/$$/status > status; readlink /proc/$$/fd/0; echo err >&2; pwd`
          const asked = order("hostile-1", at, line, hostile)
          const digest = yield* launcher.prepare({ ...asked, command: { ...asked.command, environment } })
          const file = join(state, "launches", "hostile-1.json")
          assert.strictEqual(digest, createHash("sha256").update(fs.readFileSync(file)).digest("hex"))
          const agent = yield* start(launcher, "hostile-1")
          yield* becomes(agent, "gone")

          assert.deepStrictEqual(fs.readFileSync(join(at, "args"), "utf8").split("\0").slice(0, -1), [
            "/bin/sh",
            "-c",
            line,
            "sh",
            ...hostile
          ])
          const expected = Object.entries({ ...environment, PWD: at, SOUFFLEUR_LAUNCH_ID: "hostile-1" }).map(
            ([name, value]) => `${name}=${value}`
          )
          assert.sameMembers(fs.readFileSync(join(at, "env"), "utf8").split("\0").slice(0, -1), expected)
          const status = fs.readFileSync(join(at, "status"), "utf8")
          assert.match(status, new RegExp(`^Pid:\t${agent.pid}$`, "m"))
          assert.match(status, /^SigIgn:\t0+$/m)
          assert.strictEqual(
            fs.readFileSync(launcher.outputPath("hostile-1"), "utf8"),
            `/dev/null\n${fs.realpathSync(at)}\n`
          )
          assert.strictEqual(fs.readFileSync(launcher.outputPath("hostile-1", "stderr"), "utf8"), "err\n")
          assert.sameMembers(fs.readdirSync(at), ["args", "env", "state", "status"], "nothing was touched")
          assert.isFalse(fs.existsSync(file), "it held the environment")
          const outputs = [launcher.outputPath("hostile-1"), launcher.outputPath("hostile-1", "stderr")]
          for (const path of [...outputs, join(state, "launches", "hostile-1.receipt")])
            assert.strictEqual(mode(path), 0o600)
          for (const path of [state, join(state, "launches")]) assert.strictEqual(mode(path), 0o700)
          assert.deepStrictEqual(
            yield* launcher.settle("hostile-1"),
            Option.some(agent),
            "dead or not, it took the receipt"
          )
        })
    )

    it.effect("a link or pipe in the place of an output is refused, and nothing starts", () =>
      Effect.gen(function* () {
        const at = yield* folder
        const launcher = yield* launcherIn(join(at, "state"))
        const theirs = join(at, "theirs")
        fs.writeFileSync(theirs, "theirs")
        for (const [id, on, put, why] of [
          ["link-1", "stdout", (path: string) => fs.symlinkSync(theirs, path), /link-1\.out: it is a link/],
          ["link-2", "stderr", (path: string) => fs.symlinkSync(theirs, path), /link-2\.err: it is a link/],
          [
            "pipe-1",
            "stdout",
            (path: string) => execFileSync("mkfifo", [path]),
            /pipe-1\.out: it (?:is no regular file|cannot be opened)/
          ]
        ] as const) {
          yield* launcher.prepare(order(id, at, "echo evil; touch ran"))
          put(launcher.outputPath(id, on))
          assert.match((yield* Effect.flip(launcher.launch(id))).message, why)
          assert.deepStrictEqual(yield* launcher.settle(id), Option.none())
        }
        assert.strictEqual(fs.readFileSync(theirs, "utf8"), "theirs")
        assert.isFalse(fs.existsSync(join(at, "ran")))
      })
    )

    it.effect("a command that is needed again is kept by its digest until it is forgotten", () =>
      Effect.gen(function* () {
        const at = yield* folder
        const launcher = yield* launcherIn(at)
        const asked = { ...order("kept-1", at, "exit 0", hostile), words: ["make", "it so"] }
        const digest = yield* launcher.prepare({ ...asked, keep: true })
        yield* start(launcher, "kept-1")
        const file = join(at, "launches", "kept-1.kept")
        assert.strictEqual(mode(file), 0o600)
        assert.deepStrictEqual(yield* launcher.kept("kept-1", digest), {
          command: asked.command,
          cwd: at,
          terminal: "shared",
          place: "headless",
          words: asked.words,
          title: asked.title
        })
        assert.strictEqual((yield* Effect.flip(launcher.kept("kept-1", "0".repeat(64))))._tag, "LaunchFailed")
        const inTmux = yield* launcherIn(at, { terminals: ["tmux"] })
        const typed = windowed("kept-2", at, "exit 0")
        const typedDigest = yield* inTmux.prepare({ ...typed, keep: true })
        assert.deepStrictEqual((yield* inTmux.kept("kept-2", typedDigest)).command, typed.command)
        yield* launcher.forget("kept-1")
        assert.isFalse(fs.existsSync(file))
        assert.strictEqual((yield* Effect.flip(launcher.kept("kept-1", digest)))._tag, "LaunchFailed")
        yield* launcher.forget("kept-1")
      })
    )

    it.effect("a launch in a folder that is gone names the folder", () =>
      Effect.gen(function* () {
        const at = yield* folder
        const launcher = yield* launcherIn(at)
        const gone = join(at, "gone")
        yield* launcher.prepare({ ...order("gone-1", at, "exit 0"), cwd: gone })
        assert.include((yield* Effect.flip(launcher.launch("gone-1"))).message, `there is no folder ${gone} to run in`)
      })
    )

    it.effect("a forgotten launch leaves no file, and never runs", () =>
      Effect.gen(function* () {
        const at = yield* folder
        const launcher = yield* launcherIn(at)
        yield* launcher.prepare({ ...order("kept-2", at, "echo ran > runs"), keep: true })
        assert.sameMembers(fs.readdirSync(join(at, "launches")), ["kept-2.json", "kept-2.kept"])
        yield* launcher.forget("kept-2")
        assert.deepStrictEqual(fs.readdirSync(join(at, "launches")), [])
        assert.include((yield* Effect.flip(launcher.launch("kept-2"))).message, "missing")
        assert.isFalse(fs.existsSync(join(at, "runs")))
      })
    )

    it.effect("a launch runs once, however often and from wherever it is asked for", () =>
      Effect.gen(function* () {
        const at = yield* folder
        const one = yield* launcherIn(at)
        const two = yield* launcherIn(at)
        const asked = order("twice", at, "echo ran >> runs; exec sleep 300")
        assert.strictEqual(yield* one.prepare(asked), yield* two.prepare(asked))
        const [first, second] = yield* Effect.all([start(one, "twice"), start(two, "twice")], { concurrency: 2 })
        assert.deepStrictEqual(first, second)
        assert.deepStrictEqual(yield* start(one, "twice"), first)
        // The file is there before the word in it is.
        yield* exists(join(at, "runs"))
        yield* until(Effect.sync(() => fs.readFileSync(join(at, "runs"), "utf8") !== ""))
        assert.strictEqual(fs.readFileSync(join(at, "runs"), "utf8"), "ran\n")
        // Another launcher process comes late, and ends quietly.
        const late = yield* spawned(node, [...usual.slice(1), join(at, "launches", "twice.json")])
        yield* until(Effect.sync(() => late.exitCode !== null))
        assert.strictEqual(late.exitCode, 119)
        assert.strictEqual(fs.readFileSync(join(at, "runs"), "utf8"), "ran\n")
      })
    )

    it.effect("a launch that has run starts no launcher, even if its file is still there", () =>
      Effect.gen(function* () {
        const at = yield* folder
        const launcher = yield* launcherIn(at)
        yield* launcher.prepare(order("found", at, "exec sleep 300"))
        const path = join(at, "launches", "found.json")
        const text = fs.readFileSync(path, "utf8")
        const agent = yield* start(launcher, "found")
        // As where souffleur is killed between the receipt and the removal.
        fs.writeFileSync(path, text, { mode: 0o600 })
        // A launcher that starts has an output.
        fs.rmSync(launcher.outputPath("found"))
        assert.deepStrictEqual(yield* (yield* launcherIn(at)).launch("found"), agent)
        assert.isFalse(fs.existsSync(launcher.outputPath("found")))
      })
    )

    it.effect("a launch that was settled before its launcher came never runs", () =>
      Effect.gen(function* () {
        const at = yield* folder
        const gate = join(at, "gate")
        const launcher = yield* launcherIn(at, { entry: [node, gated, gate] })
        yield* launcher.prepare(order("late", at, "echo ran > runs"))
        const launch = yield* Effect.forkScoped(Effect.flip(launcher.launch("late")))
        yield* exists(`${gate}.ready`)
        const waiting = yield* identity(Number(fs.readFileSync(`${gate}.ready`, "utf8")))
        const tagged = yield* (yield* Processes).tagged({ environment: { SOUFFLEUR_LAUNCH_ID: "late" } })
        assert.include(
          tagged.map((info) => info.identity.pid),
          waiting.pid,
          "what may become the agent is known before"
        )
        assert.isTrue(yield* cancelled(launcher, "late"))
        assert.strictEqual((yield* Fiber.join(launch)).message, "the launch was cancelled")
        fs.writeFileSync(`${gate}.open`, "")
        yield* becomes(waiting, "gone")
        assert.isFalse(fs.existsSync(join(at, "runs")))
        assert.strictEqual(fs.readFileSync(launcher.outputPath("late"), "utf8"), "")
        assert.isTrue(yield* cancelled(launcher, "late"))
        assert.strictEqual((yield* Effect.flip(launcher.launch("late"))).message, "the launch was cancelled")
      })
    )

    it.effect("a launch that was interrupted before its receipt is cancelled", () =>
      Effect.gen(function* () {
        const at = yield* folder
        const gate = join(at, "gate")
        const launcher = yield* launcherIn(at, { entry: [node, gated, gate] })
        yield* launcher.prepare(order("interrupted", at, "echo ran > runs"))
        const launch = yield* Effect.forkScoped(launcher.launch("interrupted"))
        yield* exists(`${gate}.ready`)
        const waiting = yield* identity(Number(fs.readFileSync(`${gate}.ready`, "utf8")))
        yield* Fiber.interrupt(launch)
        assert.sameMembers(fs.readdirSync(join(at, "launches")), [
          "interrupted.err",
          "interrupted.exit",
          "interrupted.out",
          "interrupted.receipt"
        ])
        fs.writeFileSync(`${gate}.open`, "")
        yield* becomes(waiting, "gone")
        assert.isFalse(fs.existsSync(join(at, "runs")))
      })
    )

    it.effect("a late launcher does not run a launch whose receipt is taken, even if its file is there", () =>
      Effect.gen(function* () {
        const at = yield* folder
        const launcher = yield* launcherIn(at)
        yield* launcher.prepare(order("late-2", at, "echo ran > runs"))
        const path = join(at, "launches", "late-2.json")
        const text = fs.readFileSync(path, "utf8")
        assert.isTrue(yield* cancelled(launcher, "late-2"))
        // As where souffleur is killed between the receipt and the removal.
        fs.writeFileSync(path, text, { mode: 0o600 })
        const late = yield* spawned(node, [...usual.slice(1), path])
        yield* until(Effect.sync(() => late.exitCode !== null))
        assert.deepStrictEqual([late.exitCode, fs.existsSync(join(at, "runs"))], [119, false])
      })
    )

    it.effect("a race of launch and tombstone has one winner for everyone", () =>
      Effect.gen(function* () {
        const at = yield* folder
        for (const id of ["race-1", "race-2", "race-3"]) {
          const launcher = yield* launcherIn(at)
          yield* launcher.prepare(order(id, at, `echo ran > ${id}; exec sleep 300`))
          const launch = yield* Effect.forkScoped(Effect.option(start(launcher, id)))
          const launcherSeen = Effect.sync(() => fs.existsSync(launcher.outputPath(id)))
          yield* until(launcherSeen)
          const [settled, launched] = yield* Effect.all([launcher.settle(id), Fiber.join(launch)], { concurrency: 2 })
          assert.deepStrictEqual(settled, launched)
          if (Option.isSome(settled)) yield* exists(join(at, id))
        }
        // Where it is taken first, it stays taken.
        const launcher = yield* launcherIn(at)
        yield* launcher.prepare(order("taken", at, "echo ran > taken; exec sleep 300"))
        const launch = yield* Effect.forkScoped(start(launcher, "taken"))
        yield* exists(join(at, "launches", "taken.receipt"))
        const settled = yield* launcher.settle("taken")
        assert.deepStrictEqual(settled, Option.some(yield* Fiber.join(launch)))
        yield* exists(join(at, "taken"))
      })
    )

    it.effect("a launch fails at once, and for ever, when the launcher is killed before the receipt", () =>
      Effect.gen(function* () {
        const at = yield* folder
        const launcher = yield* launcherIn(at, { entry: ["/bin/sh", "-c", "kill -9 $$"] })
        yield* launcher.prepare(order("killed", at, "echo ran > runs"))
        assert.match((yield* Effect.flip(launcher.launch("killed"))).message, /left no receipt/)
        // As in an app whose bundle has souffleur's files in it.
        const bundled = yield* launcherIn(at, { entry: [process.execPath, join(at, "launch.js")] })
        yield* bundled.prepare(order("bundled", at, "echo ran > runs"))
        const { message } = yield* Effect.flip(bundled.launch("bundled"))
        assert.include(message, `there is no launcher ${join(at, "launch.js")}: the bundle of an app must leave`)
        assert.isTrue(yield* cancelled(launcher, "killed"))
        assert.strictEqual(
          (yield* Effect.flip((yield* launcherIn(at)).launch("killed"))).message,
          "the launch was cancelled"
        )
      })
    )

    it.effect("a launcher killed after the receipt counts as a generation that died", () =>
      Effect.gen(function* () {
        const at = yield* folder
        const launcher = yield* launcherIn(at, { entry: [node, briefly] })
        yield* launcher.prepare(order("briefly", at, "echo ran > runs"))
        const agent = yield* launcher.launch("briefly")
        yield* becomes(agent, "gone")
        assert.deepStrictEqual(yield* launcher.settle("briefly"), Option.some(agent))
        assert.isFalse(fs.existsSync(join(at, "runs")))
      })
    )

    it.effect("an agent that ends is reaped, and a running agent outlives the layer", () =>
      Effect.gen(function* () {
        const at = yield* folder
        const id = `outlives-${process.pid}`
        const agent = yield* Effect.scoped(
          Effect.gen(function* () {
            const launcher = yield* launcherIn(at)
            yield* launcher.prepare(order(id, at, "exec sleep 300"))
            return yield* launcher.launch(id)
          })
        )
        const processes = yield* Processes
        yield* Effect.addFinalizer(() => killed(agent.pid))
        assert.strictEqual(yield* processes.condition(agent), "running")
        const tag = { environment: { SOUFFLEUR_LAUNCH_ID: id } }
        // In the middle of execve, for a moment, it has no environment at all.
        yield* until(
          Effect.map(processes.tagged(tag), (found) => found.some((info) => info.identity.pid === agent.pid))
        )
        yield* processes.signal(agent, "SIGKILL")
        yield* becomes(agent, "gone")
      })
    )

    it.effect("an agent keeps running when souffleur itself is killed", () =>
      Effect.gen(function* () {
        const at = yield* folder
        yield* (yield* launcherIn(at)).prepare(order("orphan", at, "exec sleep 300"))
        const souffleur = yield* spawned(node, [andStays, at, "orphan", usual[1]])
        const agent = yield* identity(Number(yield* output(souffleur)))
        yield* Effect.addFinalizer(() => killed(agent.pid))
        const dead = yield* identity(souffleur.pid)
        yield* killed(souffleur.pid)
        yield* becomes(dead, "gone")
        assert.strictEqual(yield* (yield* Processes).condition(agent), "running")
        assert.deepStrictEqual(yield* (yield* launcherIn(at)).settle("orphan"), Option.some(agent))
      })
    )

    it.effect("a launch that cannot run is refused with the reason", () =>
      Effect.gen(function* () {
        const at = yield* folder
        const launcher = yield* launcherIn(at)
        fs.writeFileSync(join(at, "plain"), "#!/bin/sh\n", { mode: 0o600 })
        const programs = { missing: join(at, "none"), folder: at, plain: join(at, "plain") }
        for (const [id, program] of Object.entries(programs)) {
          const asked = order(id, at, "")
          yield* launcher.prepare({ ...asked, command: { ...asked.command, program } })
          assert.match((yield* Effect.flip(launcher.launch(id))).message, /program/, id)
          assert.isTrue(yield* cancelled(launcher, id))
        }
        yield* launcher.prepare(order("nowhere", join(at, "gone"), ""))
        assert.match((yield* Effect.flip(launcher.launch("nowhere"))).message, /folder/)
        assert.match((yield* Effect.flip(launcher.launch("never-prepared"))).message, /missing/)
        for (const id of ["", "../x", "a/b", "a.b"]) {
          assert.match((yield* Effect.flip(launcher.prepare(order(id, at, "")))).message, /launch id/)
          assert.match((yield* Effect.flip(launcher.launch(id))).message, /launch id/)
          assert.match((yield* Effect.flip(launcher.settle(id))).message, /launch id/)
        }
        const asked = order("invalid", at, "")
        for (const command of [
          { program: "sh" },
          { args: ["a\0b"] },
          { environment: { "A=B": "" } },
          { environment: { A: "\0" } }
        ]) {
          yield* Effect.flip(launcher.prepare({ ...asked, command: { ...asked.command, ...command } }))
        }
        yield* launcher.prepare(asked)
        assert.match((yield* Effect.flip(launcher.prepare({ ...asked, title: "S3" }))).message, /another launch/)
      })
    )

    it.effect("a launch file that is damaged, or not the prepared one, is refused", () =>
      Effect.gen(function* () {
        const at = yield* folder
        const launcher = yield* launcherIn(at)
        const tampered: Record<string, (text: string, path: string) => void> = {
          torn: (text, path) => fs.writeFileSync(path, text.slice(0, 40)),
          garbage: (_, path) => fs.writeFileSync(path, "\0\0\0"),
          added: (text, path) => fs.writeFileSync(path, text.replace("{", '{"shell":true,')),
          changed: (text, path) => fs.writeFileSync(path, text.replace("echo ran", "echo RAN")),
          renamed: (text, path) => fs.writeFileSync(path, text.replace('"renamed"', '"other"')),
          readable: (_, path) => fs.chmodSync(path, 0o644)
        }
        for (const [id, tamper] of Object.entries(tampered)) {
          yield* launcher.prepare(order(id, at, "echo ran >> runs"))
          const path = join(at, "launches", `${id}.json`)
          const text = fs.readFileSync(path, "utf8")
          tamper(text, path)
          assert.match((yield* Effect.flip(launcher.launch(id))).message, /launch file/, id)
          assert.isFalse(fs.existsSync(path), id)
          if (id === "changed") continue
          fs.writeFileSync(path, text, { mode: 0o600 })
          tamper(text, path)
          // The launcher looks for itself, too; what it says holds nothing of the file.
          fs.rmSync(join(at, "launches", `${id}.receipt`))
          const entry = yield* spawned(node, [...usual.slice(1), path])
          yield* until(Effect.sync(() => entry.exitCode !== null))
          assert.strictEqual(entry.exitCode, 1, id)
          assert.isFalse(fs.existsSync(join(at, "launches", `${id}.receipt`)), id)
        }
        assert.isFalse(fs.existsSync(join(at, "runs")))
      })
    )

    it.effect("a damaged receipt is reported and never interpreted", () =>
      Effect.gen(function* () {
        const at = yield* folder
        const launcher = yield* launcherIn(at)
        yield* launcher.prepare(order("damaged", at, "echo ran >> runs"))
        fs.writeFileSync(join(at, "launches", "damaged.receipt"), '{"_tag":"Taken"}', { mode: 0o600 })
        assert.match((yield* Effect.flip(launcher.settle("damaged"))).message, /cannot be read/)
        const exit = yield* Effect.exit(launcher.launch("damaged"))
        assert.isTrue(
          exit._tag === "Failure" && exit.cause.reasons.every((reason) => reason._tag === "Die"),
          "not a failure that says: nothing runs"
        )
        assert.isFalse(fs.existsSync(join(at, "runs")))
      })
    )
  })

  describe("behaviour#restart", () => {
    it.effect(
      "a command gets a terminal of its own, with exactly its arguments and environment, and its exit code",
      () =>
        Effect.gen(function* () {
          const at = yield* folder
          const launcher = yield* launcherIn(join(at, "of a person; touch x"))
          const line = `cat /proc/$$/cmdline > args; cat /proc/$$/environ > env; test -t 0 && test -t 1 && test -t 2 && stty size; exit 7`
          const asked = order("pty-1", at, line, hostile)
          const command = { ...asked.command, environment: { PATH: "/usr/bin:/bin", QUOTED: '$(touch x) "' } }
          const digest = yield* launcher.prepare({ ...asked, command, terminal: "own", keep: true })
          assert.strictEqual((yield* launcher.kept("pty-1", digest)).terminal, "own")
          const agent = yield* start(launcher, "pty-1")
          yield* becomes(agent, "gone")
          assert.deepStrictEqual(yield* howEnded(launcher, "pty-1"), Option.some({ _tag: "Exited", code: 7 }))
          assert.deepStrictEqual(fs.readFileSync(join(at, "args"), "utf8").split("\0").slice(4, -1), [...hostile])
          assert.sameMembers(fs.readFileSync(join(at, "env"), "utf8").split("\0").slice(0, -1), [
            "PATH=/usr/bin:/bin",
            `QUOTED=$(touch x) "`,
            `PWD=${at}`,
            "SOUFFLEUR_LAUNCH_ID=pty-1"
          ])
          assert.strictEqual(fs.readFileSync(launcher.outputPath("pty-1"), "utf8"), "24 80\r\n")
          assert.isFalse(fs.existsSync(join(at, "x")))
        })
    )

    it.effect("a terminal that cannot be made is known before a launch, and fails a launch that needs it", () =>
      Effect.gen(function* () {
        const at = yield* folder
        const launcher = yield* launcherIn(at)
        assert.isTrue(yield* launcher.hasPty)
        const search = process.env["PATH"]
        process.env["PATH"] = at
        yield* Effect.addFinalizer(() => Effect.sync(() => (process.env["PATH"] = search)))
        assert.isFalse(yield* launcher.hasPty)
        const refused = yield* Effect.flip(launcher.prepare({ ...order("pty-2", at, "true"), terminal: "own" }))
        assert.match(refused.message, /"script", .* is not in PATH/u)
      })
    )
  })

  describe("behaviour#secrets, security#processes", () => {
    it.effect("the agent reads its input, which is in no command line, and in no file after it is read", () =>
      Effect.gen(function* () {
        const at = yield* folder
        const launcher = yield* launcherIn(at)
        const secret = `the password is hunter2\n${hostile.join("\n")}`.repeat(3)
        const asked = order("input-1", at, "cat /proc/$$/cmdline > args; cat > input; read more && echo more > input")
        const command = { ...asked.command, input: secret }
        const digest = yield* launcher.prepare({ ...asked, command, keep: true })
        assert.strictEqual(mode(join(at, "launches", "input-1.json")), 0o600)
        assert.deepStrictEqual((yield* launcher.kept("input-1", digest)).command, command, "it is needed again")
        yield* becomes(yield* start(launcher, "input-1"), "gone")
        yield* launcher.forget("input-1")
        assert.strictEqual(fs.readFileSync(join(at, "input"), "utf8"), secret)
        assert.notInclude(fs.readFileSync(join(at, "args"), "utf8"), "hunter2")
        for (const file of fs.readdirSync(join(at, "launches")))
          assert.notInclude(fs.readFileSync(join(at, "launches", file), "utf8"), "hunter2", file)
      })
    )
  })

  describe("behaviour#launch", () => {
    it.effect("a launch with input is refused in a window, whose standard input is a person's", () =>
      Effect.gen(function* () {
        const at = yield* folder
        const launcher = yield* launcherIn(at, { terminals: ["tmux"] })
        const asked = windowed("input-2", at, "exit 0")
        const why = yield* Effect.flip(launcher.prepare({ ...asked, command: { ...asked.command, input: "a prompt" } }))
        assert.include(why.message, "standard input")
        assert.deepStrictEqual(fs.readdirSync(join(at, "launches")), [])
      })
    )

    it.effect("a program that is still being written is run once it is whole", () =>
      Effect.gen(function* () {
        const at = yield* folder
        const program = join(at, "updated")
        fs.copyFileSync("/bin/sleep", program)
        const launcher = yield* launcherIn(at)
        const asked = order("busy", at, "")
        yield* launcher.prepare({ ...asked, command: { ...asked.command, program, args: ["300"] } })
        const file = fs.openSync(program, "r+")
        const agent = yield* start(launcher, "busy")
        const processes = yield* Processes
        const name = Effect.map(processes.find(agent.pid), (found) => Option.getOrThrow(found).name)
        yield* Effect.sleep("500 millis")
        assert.notStrictEqual(yield* name, "updated")
        fs.closeSync(file)
        yield* until(Effect.map(name, (is) => is === "updated"))
        assert.strictEqual(fs.readFileSync(launcher.outputPath("busy"), "utf8"), "")
      })
    )

    it.effect("a program that the system cannot run is one sentence, with the exit code that a shell gives", () =>
      Effect.gen(function* () {
        const at = yield* folder
        const program = join(at, "secret")
        fs.writeFileSync(program, "no program\0", { mode: 0o755 })
        const launcher = yield* launcherIn(at)
        const asked = order("unrunnable", at, "")
        yield* launcher.prepare({ ...asked, command: { ...asked.command, program } })
        const entry = [...usual.slice(1), join(at, "launches", "unrunnable.json")]
        const { status, stderr } = spawnSync(node, entry, { encoding: "utf8" })
        assert.strictEqual(stderr, "souffleur: not launched: the system cannot run its program (ENOEXEC)\n")
        assert.strictEqual(status, 126)
      })
    )
  })

  describe("behaviour#output-of-launches", () => {
    it.effect("the end of a launch is known with its time, though no souffleur ran then", () =>
      Effect.gen(function* () {
        const at = yield* folder
        const first = yield* launcherIn(at)
        for (const [terminal, signal] of [
          ["none", "SIGKILL"],
          ["own", "SIGINT"]
        ] as const) {
          const kill = signal === "SIGKILL" ? "kill -9 $$" : "kill -INT 0"
          yield* first.prepare({
            ...order(terminal, at, `until test -e go; do sleep 0.1; done; ${kill}; exit 7`),
            terminal
          })
          const souffleur = yield* spawned(node, [andStays, at, terminal, usual[1]])
          const agent = yield* identity(Number(yield* output(souffleur)))
          yield* Effect.addFinalizer(() => killed(agent.pid))
          const dead = yield* identity(souffleur.pid)
          yield* killed(souffleur.pid)
          yield* becomes(dead, "gone")
          fs.writeFileSync(join(at, "go"), "")
          yield* becomes(agent, "gone")
          const launcher = yield* launcherIn(at)
          const end = Option.getOrThrow(yield* launcher.endOf(terminal))
          assert.deepStrictEqual(end.end, { _tag: "Killed", signal }, terminal)
          fs.writeFileSync(join(at, "after"), "")
          assert.isAtLeast(end.at, fs.statSync(join(at, "go")).mtimeMs)
          assert.isAtMost(end.at, fs.statSync(join(at, "after")).mtimeMs)
          for (const on of ["stdout", "stderr"] as const)
            assert.notMatch(fs.readFileSync(launcher.outputPath(terminal, on), "utf8"), /interrupt|killed/iu)
          fs.rmSync(join(at, "go"))
        }
      })
    )
  })

  describe("behaviour#solo", () => {
    it.effect("the end of a launch is known once it has ended, also to a later souffleur", () =>
      Effect.gen(function* () {
        const at = yield* folder
        const launcher = yield* launcherIn(at)
        for (const [id, line, end] of [
          ["well", "exit 0", { _tag: "Exited", code: 0 } as const],
          ["ill", "exit 3", { _tag: "Exited", code: 3 } as const],
          ["killed", "kill -9 $$", { _tag: "Killed", signal: "SIGKILL" } as const]
        ] as const) {
          yield* launcher.prepare(order(id, at, line))
          const agent = yield* start(launcher, id)
          yield* becomes(agent, "gone")
          assert.deepStrictEqual(yield* howEnded(launcher, id), Option.some(end))
          const next = yield* launcherIn(at)
          assert.deepStrictEqual(yield* howEnded(next, id), Option.some(end))
          assert.strictEqual(mode(join(at, "launches", `${id}.exit`)), 0o600)
        }
        yield* launcher.prepare(order("runs", at, "exec sleep 300"))
        yield* start(launcher, "runs")
        assert.isTrue(Option.isNone(yield* (yield* launcherIn(at)).endOf("runs")))
        assert.isTrue(Option.isNone(yield* launcher.endOf("never")))
      })
    )
  })

  describe("behaviour#defects", () => {
    it.effect("a defect of the launcher is one sentence without a word of the launch, and exit code 70", () =>
      Effect.gen(function* () {
        const at = yield* folder
        const launcher = yield* launcherIn(at)
        yield* launcher.prepare(order("defect", at, "echo a word of a prompt"))
        const sabotage = "data:text/javascript,process.execve=()=>{throw new RangeError('a word of a prompt')}"
        const path = join(at, "launches", "defect.json")
        const { status, stderr } = spawnSync(node, [`--import=${sabotage}`, ...usual.slice(1), path], {
          encoding: "utf8"
        })
        assert.strictEqual(status, 70, stderr)
        assert.match(stderr, /^souffleur: not launched, because of a bug \(RangeError[^\n]*\)\n$/u)
        assert.notInclude(stderr, "a word")
      })
    )
  })
})

describe("behaviour#launch-at-most-once", () => {
  it.layer(NodeProcesses.layer)((it) => {
    it.effect("a receipt is waited for 15 seconds, and no longer", () =>
      Effect.gen(function* () {
        const at = yield* folder
        const launcher = yield* launcherIn(at, { entry: ["/bin/sh", "-c", 'echo $$ > "$0.ready"; exec sleep 300'] })
        yield* launcher.prepare(order("slow", at, "echo ran >> runs"))
        const launch = yield* Effect.forkScoped(Effect.flip(launcher.launch("slow")))
        const ready = join(at, "launches", "slow.json.ready")
        yield* TestClock.withLive(
          until(Effect.sync(() => fs.existsSync(ready) && fs.readFileSync(ready, "utf8").endsWith("\n")))
        )
        yield* Effect.addFinalizer(() => killed(Number(fs.readFileSync(ready, "utf8"))))
        yield* TestClock.adjust("14 seconds")
        assert.isFalse(fs.existsSync(join(at, "launches", "slow.receipt")))
        yield* TestClock.adjust("1 second")
        assert.match((yield* Fiber.join(launch)).message, /too long/)
        assert.isTrue(yield* cancelled(launcher, "slow"))
      })
    )

    it.effect("an agent that took the receipt in time is given, even after the timeout", () =>
      Effect.gen(function* () {
        const at = yield* folder
        const gate = join(at, "gate")
        const launcher = yield* launcherIn(at, { entry: [node, gated, gate], receiptTimeout: "1 millis" })
        yield* launcher.prepare(order("first", at, "exec sleep 300"))
        const launch = yield* Effect.forkScoped(launcher.launch("first"))
        yield* TestClock.withLive(exists(`${gate}.ready`))
        // The next look is due after the end of patience.
        fs.writeFileSync(`${gate}.open`, "")
        yield* TestClock.withLive(exists(join(at, "launches", "first.receipt")))
        yield* TestClock.adjust("1 millis")
        const settled = yield* launcher.settle("first")
        const launched = yield* Fiber.join(launch)
        yield* Effect.addFinalizer(() => killed(launched.pid))
        assert.deepStrictEqual(settled, Option.some(launched))
      })
    )
  })
})
