import { freeSpace, HostServices } from "@souffleur/node"
import { loadSettings } from "@souffleur/process"
import { assert, describe, it } from "@effect/vitest"
import { Effect, FileSystem, Layer } from "effect"
import { claudeCode } from "@souffleur/agents"
import { diskCheck, kindAt, roomCheck } from "../src/doctor/DiskCheck.ts"

const table = `22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
40 22 0:35 / /home rw,relatime shared:20 - autofs systemd-1 rw
41 22 0:36 / /home rw,relatime shared:21 - nfs4 nas:/home rw,vers=4.2
42 41 0:37 / /home/a\\040b rw - tmpfs tmpfs rw
43 22 0:38 / /mnt/far rw - fuse.sshfs me@far:/ rw
`

describe("command-line#doctor", () => {
  it("a path belongs to the nearest mount above it, and to the last of two", () => {
    const kinds = ["/srv/x", "/home/u/state", "/homework", "/home/a b/state", "/home/a", "/mnt/far", "/mnt"]
    assert.deepStrictEqual(
      kinds.map((path) => kindAt(path, table)),
      ["ext4", "nfs4", "ext4", "tmpfs", "nfs4", "fuse.sshfs", "ext4"]
    )
    assert.isUndefined(kindAt("/srv", ""))
  })

  it("doctor finds a disk without room for the event log wrong", () => {
    assert.deepStrictEqual(roomCheck("/s", undefined), [])
    assert.deepStrictEqual(roomCheck("/s", 32_000_000), [])
    const [found] = roomCheck("/s", 1_900_000)
    assert.strictEqual(found?.level, "wrong")
    assert.match(found?.detail ?? "", /^1 MB are free for \/s: without room no event is written/u)
  })

  it.live("the room on a disk is asked of the system", () =>
    Effect.gen(function* () {
      assert.isAbove((yield* freeSpace("/")) ?? 0, 0)
      assert.isUndefined(yield* freeSpace("/proc"))
      assert.isUndefined(yield* freeSpace("/nowhere"))
    })
  )
  it.live("doctor finds a state folder on a network file system wrong, even before the folder exists", () =>
    Effect.gen(function* () {
      const files = yield* FileSystem.FileSystem
      const home = yield* files.realPath(yield* files.makeTempDirectoryScoped())
      const settings = yield* loadSettings({
        agent: claudeCode,
        projectDir: home,
        environment: { HOME: home, SOUFFLEUR_STATE_DIR: `${home}/a/state` },
        flags: {}
      })
      const mounted = (kind: string) =>
        Layer.succeed(FileSystem.FileSystem, {
          ...files,
          readFileString: (path) =>
            path === "/proc/self/mountinfo"
              ? Effect.succeed(`${table}50 22 0:40 / ${home} rw - ${kind} x rw\n`)
              : files.readFileString(path)
        })
      for (const kind of ["nfs", "nfs4", "cifs", "smb3", "9p", "fuse.sshfs"]) {
        const [found] = yield* Effect.provide(diskCheck(settings), mounted(kind))
        assert.deepStrictEqual([found?.level, found?.check], ["wrong", "disk"], kind)
        assert.match(found?.detail ?? "", new RegExp(`/a/state is on a network file system \\(${kind}\\)`, "u"))
      }
      for (const kind of ["ext4", "xfs", "btrfs", "tmpfs", "overlay", "zfs", "fuse.ext4"])
        assert.deepStrictEqual(
          (yield* Effect.provide(diskCheck(settings), mounted(kind))).map(({ level }) => level),
          ["ok"],
          kind
        )
      assert.deepStrictEqual(
        (yield* diskCheck(settings)).map(({ level }) => level),
        ["ok"],
        "the table of this machine"
      )
    }).pipe(Effect.scoped, Effect.provide(HostServices.layer))
  )
})
