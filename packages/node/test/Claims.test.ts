import * as fs from "node:fs"
import * as os from "node:os"
import { fileURLToPath } from "node:url"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Claims, type Owner, type ProcessIdentity } from "@souffleur/domain"
import { ConfigProvider, Effect, Layer } from "effect"
import * as NodeClaims from "../src/Claims.ts"
import * as NodeProcesses from "../src/Processes.ts"
import { becomes, folder, identity, killed, output, spawned } from "./fixtures/Spawned.ts"

const claimer = fileURLToPath(new URL("fixtures/claimer.ts", import.meta.url))
const conductor: ProcessIdentity = { pid: 4711, startTime: 42, bootId: "0b0b" }
const key = "0b0b-4711-42"

const claimsIn = (at: string) => Effect.provide(Claims, NodeClaims.layer({ folder: at }))

const stand = (at: string, number: number, owner: Owner) => {
  fs.writeFileSync(join(at, `${key}.${number}`), JSON.stringify(owner))
}

it.layer(NodeProcesses.layer, { excludeTestServices: true })((it) => {
  it.effect("claims once, and again after a release, and for another Conductor", () =>
    Effect.gen(function* () {
      const at = join(yield* folder, "claims")
      const claims = yield* claimsIn(at)
      yield* claims.release(conductor)
      yield* claims.claim(conductor)
      yield* claims.claim(conductor)
      assert.deepStrictEqual(fs.readdirSync(at), [`${key}.1`])
      assert.strictEqual(fs.statSync(at).mode & 0o777, 0o700)
      assert.strictEqual(fs.statSync(join(at, `${key}.1`)).mode & 0o777, 0o600)
      yield* claims.release(conductor)
      yield* claims.release(conductor)
      yield* claims.claim(conductor)
      assert.deepStrictEqual(fs.readdirSync(at).sort(), [`${key}.1`, `${key}.1.released`, `${key}.2`])
      yield* claims.claim({ ...conductor, startTime: 4 })
    })
  )

  it.effect("claims a session by any words, beside a project of that name", () =>
    Effect.gen(function* () {
      const at = join(yield* folder, "claims")
      const claims = yield* claimsIn(at)
      const session = "../a b/$(x)"
      yield* claims.claim({ session })
      yield* claims.claim({ project: session })
      const names = fs.readdirSync(at).sort()
      assert.match(names.join(" "), /^project-[0-9a-f]{32}\.1 session-[0-9a-f]{32}\.1$/u)
      const other = { ...claims.self, pidNamespace: "pid:[0]" }
      fs.writeFileSync(join(at, names[1]!.replace(/1$/u, "2")), JSON.stringify(other))
      assert.deepInclude(yield* Effect.flip(claims.claim({ session })), { _tag: "AlreadyWatched" })
      yield* claims.claim({ project: session })
      yield* claims.claim({ session: `${session}/` })
    })
  )
  it.effect("claims a project by its path, beside any Conductor", () =>
    Effect.gen(function* () {
      const at = join(yield* folder, "claims")
      const claims = yield* claimsIn(at)
      const project = "/home/a b/$(x)/../opera"
      yield* claims.claim({ project })
      yield* claims.claim(conductor)
      const name = fs.readdirSync(at).find((file) => file.startsWith("project-")) ?? ""
      assert.match(name, /^project-[0-9a-f]{32}\.1$/u)
      const other = { host: claims.self.host, pidNamespace: claims.self.pidNamespace, process: { ...claims.self.process, pid: 1 } }
      fs.writeFileSync(join(at, name.replace(/1$/u, "2")), JSON.stringify({ ...other, pidNamespace: "pid:[0]" }))
      assert.deepInclude(yield* Effect.flip(claims.claim({ project })), { _tag: "AlreadyWatched" })
      yield* claims.claim({ project: `${project}/` })
    })
  )
  it.effect("refuses while another souffleur lives or is stopped, and takes over when it is dead", () =>
    Effect.gen(function* () {
      const at = yield* folder
      const claims = yield* claimsIn(at)
      const other: Owner = { ...claims.self, process: yield* identity((yield* spawned("/bin/sleep", ["300"])).pid) }
      stand(at, 1, other)
      const refused = yield* Effect.flip(claims.claim(conductor))
      assert.deepStrictEqual(refused.owner, other)
      process.kill(other.process.pid, "SIGSTOP")
      yield* becomes(other.process, "stopped")
      yield* Effect.flip(claims.claim(conductor))
      yield* claims.release(conductor)
      assert.deepStrictEqual(fs.readdirSync(at), [`${key}.1`], "only the owner releases")
      yield* killed(other.process.pid)
      yield* becomes(other.process, "gone")
      yield* claims.claim(conductor)
      assert.deepStrictEqual(fs.readdirSync(at).sort(), [`${key}.1`, `${key}.2`])
    })
  )

  it.effect("holds dead only what is provably dead", () =>
    Effect.gen(function* () {
      const at = yield* folder
      const claims = yield* claimsIn(at)
      const rebooted: Owner = { ...claims.self, process: { ...claims.self.process, bootId: "before" } }
      const elsewhere: ReadonlyArray<Owner> = [
        { ...rebooted, host: "another" },
        { ...rebooted, pidNamespace: "pid:[1]" }
      ]
      assert.isTrue(yield* claims.isDead(rebooted))
      assert.isFalse(yield* claims.isDead(claims.self))
      for (const [n, owner] of elsewhere.entries()) {
        assert.isFalse(yield* claims.isDead(owner))
        stand(at, n + 1, owner)
        assert.match((yield* Effect.flip(claims.claim(conductor))).why, /may be alive/)
      }
      fs.writeFileSync(join(at, `${key}.10`), '{"host":')
      assert.match((yield* Effect.flip(claims.claim(conductor))).why, /cannot be read/)
      stand(at, 9, rebooted)
      yield* Effect.flip(claims.claim(conductor))
      stand(at, 11, rebooted)
      yield* claims.claim(conductor)
      assert.isTrue(fs.existsSync(join(at, `${key}.12`)))
    })
  )

  it.effect("uses no folder that is not this user's alone", () =>
    Effect.gen(function* () {
      const at = yield* folder
      fs.mkdirSync(join(at, "open"))
      fs.chmodSync(join(at, "open"), 0o755)
      fs.symlinkSync(os.tmpdir(), join(at, "link"))
      fs.writeFileSync(join(at, "file"), "")
      for (const [name, why] of [
        ["open", /others may look/],
        ["link", /no folder|cannot be made/],
        ["file", /no folder|cannot be made/]
      ] as const) {
        const failure = yield* Effect.flip(claimsIn(join(at, name)))
        assert.strictEqual(failure._tag, "ClaimsUnusable", name)
        assert.match(failure.why, why)
      }
      if (process.getuid?.() === 0) {
        fs.mkdirSync(join(at, "strange"), { mode: 0o700 })
        fs.chownSync(join(at, "strange"), 12_345, 12_345)
        assert.match((yield* Effect.flip(claimsIn(join(at, "strange")))).why, /another user/)
      }
    })
  )

  it.effect("stands in the user's runtime folder", () =>
    Effect.gen(function* () {
      const at = yield* folder
      const environment = ConfigProvider.layer(ConfigProvider.fromEnv({ env: { XDG_RUNTIME_DIR: at } }))
      const claims = yield* Effect.provide(Claims, NodeClaims.layer().pipe(Layer.provide(environment)))
      yield* claims.claim(conductor)
      assert.deepStrictEqual(fs.readdirSync(join(at, "souffleur")), [`${key}.1`])
    })
  )

  for (const before of ["nobody", "a dead owner", "a release"]) {
    it.effect(`is won by exactly one of several processes at once, after ${before}`, () =>
      Effect.gen(function* () {
        const at = yield* folder
        const claims = yield* claimsIn(at)
        if (before === "a dead owner") stand(at, 1, { ...claims.self, process: { ...claims.self.process, bootId: "before" } })
        if (before === "a release") {
          yield* claims.claim(conductor)
          yield* claims.release(conductor)
        }
        const all = yield* Effect.replicateEffect(spawned(process.execPath, [claimer, at, JSON.stringify(conductor)]), 4)
        yield* Effect.forEach(all, output, { concurrency: "unbounded" })
        const said = Effect.forEach(all, output, { concurrency: "unbounded" })
        for (const one of all) one.stdin?.write("go\n")
        assert.deepStrictEqual((yield* said).sort(), ["AlreadyWatched", "AlreadyWatched", "AlreadyWatched", "won"])
      })
    )
  }
})
