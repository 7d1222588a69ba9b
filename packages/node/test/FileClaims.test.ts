import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import { fileURLToPath } from "node:url"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Claims, claimTried, type Owner, Processes, type ProcessIdentity } from "@souffleur/domain"
import { Effect, Layer } from "effect"
import * as NodeClaims from "../src/files/FileClaims.ts"
import * as NodeProcesses from "../src/processes/Processes.ts"
import { builtProgram } from "./fixtures/BuiltProgram.ts"
import { becomes, folder, identity, killed, output, spawned } from "./fixtures/Spawned.ts"

const claimer = await builtProgram(fileURLToPath(new URL("fixtures/claimer.ts", import.meta.url)))
const processUid = process.getuid?.() ?? 0
const asRoot = processUid === 0
const conductor: ProcessIdentity = { pid: 4711, startTime: 42, bootId: "0b0b" }
const key = "0b0b-4711-42"

const claimsIn = (at: string) => Effect.provide(Claims, NodeClaims.layer({ folder: at }))

const stand = (at: string, number: number, owner: Owner) => {
  fs.writeFileSync(join(at, `${key}.${number}`), JSON.stringify(owner), { mode: 0o600 })
}
it.layer(NodeProcesses.layer, { excludeTestServices: true })((it) => {
  describe("behaviour#claims", () => {
    it.effect("a claim is taken once, again after a release, and beside one of another Conductor", () =>
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
        assert.deepStrictEqual(fs.readdirSync(at), [`${key}.1`], "a released claim leaves nothing")
        yield* claims.claim({ ...conductor, startTime: 4 })
      })
    )

    it.effect("an own claim whose file cannot be read any more is still one's own, and goes with its release", () =>
      Effect.gen(function* () {
        const at = join(yield* folder, "claims")
        const claims = yield* claimsIn(at)
        yield* claims.claim(conductor)
        // As after a word of a person to all files below a home.
        fs.chmodSync(join(at, `${key}.1`), 0o644)
        yield* claims.claim(conductor)
        assert.deepStrictEqual(fs.readdirSync(at), [`${key}.1`])
        const { reason } = yield* Effect.flip(Effect.flatMap(claimsIn(at), ({ claim }) => claim(conductor))).pipe(
          Effect.map((error) => ({ reason: error._tag }))
        )
        assert.strictEqual(reason, "AlreadyWatched")
        yield* claims.release(conductor)
        assert.deepStrictEqual(fs.readdirSync(at), [])
      })
    )

    it.effect("another layer of one process is refused as another process is, and frees nothing of the first", () =>
      Effect.gen(function* () {
        const at = join(yield* folder, "claims")
        const [first, second] = [yield* claimsIn(at), yield* claimsIn(at)]
        assert.deepStrictEqual([yield* first.claim(conductor), yield* first.claim(conductor)], [true, false])
        assert.deepInclude(yield* Effect.flip(second.claim(conductor)), { _tag: "AlreadyWatched", owner: second.self })
        yield* second.release(conductor)
        yield* claimTried(first, conductor)
        assert.deepStrictEqual(fs.readdirSync(at), [`${key}.1`])
        yield* first.release(conductor)
        yield* claimTried(second, conductor)
        assert.deepStrictEqual(fs.readdirSync(at), [])
        assert.isTrue(yield* second.claim(conductor))
      })
    )

    it.effect("a session with any id can be claimed, beside a project of that name", () =>
      Effect.gen(function* () {
        const at = join(yield* folder, "claims")
        const claims = yield* claimsIn(at)
        const session = "../a b/$(x)"
        yield* claims.claim({ session })
        yield* claims.claim({ project: session })
        const names = fs.readdirSync(at).sort()
        assert.match(names.join(" "), /^project-[0-9a-f]{32}\.1 session-[0-9a-f]{32}\.1$/u)
        const other = { ...claims.self, pidNamespace: "pid:[0]" }
        fs.rmSync(join(at, names[1]!))
        fs.writeFileSync(join(at, names[1]!.replace(/1$/u, "2")), JSON.stringify(other), { mode: 0o600 })
        assert.deepInclude(yield* Effect.flip(claims.claim({ session })), { _tag: "AlreadyWatched" })
        yield* claims.claim({ project: session })
        yield* claims.claim({ session: `${session}/` })
      })
    )
    it.effect("a project is claimed by its path, beside any Conductor", () =>
      Effect.gen(function* () {
        const at = join(yield* folder, "claims")
        const claims = yield* claimsIn(at)
        const project = "/home/a b/$(x)/../opera"
        yield* claims.claim({ project })
        yield* claims.claim(conductor)
        const name = fs.readdirSync(at).find((file) => file.startsWith("project-")) ?? ""
        assert.match(name, /^project-[0-9a-f]{32}\.1$/u)
        const other = {
          host: claims.self.host,
          machine: claims.self.machine,
          pidNamespace: claims.self.pidNamespace,
          process: { ...claims.self.process, pid: 1 }
        }
        fs.rmSync(join(at, name))
        fs.writeFileSync(join(at, name), JSON.stringify({ ...other, pidNamespace: "pid:[0]" }), { mode: 0o600 })
        assert.deepInclude(yield* Effect.flip(claims.claim({ project })), { _tag: "AlreadyWatched" })
        yield* claims.claim({ project: `${project}/` })
      })
    )

    it.effect(
      "a comms file is claimed under each of its names, and under its path where another file comes there",
      () =>
        Effect.gen(function* () {
          const [at, project] = [join(yield* folder, "claims"), yield* folder]
          const claims = yield* claimsIn(at)
          const comms = join(project, "comms.db")
          fs.writeFileSync(comms, "")
          fs.symlinkSync(comms, join(project, "linked.db"))
          fs.linkSync(comms, join(project, "other-name.db"))
          yield* claims.claim({ comms })
          const names = fs.readdirSync(at).sort()
          assert.lengthOf(names, 2)
          // As if another souffleur had claimed it.
          const living = yield* identity((yield* spawned("/bin/sleep", ["300"])).pid)
          const other = JSON.stringify({ ...claims.self, machine: claims.self.machine, process: living })
          for (const name of names) fs.writeFileSync(join(at, name), other)
          for (const name of ["comms.db", "linked.db", "other-name.db"])
            assert.deepInclude(yield* Effect.flip(claims.claim({ comms: join(project, name) })), {
              _tag: "AlreadyWatched"
            })
          fs.rmSync(comms)
          fs.writeFileSync(comms, "another file")
          assert.deepInclude(yield* Effect.flip(claims.claim({ comms })), { _tag: "AlreadyWatched" })
          assert.deepStrictEqual(fs.readdirSync(at).sort(), names, "a refused claim leaves nothing")
        })
    )

    it.effect("a folder of claims must be this user's alone", () =>
      Effect.gen(function* () {
        const at = yield* folder
        fs.mkdirSync(join(at, "open"))
        fs.chmodSync(join(at, "open"), 0o755)
        fs.symlinkSync(os.tmpdir(), join(at, "link"))
        fs.writeFileSync(join(at, "file"), "")
        for (const [name, why] of [
          ["open", /others may look into it .*chmod go-rwx/],
          ["link", /a link/],
          ["file", /no folder/]
        ] as const) {
          const failure = yield* Effect.flip((yield* claimsIn(join(at, name))).claim(conductor))
          assert.strictEqual(failure._tag, "ClaimFailed", name)
          assert.match(failure.message, why)
          assert.include(failure.message, join(at, name))
        }
        if (process.getuid?.() === 0) {
          fs.mkdirSync(join(at, "strange"), { mode: 0o700 })
          fs.chownSync(join(at, "strange"), 12_345, 12_345)
          assert.match(
            (yield* Effect.flip((yield* claimsIn(join(at, "strange"))).claim(conductor))).message,
            /strange: it belongs to another user .*chown/
          )
        }
      })
    )

    it("the folder of claims is in the home of the password database, whatever the environment says, else in /tmp", () => {
      const place = NodeClaims.usualFolder(processUid)
      assert.match(place, /\/\.local\/state\/souffleur-claims$|^\/tmp\/souffleur-\d+$/u)
      const before = { ...process.env }
      try {
        for (const name of [
          "HOME",
          "XDG_RUNTIME_DIR",
          "XDG_STATE_HOME",
          "TMPDIR",
          "USER",
          "LOGNAME",
          "SOUFFLEUR_STATE_DIR"
        ]) {
          process.env[name] = "/nowhere"
          assert.strictEqual(NodeClaims.usualFolder(processUid), place, name)
          delete process.env[name]
          assert.strictEqual(NodeClaims.usualFolder(processUid), place, name)
        }
      } finally {
        Object.assign(process.env, before)
      }
    })

    it.effect("the folder of claims is in /tmp if this user's home takes no folder", () =>
      Effect.gen(function* () {
        const at = yield* folder
        fs.writeFileSync(join(at, "file"), "")
        fs.mkdirSync(join(at, "open"))
        fs.chmodSync(join(at, "open"), 0o777)
        for (const home of [join(at, "none"), join(at, "file"), join(at, "open"), "/proc"])
          assert.strictEqual(NodeClaims.usualFolder(4711, home), "/tmp/souffleur-4711", home)
        assert.strictEqual(NodeClaims.usualFolder(4711, at), join(at, ".local/state/souffleur-claims"))
      })
    )

    it.effect("a folder that vanishes while souffleur runs is made again, and a read-only one is reported", () =>
      Effect.gen(function* () {
        const home = yield* folder
        const at = join(home, "claims")
        const claims = yield* claimsIn(at)
        yield* claims.claim(conductor)
        fs.rmSync(at, { recursive: true })
        yield* claims.release(conductor)
        yield* claims.claim({ session: "a" })
        assert.strictEqual(fs.readdirSync(at).length, 1)
        assert.strictEqual(fs.statSync(at).mode & 0o777, 0o700)
        fs.rmSync(at, { recursive: true })
        fs.writeFileSync(at, "")
        const failed = yield* Effect.flip(claims.claim({ session: "b" }))
        assert.strictEqual(failed._tag, "ClaimFailed")
        yield* claims.release({ session: "a" })
        const nowhere = yield* Effect.flip((yield* claimsIn("/proc/nowhere/claims")).claim(conductor))
        assert.match(nowhere.message, /\/proc\/nowhere\/claims: it cannot be written/)
      })
    )

    it.effect.skipIf(!asRoot)("a full disk is reported (run as root: it mounts one)", () =>
      Effect.gen(function* () {
        const at = yield* folder
        yield* Effect.acquireRelease(
          Effect.sync(() => execFileSync("mount", ["-t", "tmpfs", "-o", "size=16k,mode=700", "none", at])),
          () => Effect.sync(() => execFileSync("umount", [at]))
        )
        const claims = yield* claimsIn(at)
        yield* claims.claim(conductor)
        yield* Effect.ignore(Effect.try(() => fs.writeFileSync(join(at, "fill"), Buffer.alloc(65_536))))
        const failed = yield* Effect.flip(claims.claim({ session: "a" }))
        assert.strictEqual(failed._tag, "ClaimFailed")
        assert.match(failed.message, /disk is full: make room/)
        fs.rmSync(join(at, "fill"))
        yield* claims.claim({ session: "a" })
      })
    )

    it.effect("a folder of claims is made, and swept, by the first claim", () =>
      Effect.gen(function* () {
        const at = join(yield* folder, "claims")
        yield* claimsIn(at)
        assert.isFalse(fs.existsSync(at))
        const claims = yield* claimsIn(at)
        yield* claims.claim(conductor)
        stand(at, 7, { ...claims.self, process: { ...claims.self.process, bootId: "before" } })
        const later = yield* claimsIn(at)
        assert.lengthOf(fs.readdirSync(at), 2)
        yield* later.claim({ session: "s" })
        assert.lengthOf(fs.readdirSync(at), 2)
        assert.notInclude(fs.readdirSync(at), `${key}.7`)
      })
    )
    it.effect("claims of dead owners are removed by the first claim of a process, and no others", () =>
      Effect.gen(function* () {
        const at = yield* folder
        const claims = yield* claimsIn(at)
        const living: Owner = { ...claims.self, process: yield* identity((yield* spawned("/bin/sleep", ["300"])).pid) }
        stand(at, 1, { ...claims.self, process: { ...claims.self.process, bootId: "before" } })
        stand(at, 2, { ...claims.self, process: { ...claims.self.process, startTime: 1 } })
        stand(at, 3, living)
        stand(at, 4, { ...living, pidNamespace: "pid:[0]" })
        fs.writeFileSync(join(at, `${key}.5`), "{", { mode: 0o600 })
        fs.writeFileSync(join(at, "mine"), "{", { mode: 0o600 })
        const next = yield* claimsIn(at)
        yield* next.claim({ session: "s" })
        yield* next.release({ session: "s" })
        assert.deepStrictEqual(fs.readdirSync(at).sort(), [`${key}.3`, `${key}.4`, `${key}.5`, "mine"])
        // Somebody else removes: it is left to that one.
        stand(at, 1, { ...claims.self, process: { ...claims.self.process, bootId: "before" } })
        fs.writeFileSync(join(at, "sweeping.1"), JSON.stringify(living), { mode: 0o600 })
        yield* (yield* claimsIn(at)).claim({ session: "s" })
        assert.include(fs.readdirSync(at), `${key}.1`)
      })
    )

    // The slow claimer looked and then halted. Meanwhile the claim it saw was removed and taken by another. So it makes a
    // number that is free by now.
    it.effect("a slow claimer gets no claim beside a claim that came meanwhile", () =>
      Effect.gen(function* () {
        const at = yield* folder
        const claims = yield* claimsIn(at)
        const living: Owner = { ...claims.self, process: yield* identity((yield* spawned("/bin/sleep", ["300"])).pid) }
        const dead: Owner = { ...claims.self, process: { ...claims.self.process, startTime: 1 } }
        const processes = yield* Processes
        const slow = NodeClaims.layer({ folder: at }).pipe(
          Layer.provide(
            Layer.succeed(Processes, {
              ...processes,
              condition: (one) =>
                Effect.tap(processes.condition(one), () =>
                  Effect.sync(() => {
                    if (one.startTime !== 1 || !fs.existsSync(join(at, `${key}.4`))) return
                    fs.rmSync(join(at, `${key}.4`))
                    stand(at, 1, living)
                  })
                )
            })
          )
        )
        const other = yield* Effect.provide(Claims, slow)
        // The first claim of a process removes the claims of dead owners: here it has been made.
        yield* other.claim({ ...conductor, pid: 4712 })
        yield* other.release({ ...conductor, pid: 4712 })
        stand(at, 4, dead)
        assert.deepInclude(yield* Effect.flip(other.claim(conductor)), { _tag: "AlreadyWatched", owner: living })
        assert.deepStrictEqual(fs.readdirSync(at), [`${key}.1`])
      })
    )

    for (const before of ["no owner", "a dead owner", "a release"]) {
      it.effect(`exactly one of several processes wins a claim, after ${before}`, () =>
        Effect.gen(function* () {
          const at = yield* folder
          const claims = yield* claimsIn(at)
          if (before === "a dead owner")
            stand(at, 1, { ...claims.self, process: { ...claims.self.process, bootId: "before" } })
          if (before === "a release") {
            yield* claims.claim(conductor)
            yield* claims.release(conductor)
          }
          const all = yield* Effect.replicateEffect(
            spawned(process.execPath, [claimer, at, JSON.stringify(conductor)]),
            4
          )
          yield* Effect.forEach(all, output, { concurrency: "unbounded" })
          const said = Effect.forEach(all, output, { concurrency: "unbounded" })
          for (const one of all) one.stdin?.write("go\n")
          assert.deepStrictEqual((yield* said).sort(), ["AlreadyWatched", "AlreadyWatched", "AlreadyWatched", "won"])
        })
      )
    }
  })

  describe("behaviour#one-owner", () => {
    it.effect("a claim is refused while another souffleur lives or is stopped, and taken over when it is dead", () =>
      Effect.gen(function* () {
        const at = yield* folder
        const claims = yield* claimsIn(at)
        const other: Owner = { ...claims.self, process: yield* identity((yield* spawned("/bin/sleep", ["300"])).pid) }
        stand(at, 1, other)
        assert.deepInclude(yield* Effect.flip(claims.claim(conductor)), { _tag: "AlreadyWatched", owner: other })
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

    it.effect("an owner is dead only if that is provable", () =>
      Effect.gen(function* () {
        const at = yield* folder
        const claims = yield* claimsIn(at)
        const rebooted: Owner = { ...claims.self, process: { ...claims.self.process, bootId: "before" } }
        const elsewhere: ReadonlyArray<Owner> = [
          { ...rebooted, host: "another" },
          { ...rebooted, machine: "another" },
          { ...rebooted, machine: null },
          { ...rebooted, pidNamespace: "pid:[1]" }
        ]
        assert.isTrue(yield* claims.isDead(rebooted))
        assert.isFalse(yield* claims.isDead(claims.self))
        for (const [n, owner] of elsewhere.entries()) {
          assert.isFalse(yield* claims.isDead(owner))
          stand(at, n + 1, owner)
          assert.match(
            (yield* Effect.flip(claims.claim(conductor))).message,
            new RegExp(`may be alive: .* remove ${at}/${key}.${n + 1}`)
          )
          // A person may say that it is gone.
          yield* claims.forget(claims.self)
          assert.deepStrictEqual(fs.readdirSync(at), [`${key}.${n + 1}`])
          yield* claims.forget(owner)
          assert.deepStrictEqual(fs.readdirSync(at), [])
        }
        // A claim that cannot be read is in the way, whatever number it has.
        fs.writeFileSync(join(at, `${key}.10`), '{"host":', { mode: 0o600 })
        stand(at, 11, rebooted)
        assert.match((yield* Effect.flip(claims.claim(conductor))).message, /cannot be read: .* remove /)
        fs.rmSync(join(at, `${key}.10`))
        yield* claims.claim(conductor)
        assert.isTrue(fs.existsSync(join(at, `${key}.12`)))
      })
    )

    it.effect("a reboot proves no death if the owner's or the own machine has no identity", () =>
      Effect.gen(function* () {
        const at = yield* folder
        const named = yield* claimsIn(at)
        const nameless = Layer.effect(
          Processes,
          Effect.map(Processes, (processes) => ({ ...processes, host: { ...processes.host, machine: null } }))
        )
        const claims = yield* Effect.provide(claimsIn(at), nameless)
        assert.isNull(claims.self.machine)
        assert.isFalse(yield* claims.isDead({ ...claims.self, process: { ...claims.self.process, bootId: "before" } }))
        const { host, pidNamespace, process } = named.self
        const silent = { host, machine: null, pidNamespace, process: { ...process, bootId: "before" } }
        fs.writeFileSync(join(at, `${key}.1`), JSON.stringify(silent), { mode: 0o600 })
        assert.match((yield* Effect.flip(named.claim(conductor))).message, /may be alive/u)
      })
    )
  })

  describe("command-line#uninstall", () => {
    it.effect("the claims that dead souffleurs left are named and removed, and those of living ones stay", () =>
      Effect.gen(function* () {
        const at = yield* folder
        const { self } = yield* claimsIn(at)
        stand(at, 1, { ...self, process: { ...self.process, startTime: 1 } })
        stand(at, 2, self)
        const claims = yield* NodeClaims.abandoned({ folder: at })
        assert.deepStrictEqual(yield* claims.paths, [join(at, `${key}.1`)])
        yield* claims.remove
        assert.deepStrictEqual(yield* claims.paths, [])
        assert.deepStrictEqual(fs.readdirSync(at), [`${key}.2`])
        // Nothing is left to do, and no folder is made for that.
        const none = join(at, "none")
        yield* (yield* NodeClaims.abandoned({ folder: none })).remove
        assert.isFalse(fs.existsSync(none))
      })
    )
  })
})
