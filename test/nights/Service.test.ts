import { assert, describe, it } from "@effect/vitest"
import { Effect, type Scope } from "effect"
import * as fs from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { joinedAlone } from "../cli/JoinedAlone.ts"
import { alive, answers, prints, said, stage, task, until, type Variables } from "../cli/CliStage.ts"

const live = (what: string, test: () => Effect.Effect<void, unknown, Scope.Scope>) => it.live(what, test)

/** A service manager and its `systemd-notify` that write down what they are told. */
const withManager = Effect.fnUntraced(function* (tasks: Parameters<typeof stage>[0]) {
  const the = yield* stage(tasks)
  const [bin, told] = [join(the.home, "a bin"), join(the.home, "told")]
  fs.mkdirSync(bin)
  for (const name of ["systemctl", "systemd-notify"]) {
    const script = `#!/bin/sh\necho "${name} $*" >> '${told}'\n[ "$2" = show ] && printf 'ActiveState=active\\nUnitFileState=enabled\\n'\n[ ! -e '${told}.no' ]\n`
    fs.writeFileSync(join(bin, name), script, { mode: 0o755 })
  }
  const manager: Variables = { PATH: `${bin}:/usr/local/bin:/usr/bin:/bin`, XDG_CONFIG_HOME: join(the.home, "config") }
  return {
    the,
    manager,
    file: (id: string) => join(the.home, "config", "systemd", "user", `souffleur-${id}.service`),
    refuse: () => fs.writeFileSync(`${told}.no`, ""),
    told: () => (fs.existsSync(told) ? fs.readFileSync(told, "utf8").trim().split("\n") : [])
  }
})

/** Program, arguments and variables of a unit file, as systemd reads them. */
const started = (file: string) => {
  const text = fs.readFileSync(file, "utf8")
  const words = (line: string) =>
    [...line.matchAll(/"((?:[^"\\]|\\.)*)"/gu)].map(([, word]) =>
      word!.replaceAll(/\\(.)/gu, "$1").replaceAll("%%", "%")
    )
  const lines = (name: string) =>
    [...text.matchAll(new RegExp(`^${name}=(.*)$`, "gmu"))].flatMap(([, line]) => words(line!))
  const [program = "", ...args] = lines("ExecStart")
  const environment = Object.fromEntries(
    lines("Environment").map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)])
  )
  return { program: program.slice(1), args, environment }
}

