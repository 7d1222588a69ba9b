import { assert, describe } from "@effect/vitest"
import { Claims as ClaimsPort } from "@souffleur/domain"
import { Claims, Processes } from "@souffleur/node"
import { Effect, Layer } from "effect"
import { randomUUID } from "node:crypto"
import * as fs from "node:fs"
import { join } from "node:path"
import { prints, stage, task } from "./CliStage.ts"
import { live, liveCase } from "./Live.ts"

type Stage = Effect.Success<ReturnType<typeof stage>>

/** Files of a home with their content, but for the agent's own sessions and its work. */
const filesOf = ({ home }: Stage): Readonly<Record<string, string>> => {
  const names = (fs.readdirSync(home, { recursive: true }) as ReadonlyArray<string>).filter(
    (name) => fs.lstatSync(join(home, name)).isFile() && !/^(?:claude\/(?:sessions|projects)|opera\/[^.])/u.test(name)
  )
  return Object.fromEntries(names.toSorted().map((name) => [name, fs.readFileSync(join(home, name), "latin1")]))
}

/** A `systemctl` that does nothing. */
const manager = (the: Stage) => {
  const bin = join(the.home, "bin")
  fs.mkdirSync(bin)
  fs.writeFileSync(join(bin, "systemctl"), "#!/bin/sh\n", { mode: 0o755 })
  return { PATH: `${bin}:/usr/local/bin:/usr/bin:/bin` }
}

/** Leaves a claim as of a souffleur that was killed, and returns its path. */
const deadClaim = Effect.gen(function* () {
  const { self } = yield* ClaimsPort
  const folder = Claims.usualFolder(process.getuid?.() ?? 0)
  const file = join(folder, `session-${randomUUID()}.1`)
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 })
  const owner = { ...self, process: { ...self.process, startTime: 1 } }
  fs.writeFileSync(file, JSON.stringify(owner), { mode: 0o600 })
  return file
}).pipe(Effect.provide(Layer.provide(Claims.layer(), Processes.layer)))

const foreign =
  '{\n  "hooks": { "Stop": [{ "hooks": [{ "type": "command", "command": "notify-me" }] }] },\n  "theme": "dark"\n}\n'

describe("command-line#uninstall", () => {
  describe.concurrent("souffleur uninstall", () => {
    liveCase(
      "an uninstall with --state leaves no file of souffleur, and gives each settings file back to the byte",
      () =>
        Effect.gen(function* () {
          const the = yield* stage([task(1)])
          const path = manager(the)
          fs.mkdirSync(join(the.project, ".claude"))
          fs.writeFileSync(join(the.project, ".claude", "settings.local.json"), foreign)
          const other = join(the.home, "aida")
          fs.mkdirSync(other)
          const before = filesOf(the)
          const conductor = yield* the.conductor()
          const watch = the.watch(conductor)
          const { watch: id } = yield* prints(watch, "WatchSettled")
          const uninstall = (...args: ReadonlyArray<string>) => the.run(["uninstall", ...args], path)

          const alive = yield* uninstall("--yes")
          assert.deepStrictEqual([alive.code, alive.lines], [3, []])
          assert.include(alive.errors, `watch ${id} is alive: souffleur release ${id}`)
          const seen = yield* uninstall("--state", "--dry-run")
          assert.deepStrictEqual([seen.code, seen.errors], [0, alive.errors.replace(/^souffleur: /u, "")])
          assert.include(seen.lines.join("\n"), "souffleur.db")

          for (const args of [
            ["service", "install", id],
            ["hooks", "install"],
            ["hooks", "install", "--user"],
            ["hooks", "install", "--project-dir", other],
            ["setup", "--yes", "--service"],
            ["config", "--trust"],
            ["release", id]
          ]) {
            const { code, errors } = yield* the.run(args, path)
            assert.strictEqual(code, 0, `${args.join(" ")}: ${errors}`)
          }
          yield* watch.ended
          // One service is of this watch, and that of the setup is of all.
          assert.lengthOf(
            Object.keys(filesOf(the)).filter((name) => /souffleur.*\.service$/u.test(name)),
            2
          )
          fs.mkdirSync(join(the.home, ".cache", "souffleur"), { recursive: true })
          fs.writeFileSync(join(the.home, ".cache", "souffleur", "compiled"), "")

          // The first look at a watch that has ended keeps its fold in the database.
          yield* the.run(["status"], path)
          const installed = filesOf(the)
          const dry = yield* uninstall("--state", "--dry-run", "--json")
          const { found } = JSON.parse(dry.lines.join("\n")) as { found: ReadonlyArray<{ kind: string; path: string }> }
          assert.deepStrictEqual(
            [...new Set(found.map(({ kind }) => kind))].toSorted(),
            ["compiled code", "guardian", "hook signs", "hooks", "service", "state", "trust"].filter(
              (kind) => kind !== "guardian" || fs.existsSync(join(the.state, "guardians"))
            )
          )
          const unasked = yield* uninstall("--state")
          assert.strictEqual(unasked.code, 2)
          assert.include(unasked.errors, "nothing is removed without --yes")
          assert.deepStrictEqual(filesOf(the), installed)

          const first = yield* uninstall("--yes")
          assert.strictEqual(first.code, 0, first.errors)
          assert.deepStrictEqual(
            Object.keys(filesOf(the)).filter((name) => !(name in before) && !name.startsWith("state/")),
            []
          )
          assert.isTrue(fs.existsSync(join(the.state, "souffleur.db")), "the log stays until it is asked for")
          const claim = yield* deadClaim
          const second = yield* uninstall("--yes", "--state")
          assert.strictEqual(second.code, 0, second.errors)
          assert.isFalse(fs.existsSync(claim), "the claim of a dead souffleur goes")
          assert.isFalse(fs.existsSync(the.state))
          assert.deepStrictEqual(filesOf(the), before)

          const third = yield* uninstall("--yes", "--state")
          assert.deepStrictEqual([third.code, third.lines], [0, ["There is nothing of souffleur here."]])
        })
    )

    live("an uninstall refuses a link by name, leaves files of others, and ends with 1 where something stays", () =>
      Effect.gen(function* () {
        const the = yield* stage([])
        const precious = join(the.home, "precious")
        fs.mkdirSync(precious)
        fs.writeFileSync(join(precious, "photo"), "")
        fs.mkdirSync(join(the.state, "restorations"), { recursive: true, mode: 0o700 })
        fs.chmodSync(the.state, 0o700)
        fs.writeFileSync(join(the.state, "restorations", "w.json"), "{}")
        fs.writeFileSync(join(the.state, "notes.txt"), "mine")
        fs.symlinkSync(precious, join(the.state, "trust"))
        const { code, errors, lines } = yield* the.run(["uninstall", "--yes", "--state", "--json"])
        assert.strictEqual(code, 1, errors)
        const told = JSON.parse(lines.join("\n")) as { removed: ReadonlyArray<object>; left: ReadonlyArray<object> }
        assert.deepStrictEqual(told.removed, [{ kind: "guardian", path: join(the.state, "restorations") }])
        assert.deepStrictEqual(told.left, [
          { path: join(the.state, "trust"), message: "it is a link, and souffleur makes none" }
        ])
        assert.deepStrictEqual(fs.readdirSync(precious), ["photo"])
        assert.deepStrictEqual(fs.readdirSync(the.state).toSorted(), ["notes.txt", "trust"])
      })
    )
  })
})
