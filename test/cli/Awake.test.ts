import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import * as fs from "node:fs"
import { join } from "node:path"
import { alive, prints, stage, until } from "./CliStage.ts"
import { live } from "./Live.ts"

/** Plays the system's inhibitor: it notes its pid and its words, and runs the last of them. */
const inhibitor = (note: string) =>
  `#!/bin/sh\necho "$$ $*" >> '${note}'\nwhile [ "$#" -gt 1 ]; do shift; done\nexec "$1"\n`

describe("settings#keys", () => {
  live("KEEP_AWAKE: the machine is kept awake while an agent works, and no longer, however souffleur ends", () =>
    Effect.gen(function* () {
      const the = yield* stage([])
      const [bin, note] = [join(the.home, "bin"), join(the.home, "awake")]
      fs.mkdirSync(bin)
      fs.writeFileSync(join(bin, "systemd-inhibit"), inhibitor(note), { mode: 0o700 })
      const env = { PATH: `${bin}:${the.environment["PATH"]}`, SOUFFLEUR_KEEP_AWAKE: "yes" }
      const noted = Effect.sync(() =>
        fs.existsSync(note)
          ? fs
              .readFileSync(note, "utf8")
              .trim()
              .split("\n")
              .map((line) => Number.parseInt(line, 10))
          : []
      )
      const begins = (count: number) => until(noted, ({ length }) => length === count)
      const ends = (pid: number) =>
        until(
          Effect.sync(() => alive(pid)),
          (yes) => !yes
        )
      const run = the.start(["run", "--json", "--no-guardian", "--", "sh", "-c", "sleep 600"], env)
      const { watch } = yield* prints(run, "ConductorConfirmed")
      const [first] = yield* begins(1)
      assert.isTrue(alive(first!))
      process.kill(run.pid, "SIGKILL")
      yield* ends(first!)

      const again = the.start(["resume", String(watch), "--json"], env)
      const [, second] = yield* begins(2)
      assert.strictEqual((yield* the.ask(["stop", String(watch)])).code, 0)
      yield* again.ended
      yield* ends(second!)
      assert.include(fs.readFileSync(note, "utf8"), "--what=idle:sleep --who=souffleur --why=an agent works cat")
    })
  )
  live("KEEP_AWAKE: where no program of the system can do it, that is said, and the work goes on", () =>
    Effect.gen(function* () {
      const the = yield* stage([])
      const bin = join(the.home, "bin")
      fs.mkdirSync(bin)
      fs.writeFileSync(join(bin, "systemd-inhibit"), "#!/bin/sh\nexit 1\n", { mode: 0o700 })
      const run = yield* the.run(["run", "--", "/bin/sh", "-c", "sleep 1"], {
        PATH: `${bin}:${the.environment["PATH"]}`,
        SOUFFLEUR_KEEP_AWAKE: "yes"
      })
      assert.strictEqual(run.code, 0)
      assert.include(run.errors, "systemd-inhibit has ended, and the machine may sleep")
    })
  )
})
