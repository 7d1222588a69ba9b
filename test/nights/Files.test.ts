import { assert, describe, it } from "@effect/vitest"
import { Effect, type Scope } from "effect"
import { execFileSync, spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import { dirname, join } from "node:path"
import { bundle } from "../cli/Built.ts"
import { stage, task } from "../cli/CliStage.ts"

const live = (what: string, test: () => Effect.Effect<void, unknown, Scope.Scope>) => it.live(what, test)
const asRoot = process.getuid?.() === 0
const stranger = 12_345

/** Two users of whom the machine knows nothing else: the places of their claims are in /tmp. */
const alice = 200_000 + process.pid
const bob = alice + 5_000_000
const as = (uid: number) => ["--reuid", `${uid}`, "--regid", `${uid}`, "--clear-groups"]
/** Runs souffleur as one of them and returns its words. */
const saidAs = (uid: number, cwd: string, line: ReadonlyArray<string>, env: Readonly<Record<string, string>>) => {
  const { status, stderr, stdout } = spawnSync("setpriv", [...as(uid), ...line], { cwd, env, encoding: "utf8" })
  return { code: status, errors: stderr, text: stdout }
}
/** Root, with setpriv, and a Node that others may run too. */
const asOthers = asRoot && saidAs(alice, "/", [process.execPath, "-e", ""], {}).code === 0

describe.concurrent("the owners of files", () => {
  describe("behaviour#export", () => {
    live("an export replaces no device, link, pipe or folder, and another file only with --force", () =>
      Effect.gen(function* () {
        const the = yield* stage([task(1)])
        const conductor = yield* the.conductor()
        conductor.kill("SIGKILL")
        const [mine, link] = [join(the.home, "mine.md"), join(the.home, "link.md")]
        fs.writeFileSync(mine, "mine")
        fs.symlinkSync(mine, link)
        // Never the machine's own device: where this fails, it is gone.
        const [pipe, device] = [join(the.home, "pipe"), join(the.home, "device")]
        execFileSync("mkfifo", [pipe])
        if (asRoot) execFileSync("mknod", [device, "c", "1", "3"])
        for (const [out, why] of [
          [pipe, /no regular file/],
          ...(asRoot ? ([[device, /no regular file/]] as const) : []),
          [link, /a link/],
          [the.project, /no regular file/],
          [mine, /no export: name another with --out, or write over it with --force/]
        ] as const) {
          const { code, errors } = yield* the.run(["export", the.session, "--out", out])
          assert.strictEqual(code, 2, errors)
          assert.match(errors, why)
        }
        assert.isTrue(fs.statSync(pipe).isFIFO())
        assert.isTrue(!asRoot || fs.statSync(device).isCharacterDevice())
        assert.strictEqual(fs.readFileSync(mine, "utf8"), "mine")
        for (const args of [["--force"], []]) {
          const { code, errors } = yield* the.run(["export", the.session, "--out", mine, ...args])
          assert.strictEqual(code, 0, errors)
        }
        assert.match(fs.readFileSync(mine, "utf8"), /^<!-- souffleur-export v1 /u)
      })
    )
  })

  const root = it.live.skipIf(!asRoot)

  describe("behaviour#files-of-others", () => {
    live("a state folder that others may write is refused by every command that writes there", () =>
      Effect.gen(function* () {
        const the = yield* stage([])
        fs.mkdirSync(the.state)
        fs.chmodSync(the.state, 0o777)
        for (const args of [
          ["run", "--no-guardian", "--", "/bin/true"],
          ["status"],
          ["watch", "--pid", "1234567", "--session-id", the.session]
        ]) {
          const { code, errors } = yield* the.run(args)
          assert.strictEqual(code, 2, errors)
          assert.match(errors, /state: others may write to it \(mode 0777\): chmod go-w/)
        }
        assert.deepStrictEqual(fs.readdirSync(the.state), [])
      })
    )
    root("root uses no other user's config, state folder or home (run as root: it gives files away)", () =>
      Effect.gen(function* () {
        const the = yield* stage([])
        const config = join(the.home, ".orchestra_configs")
        fs.mkdirSync(config)
        fs.writeFileSync(
          join(config, "souffleur"),
          `NOTIFY=command:/bin/touch\nMAX_EXTERNAL_PERMISSION=bypassPermissions\n`
        )
        fs.chownSync(join(config, "souffleur"), stranger, stranger)
        const { errors, lines } = yield* the.run(["config", "--json"])
        assert.match(errors, /belongs to another user|^$/u)
        const settings = JSON.parse(lines.join("\n"))
        assert.deepInclude(settings, { max_external_permission: "acceptEdits", notify: [] })
        assert.match(settings.warnings[0], /souffleur: it belongs to another user \(uid 12345, this is 0\)/)

        fs.mkdirSync(the.state, { mode: 0o700 })
        fs.chownSync(the.state, stranger, stranger)
        const owned = yield* the.run(["run", "--no-guardian", "--", "/bin/true"])
        assert.strictEqual(owned.code, 2, owned.errors)
        assert.match(owned.errors, /state: it belongs to another user/)

        // As "sudo -E" has it.
        const home = join(the.home, "alice")
        fs.mkdirSync(home)
        fs.chownSync(home, stranger, stranger)
        const preserved = yield* the.run(["run", "--no-guardian", "--", "/bin/true"], {
          HOME: home,
          SOUFFLEUR_STATE_DIR: ""
        })
        assert.strictEqual(preserved.code, 2, preserved.errors)
        assert.match(preserved.errors, /alice belongs to another user .*sudo -H/)
        assert.deepStrictEqual(fs.readdirSync(home), [])
      })
    )
  })

  describe("settings#config-file", () => {
    it.live.skipIf(!asOthers)(
      "one user uses no other's config, state folder or place of claims (run as root, with setpriv: it is two others)",
      () =>
        Effect.gen(function* () {
          const home = yield* Effect.acquireRelease(
            Effect.sync(() => fs.mkdtempSync(join(os.tmpdir(), "souffleur-users-"))),
            (one) => Effect.sync(() => fs.rmSync(one, { recursive: true, force: true }))
          )
          const claims = yield* Effect.acquireRelease(Effect.succeed(`/tmp/souffleur-${alice}`), (one) =>
            Effect.sync(() => fs.rmSync(one, { recursive: true, force: true }))
          )
          fs.chmodSync(home, 0o755)
          const published = join(home, "published")
          fs.cpSync(dirname(bundle), join(published, "dist"), { recursive: true })
          fs.copyFileSync(join(dirname(dirname(bundle)), "package.json"), join(published, "package.json"))
          const [hers, his] = [join(home, "alice"), join(home, "bob")]
          for (const [folder, uid] of [
            [hers, alice],
            [join(hers, ".orchestra_configs"), alice],
            [his, bob]
          ] as const) {
            fs.mkdirSync(folder, { mode: 0o755 })
            fs.chownSync(folder, uid, uid)
          }
          // Made by that user, for everybody to write.
          const config = join(his, "souffleur")
          const made = `umask 0; mkdir '${claims}' '${join(his, "state")}'; echo NOTIFY=command:/bin/touch > '${config}'; chmod 644 '${config}'`
          assert.strictEqual(saidAs(bob, his, ["/bin/sh", "-c", made], {}).code, 0)
          const says = (args: ReadonlyArray<string>, more: Readonly<Record<string, string>> = {}) =>
            saidAs(alice, hers, [process.execPath, join(published, "dist", "souffleur.cjs"), ...args], {
              HOME: hers,
              PATH: "/usr/bin:/bin",
              ...more
            })

          const state = says(["run", "--no-guardian", "--", "/bin/true"], { SOUFFLEUR_STATE_DIR: join(his, "state") })
          assert.strictEqual(state.code, 2, state.errors)
          assert.include(state.errors, `${his} belongs to another user (uid ${bob}, this is ${alice})`)
          assert.deepStrictEqual(fs.readdirSync(join(his, "state")), [])

          const claimed = says(["run", "--no-guardian", "--", "/bin/true"])
          assert.include(
            `${claimed.text}${claimed.errors}`,
            `${claims}: it belongs to another user (uid ${bob}, this is ${alice})`
          )
          assert.deepStrictEqual(fs.readdirSync(claims), [])

          fs.renameSync(config, join(hers, ".orchestra_configs", "souffleur"))
          const settings = JSON.parse(says(["config", "--json"]).text)
          assert.deepStrictEqual(settings.notify, [])
          assert.include(settings.warnings[0], `souffleur: it belongs to another user (uid ${bob}, this is ${alice})`)
        })
    )
  })
})
