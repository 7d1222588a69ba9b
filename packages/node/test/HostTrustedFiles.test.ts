import { execFileSync, spawnSync } from "node:child_process"
import * as fs from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { lookTrusted, piecesOf, readTrusted, TrustedFiles } from "@souffleur/process"
import { Effect, FileSystem, Layer, Stream } from "effect"
import * as HostServices from "../src/HostServices.ts"
import * as TrustedFilesOfHost from "../src/files/HostTrustedFiles.ts"
import { isAloneIn } from "../src/files/OwnGroup.ts"
import { folder } from "./fixtures/Spawned.ts"

const asRoot = process.getuid?.() === 0
const atMost = 1000
/** `setfacl` comes with a package of its own. */
const hasLists = spawnSync("setfacl", ["--version"]).status === 0
const refusal = (path: string) =>
  Effect.map(Effect.flip(readTrusted(path, { atMost })), ({ missing, problem }) => (missing ? "missing" : problem))

describe("behaviour#files-of-others", () => {
  it.layer(HostServices.layer, { excludeTestServices: true })((it) => {
    it.effect("a file of ours is read whole and in pieces", () =>
      Effect.gen(function* () {
        const path = join(yield* folder, "file")
        fs.writeFileSync(path, "0123456789".repeat(100), { mode: 0o600 })
        assert.strictEqual(new TextDecoder().decode(yield* readTrusted(path, { atMost })), "0123456789".repeat(100))
        const file = yield* (yield* TrustedFiles).open(path, {})
        const pieces = yield* Stream.runCollect(piecesOf(file, { offset: 995, bytes: 3 }))
        assert.deepStrictEqual(
          pieces.map((piece) => new TextDecoder().decode(piece)),
          ["567"]
        )
        fs.appendFileSync(path, "x")
        assert.match(yield* refusal(path), /larger than 1000 bytes/)
      })
    )

    // Each of these opened in the ordinary way would be followed, wait for ever, or never end.
    it.effect("a link, pipe, device, socket or folder is refused without waiting", () =>
      Effect.gen(function* () {
        const at = yield* folder
        const [target, link, pipe] = [join(at, "target"), join(at, "link"), join(at, "pipe")]
        fs.writeFileSync(target, "secret", { mode: 0o600 })
        fs.symlinkSync(target, link)
        fs.symlinkSync("/dev/zero", join(at, "zero"))
        execFileSync("mkfifo", [pipe])
        assert.match(yield* refusal(link), /a link/)
        assert.match(yield* refusal(join(at, "zero")), /a link/)
        assert.match(yield* refusal(pipe), /no regular file/)
        assert.match(yield* refusal("/dev/zero"), /no regular file/)
        assert.match(yield* refusal(at), /no regular file/)
        assert.strictEqual(yield* refusal(join(at, "none")), "missing")
        assert.match(yield* refusal(join(target, "below")), /no folder/)
        assert.match(yield* refusal(join(at, "a\0b")), /cannot be opened/)
        assert.match((yield* Effect.flip(lookTrusted(target, { folder: true }))).message, /target: it is no folder/)
        fs.symlinkSync(at, join(at, "folder"))
        assert.match((yield* Effect.flip(lookTrusted(join(at, "folder"), { folder: true }))).problem, /a link/)
      })
    )

    it.effect("a file that others may write is refused", () =>
      Effect.gen(function* () {
        const path = join(yield* folder, "file")
        fs.writeFileSync(path, "")
        for (const mode of [0o602, 0o666]) {
          fs.chmodSync(path, mode)
          assert.match(yield* refusal(path), /others may write to it \(mode 0\d+\): chmod go-w/)
        }
      })
    )
    it.effect("a file that its group may write is read where the group is this user's alone", () =>
      Effect.gen(function* () {
        const path = join(yield* folder, "file")
        fs.writeFileSync(path, "ours")
        fs.chmodSync(path, 0o664)
        const said = (...words: ReadonlyArray<string>) => execFileSync("getent", words, { encoding: "utf8" }).trim()
        const [user, group] = [process.getuid!(), process.getgid!()]
        const firsts = said("passwd")
          .split("\n")
          .filter((line) => line.split(":")[3] === String(group))
        const alone = said("group", String(group)).endsWith(":") && firsts.length === 1
        const found = yield* Effect.result(readTrusted(path, { atMost }))
        assert.strictEqual(found._tag === "Success", alone && firsts[0]?.split(":")[2] === String(user))
      })
    )
    it("a group is a user's own if no other has it first or belongs to it, by tables that list it", () => {
      const [passwd, group] = [
        "me:x:1000:1000::/:/bin/sh\nyou:x:1001:1001::/:/bin/sh\n",
        "me:x:1000:\nyou:x:1001:you\n"
      ]
      const alone = (gid: number, uid: number, more = { passwd: "", group: "" }) =>
        isAloneIn(gid, uid, { passwd: passwd + more.passwd, group: more.group + group })
      assert.isTrue(alone(1000, 1000) && alone(1001, 1001))
      assert.isFalse(alone(1001, 1000), "another user's")
      assert.isFalse(alone(1000, 1000, { passwd: "he:x:1002:1000::/:/bin/sh\n", group: "" }), "another has it first")
      assert.isFalse(alone(1000, 1000, { passwd: "", group: "team:x:1000:you\n" }), "another belongs to it")
      assert.isFalse(alone(27, 1000, { passwd: "", group: "sudo:x:27:\n" }), "nobody has it first")
      assert.isFalse(isAloneIn(1000, 1000, { passwd, group: "" }), "it is not in the table")
    })
    it.effect.skipIf(!hasLists)("a file with a list of further users is refused", () =>
      Effect.gen(function* () {
        const path = join(yield* folder, "file")
        fs.writeFileSync(path, "", { mode: 0o600 })
        execFileSync("setfacl", ["-m", "u:12345:rw", path])
        assert.match(yield* refusal(path), /others may write/)
      })
    )
    it.effect.skipIf(!asRoot)(
      "a file that another group may write is refused (run as root: it gives the file away)",
      () =>
        Effect.gen(function* () {
          const path = join(yield* folder, "file")
          fs.writeFileSync(path, "")
          fs.chmodSync(path, 0o664)
          fs.chownSync(path, 0, 12_345)
          assert.match(yield* refusal(path), /others may write/)
        })
    )

    it.effect.skipIf(!asRoot)("another user's file is refused (run as root: it gives files away)", () =>
      Effect.gen(function* () {
        const path = join(yield* folder, "file")
        fs.writeFileSync(path, "", { mode: 0o600 })
        fs.chownSync(path, 12_345, 12_345)
        assert.match(yield* refusal(path), /another user \(uid 12345, this is 0\)/)
      })
    )

    it.effect("the file that was judged is read, whatever replaces it", () =>
      Effect.gen(function* () {
        const at = yield* folder
        const path = join(at, "file")
        fs.writeFileSync(path, "ours", { mode: 0o600 })
        const file = yield* (yield* TrustedFiles).open(path, {})
        fs.writeFileSync(join(at, "other"), "theirs")
        fs.renameSync(join(at, "other"), path)
        const [piece] = yield* Stream.runCollect(piecesOf(file))
        assert.strictEqual(new TextDecoder().decode(piece), "ours")
        // Also where that comes between the judgement and the first word that is read.
        fs.writeFileSync(path, "ours", { mode: 0o600 })
        fs.writeFileSync(join(at, "other"), "theirs")
        const files = yield* FileSystem.FileSystem
        const meddling = FileSystem.FileSystem.of({
          ...files,
          open: (...asked) =>
            Effect.andThen(
              Effect.sync(() => fs.renameSync(join(at, "other"), path)),
              files.open(...asked)
            )
        })
        const judged = Layer.fresh(TrustedFilesOfHost.layer).pipe(
          Layer.provide(Layer.succeed(FileSystem.FileSystem, meddling))
        )
        const read = yield* Effect.provide(readTrusted(path, { atMost }), judged)
        assert.strictEqual(new TextDecoder().decode(read), "ours")
      })
    )

    it.effect("every descriptor is closed, whether the file is refused or not", () =>
      Effect.gen(function* () {
        const path = join(yield* folder, "file")
        fs.writeFileSync(path, "", { mode: 0o600 })
        const open = () =>
          fs
            .readdirSync("/proc/self/fd")
            .filter((fd) => fs.existsSync(`/proc/self/fd/${fd}`) && fs.readlinkSync(`/proc/self/fd/${fd}`) === path)
        yield* readTrusted(path, { atMost })
        fs.chmodSync(path, 0o666)
        yield* refusal(path)
        assert.deepStrictEqual(open(), [])
      })
    )

    it.effect.skipIf(!asRoot)(
      "a folder below another user's is not used or made (run as root: it gives folders away)",
      () =>
        Effect.gen(function* () {
          const at = yield* folder
          yield* TrustedFilesOfHost.stateFolder(join(at, "state"))
          assert.strictEqual(fs.statSync(join(at, "state")).mode & 0o777, 0o700)
          fs.mkdirSync(join(at, "alice", ".local"), { recursive: true })
          fs.chownSync(join(at, "alice"), 12_345, 12_345)
          const refused = yield* Effect.flip(TrustedFilesOfHost.stateFolder(join(at, "alice", ".local", "state")))
          assert.match(refused.message, /alice belongs to another user .*sudo -H/)
          assert.deepStrictEqual(fs.readdirSync(join(at, "alice", ".local")), [])
        })
    )
  })
})