describe.concurrent("a service", () => {
  describe("behaviour#service", () => {
    live("a service is written once, registered, shown and removed; a foreign file is left as it is", () =>
      Effect.gen(function* () {
        const { file, manager, refuse, the, told } = yield* withManager([task(1)])
        const conductor = yield* the.conductor()
        const watch = the.watch(conductor)
        const { watch: id } = yield* prints(watch, "WatchSettled")
        const service = (...args: ReadonlyArray<string>) => the.run(["service", ...args, "--json"], manager)

        const none = yield* service("uninstall", id)
        assert.deepStrictEqual([none.code, JSON.parse(none.lines[0]!).removed, told()], [0, false, []])
        assert.isFalse(JSON.parse((yield* service("status", id)).lines[0]!).installed)

        const unit = `souffleur-${id}.service`
        const first = yield* service("install", id)
        assert.strictEqual(first.code, 0, first.errors)
        const facts = JSON.parse(first.lines[0]!)
        assert.deepInclude(facts, {
          watch: id,
          manager: "systemd",
          unit,
          file: file(id),
          changed: true,
          started: false
        })
        assert.strictEqual(fs.statSync(file(id)).mode & 0o777, 0o600)
        assert.deepStrictEqual(fs.readdirSync(join(file(id), "..")), [unit], "no draft is left")
        // A souffleur that lives watches it: it is not started beside that one.
        assert.deepStrictEqual(
          told().filter((line) => !line.includes("show")),
          ["systemctl --user daemon-reload", `systemctl --user enable ${unit}`]
        )
        const again = yield* service("install", id)
        assert.deepStrictEqual([again.code, JSON.parse(again.lines[0]!).changed], [0, false])
        assert.deepInclude(JSON.parse((yield* service("status", id)).lines[0]!), {
          installed: true,
          current: true,
          enabled: true,
          active: "active"
        })
        assert.isFalse(
          JSON.parse(
            (yield* the.run(["service", "status", id, "--json"], { ...manager, SOUFFLEUR_STOP_GRACE: "9 seconds" }))
              .lines[0]!
          ).current
        )

        const removed = yield* service("uninstall", id)
        assert.deepStrictEqual(
          [removed.code, JSON.parse(removed.lines[0]!).removed, fs.existsSync(file(id))],
          [0, true, false]
        )
        assert.deepStrictEqual(told().slice(-2), [
          `systemctl --user disable --now ${unit}`,
          "systemctl --user daemon-reload"
        ])

        fs.writeFileSync(file(id), "[Unit]\n")
        for (const act of ["install", "uninstall"]) {
          const refused = yield* service(act, id)
          assert.deepStrictEqual([refused.code, refused.lines], [2, []])
          assert.match(refused.errors, /was not written by souffleur: it is left as it is/)
          assert.strictEqual(fs.readFileSync(file(id), "utf8"), "[Unit]\n")
        }
        fs.rmSync(file(id))
        const terminal = yield* the.run(["service", "install", id], {
          ...manager,
          SOUFFLEUR_LAUNCHER: "tmux",
          TMUX: "/nowhere,1,0"
        })
        assert.deepStrictEqual([terminal.code, terminal.lines], [2, []])
        assert.match(terminal.errors, /tmux needs souffleur itself to run inside tmux/)
        refuse()
        const failed = yield* service("install", id)
        assert.deepStrictEqual([failed.code, failed.lines], [1, []])
        assert.match(failed.errors, /"systemctl --user daemon-reload" failed: it ended with exit code 1/)
        yield* the.run(["release"])
        yield* watch.ended
        const over = yield* service("install", id)
        assert.deepStrictEqual([over.code, over.lines], [2, []])
        assert.match(over.errors, /has ended: released/)
      })
    )

    live("a service resumes the watch after a reboot, logs the reboot, and tells systemd that it runs and beats", () =>
      Effect.gen(function* () {
        const { file, manager, the, told } = yield* withManager([task(1, 50), task(2, 1500)])
        const conductor = yield* the.conductor(2)
        const watch = the.watch(conductor)
        const { watch: id } = yield* prints(watch, "WatchSettled")
        // The power fails.
        watch.kill("SIGKILL")
        conductor.kill("SIGKILL")
        yield* Effect.all([watch.ended, conductor.ended])
        const boot = fs.readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()
        const log = new DatabaseSync(join(the.state, "souffleur.db"))
        // The processes of then ran in another boot. Their pids are others' now: those of this very test.
        log.prepare("UPDATE events SET data = replace(data, ?, '11111111-2222-4333-8444-555555555555')").run(boot)
        log
          .prepare("UPDATE events SET data = replace(data, ?, ?)")
          .run(`"pid":${conductor.pid}`, `"pid":${process.pid}`)
        log.prepare("UPDATE events SET data = replace(data, ?, ?)").run(`"pid":${watch.pid}`, `"pid":${process.pid}`)
        log.close()

        assert.strictEqual((yield* the.run(["service", "install", id], manager)).code, 0)
        assert.include(told(), `systemctl --user start souffleur-${id}.service`)
        const { args, environment, program } = started(file(id))
        const surroundings = {
          HOME: the.home,
          XDG_RUNTIME_DIR: join(the.home, "run"),
          NOTIFY_SOCKET: "/nowhere",
          WATCHDOG_USEC: "600000"
        }
        const service = the.exactly(program, args, { ...environment, ...surroundings })
        assert.strictEqual((yield* service.ended).code, 0, service.errors())
        assert.isTrue(alive(process.pid))
        assert.lengthOf(the.launched(), 1)
        const notified = told().filter((line) => line.startsWith("systemd-notify"))
        assert.strictEqual(notified[0], "systemd-notify READY=1")
        assert.isAtLeast(notified.filter((line) => line.endsWith("WATCHDOG=1")).length, 2)
        const died = (yield* the.events).find(({ _tag }) => _tag === "ConductorDied")!
        const why = yield* the.run(["why", id, String(died.revision)])
        assert.match(why.lines.join("\n"), /was gone: the machine has restarted since/)
        // Started once more, at the next boot: nothing is left to do, and that is no failure.
        const next = the.exactly(program, args, { ...environment, ...surroundings })
        assert.deepStrictEqual([(yield* next.ended).code, next.lines], [0, []])
        assert.match(next.errors(), /has ended: completed/)
      })
    )
  })

  describe("fleet#a-host", () => {
    live("a service ships the log of a host that has joined a fleet, and says goodbye at its stop", () =>
      Effect.gen(function* () {
        const { file, manager, the, told } = yield* withManager([task(1)])
        const service = (...args: ReadonlyArray<string>) => the.run(["service", ...args], manager)
        const refused = yield* service("install", "fleet")
        assert.deepStrictEqual([refused.code, refused.lines], [2, []])
        assert.match(refused.errors, /belongs to no fleet/)
        yield* joinedAlone(the.state)
        const installed = yield* service("install", "fleet")
        assert.strictEqual(installed.code, 0, installed.errors)
        assert.include(told(), "systemctl --user start souffleur-fleet.service")
        assert.match(
          (yield* service("status", "fleet")).lines.join("\n"),
          /^souffleur-fleet\.service: active, enabled/u
        )

        const { args, environment, program } = started(file("fleet"))
        const surroundings = { HOME: the.home, XDG_RUNTIME_DIR: join(the.home, "run"), NOTIFY_SOCKET: "/nowhere" }
        const shipper = the.exactly(program, args, { ...environment, ...surroundings })
        yield* until(
          Effect.sync(() => shipper.errors()),
          (errors) => errors.includes("it cannot be reached")
        )
        assert.include(told(), "systemd-notify READY=1")
        yield* answers(shipper)

        const removed = yield* service("uninstall", "fleet")
        assert.match(removed.lines.join("\n"), /^souffleur-fleet\.service is ended and removed; nothing ships/u)
        assert.isFalse(fs.existsSync(file("fleet")))
        assert.match((yield* service("uninstall", "fleet")).lines.join("\n"), /no service of the shipper/u)
      })
    )
  })

  describe("behaviour#one-owner", () => {
    live("--resume names one watch of any folder, and nothing else", () =>
      Effect.gen(function* () {
        const the = yield* stage([task(1, 50), task(2, 100)])
        const conductor = yield* the.conductor(2)
        const watch = the.watch(conductor)
        const { watch: id } = yield* prints(watch, "WatchSettled")
        const refused = yield* the.run(["watch", "--resume", id, "--pid", "4711", "--session-id", the.session])
        assert.deepStrictEqual([refused.code, refused.lines], [2, []])
        assert.match(refused.errors, /--resume names a watch, which has its Conductor/)
        assert.strictEqual((yield* the.run(["watch", "--resume", "nobody-0000"])).code, 2)
        assert.strictEqual((yield* the.run(["watch", "--resume", id])).code, 3, "a live one is not overtaken")
        watch.kill("SIGKILL")
        yield* watch.ended
        conductor.kill("SIGKILL")
        const elsewhere = join(the.home, "elsewhere")
        fs.mkdirSync(elsewhere)
        const resumed = the.start(["watch", "--json", "--resume", id, "--project-dir", elsewhere])
        assert.strictEqual((yield* resumed.ended).code, 0, resumed.errors())
        assert.strictEqual(resumed.lines.map(said).at(-1)?._tag, "ConductorCompleted")
        assert.isTrue(fs.existsSync(join(the.project, "scene-2.txt")))
        yield* until(
          Effect.sync(() => alive(resumed.pid)),
          (yes) => !yes
        )
      })
    )
  })
})
