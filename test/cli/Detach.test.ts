import { assert, describe, it } from "@effect/vitest"
import { Processes as ProcessesPort } from "@souffleur/domain"
import { Processes } from "@souffleur/node"
import { Effect, Option } from "effect"
import * as fs from "node:fs"
import { join } from "node:path"
import { alive, bundle, stage, task, until } from "./CliStage.ts"
import { liveCase } from "./Live.ts"

const there = (file: string) =>
  until(
    Effect.sync(() => fs.existsSync(file)),
    (yes) => yes
  )

describe("behaviour#detach", () => {
  liveCase(
    "watch --detach of the Conductor itself starts a souffleur outside its tree, which outlives it and brings it back",
    () =>
      Effect.gen(function* () {
        const the = yield* stage([task(1, 50), task(2, 50)])
        const [out, errors, code, pids] = ["out", "errors", "code", "claude/sessions"].map((name) =>
          join(the.home, name)
        ) as [string, string, string, string]
        // A tool of the agent that the shell becomes: in its tree, with its marks.
        const script = `
        (
          export CLAUDE_PID=$$ CLAUDE_CODE_SESSION_ID=$2 SOUFFLEUR_LAUNCH_ID=w-g1-launch-1 CLAUDECODE=1
          until [ -e '${pids}'/$$.json ]; do sleep 0.05; done
          "$1" "$3" watch --detach --pid $$ --session-id "$2" >'${out}' 2>'${errors}'
          echo $? >'${code}.new'; mv '${code}.new' '${code}'
        ) &
        interpreter=$1; command=$3; shift 3
        exec "$interpreter" "$command" "$@"`
        const words = [process.execPath, the.session, bundle, "__stand-in", ...the.order]
        const conductor = the.spawned("/bin/sh", ["-c", script, "sh", ...words], { SOUFFLEUR_STANDIN_HANG_AT: "2" })
        yield* there(code)
        assert.strictEqual(fs.readFileSync(code, "utf8").trim(), "0", fs.readFileSync(errors, "utf8"))
        const said = fs.readFileSync(out, "utf8")
        const [, pid, watch, output] = /^souffleur, pid (\d+), watches (\S+); it prints to (\S+)\n$/u.exec(said) ?? []
        assert.isDefined(pid, said)
        const souffleur = Number(pid)

        yield* Effect.gen(function* () {
          const processes = yield* ProcessesPort
          const parents: Array<number> = []
          for (let at = souffleur; at > 0;) {
            at = Option.match(yield* processes.find(at), { onNone: () => 0, onSome: ({ parent }) => parent })
            parents.push(at)
          }
          assert.notInclude(parents, conductor.pid)
          const tags = [
            { environment: { CLAUDE_PID: String(conductor.pid) } },
            { environment: { SOUFFLEUR_LAUNCH_ID: "w-g1-launch-1" } }
          ]
          for (const tag of [
            ...tags,
            { environment: { CLAUDE_CODE_SESSION_ID: the.session } },
            { environment: { CLAUDECODE: "1" } }
          ])
            assert.notInclude(
              (yield* processes.tagged(tag)).map(({ identity }) => identity.pid),
              souffleur
            )
          const root = Option.getOrThrow(yield* processes.find(conductor.pid)).identity
          assert.notInclude(
            (yield* processes.tree(root, { tags })).map(({ identity }) => identity.pid),
            souffleur
          )
        }).pipe(Effect.provide(Processes.layer))

        // A refusal is as without --detach, and leaves no process behind.
        for (const [args, expected, says] of [
          [["--pid", String(conductor.pid), "--session-id", the.session], 3, /already watched: souffleur with pid/u],
          [["--pid", "1", "--session-id", the.session], 2, /pid 1/u],
          [["--resume", "no-such-watch"], 2, /no watch is called/u]
        ] as const) {
          const refused = yield* the.run(["watch", "--detach", ...args])
          assert.deepStrictEqual([refused.code, refused.lines], [expected, []], refused.errors)
          assert.match(refused.errors, says)
        }

        conductor.kill("SIGKILL")
        yield* until(
          Effect.sync(() => alive(souffleur)),
          (lives) => !lives
        )
        assert.strictEqual(the.row("souffleur")["state"], "complete")
        assert.lengthOf(the.launched(), 1)
        assert.include(fs.readFileSync(output!, "utf8"), `watch ${watch!} goes on`)
      })
  )

  it.live("run --detach starts a souffleur and a command that have no mark of the agent, and returns at once", () =>
    Effect.gen(function* () {
      const the = yield* stage([])
      fs.rmSync(the.comms)
      const marks = { CLAUDE_PID: String(process.pid), CLAUDE_CODE_SESSION_ID: the.session, CLAUDECODE: "1" }
      const line = 'env > marks; echo "$PPID" > parent; until [ -e go ]; do sleep 0.05; done'
      const { code, errors, lines } = yield* the.run(
        ["run", "--detach", "--json", "--no-guardian", "--", "/bin/sh", "-c", line],
        { ...marks, SOUFFLEUR_LAUNCH_ID: "w-g1-launch-1", OF_THE_USER: "kept", NOTIFY_SOCKET: "/nowhere" }
      )
      assert.strictEqual(code, 0, errors)
      const { pid } = JSON.parse(lines.join("\n")) as { readonly pid: number }
      yield* there(join(the.project, "parent"))
      const environment = fs.readFileSync(join(the.project, "marks"), "utf8").split("\n")
      assert.include(environment, "OF_THE_USER=kept")
      for (const name of ["CLAUDE_PID", "CLAUDE_CODE_SESSION_ID", "CLAUDECODE", "NOTIFY_SOCKET"])
        assert.isFalse(
          environment.some((variable) => variable.startsWith(`${name}=`)),
          name
        )
      assert.notInclude(environment, "SOUFFLEUR_LAUNCH_ID=w-g1-launch-1")
      yield* Effect.gen(function* () {
        const { tagged } = yield* ProcessesPort
        const found = yield* tagged({ environment: { CLAUDE_PID: marks.CLAUDE_PID } })
        assert.notInclude(
          found.map(({ identity }) => identity.pid),
          pid
        )
      }).pipe(Effect.provide(Processes.layer))
      // Another one is told at once what is wrong with it, and its souffleur waits for better words.
      const dead = 4_194_000
      const bad = yield* the.run(["watch", "--detach", "--pid", String(dead), "--session-id", "s-of-nobody"], {
        SOUFFLEUR_VALIDATION_RETRY_INTERVAL: "1 hour"
      })
      assert.deepStrictEqual([bad.code, bad.lines], [1, []], bad.errors)
      assert.include(bad.errors, `no process ${dead} is running`)
      const [, gone = ""] = /"souffleur release (\S+)"/u.exec(bad.errors) ?? []
      const released = yield* the.run(["release", gone])
      assert.strictEqual(released.code, 0, released.errors)
      // Said again, it goes on with the same watch, which has its souffleur.
      const again = yield* the.run(["run", "--detach", "--", "/bin/true"])
      assert.deepStrictEqual([again.code, again.lines], [3, []], again.errors)

      fs.writeFileSync(join(the.project, "go"), "")
      yield* until(
        Effect.sync(() => alive(pid)),
        (lives) => !lives
      )
      assert.strictEqual((yield* the.events).at(-1)?._tag, "ConductorCompleted")
    })
  )
})
