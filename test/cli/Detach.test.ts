import { assert, it } from "@effect/vitest"
import { Processes as ProcessesPort } from "@souffleur/domain"
import { Processes } from "@souffleur/node"
import { Effect, Option } from "effect"
import * as fs from "node:fs"
import { join } from "node:path"
import { alive, bundle, stage, task, until } from "./CliStage.ts"

const there = (file: string) =>
  until(
    Effect.sync(() => fs.existsSync(file)),
    (yes) => yes
  )

it.live(
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
          (yield* processes.tree(root, tags, [])).map(({ identity }) => identity.pid),
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
    }),
  120_000
)
