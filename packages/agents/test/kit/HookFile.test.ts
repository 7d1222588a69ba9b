import { assert, describe, layer } from "@effect/vitest"
import { HostServices } from "@souffleur/node"
import { Effect, FileSystem, Path } from "effect"
import { execFileSync } from "node:child_process"
import { hookCommand } from "../../src/kit/hooks/HookCommand.ts"
import { settingsHooks } from "../../src/kit/hooks/SettingsHooks.ts"

const events = ["SessionStart", "PreToolUse", "PostToolUse", "Stop", "SessionEnd"] as const
const { install, status, uninstall } = settingsHooks({ events, timeout: 5, ofUser: ["settings.json"] })
const command = hookCommand({ stateDir: "/state", self: [process.execPath, import.meta.filename] })
const moved = hookCommand({ stateDir: "/state", self: ["/no/such/node", import.meta.filename] })

describe("behaviour#hooks-of-the-agent", () => {
  layer(HostServices.layer)((it) => {
    const folder = Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const path = yield* Path.Path
      const project = yield* fs.makeTempDirectoryScoped({ prefix: "souffleur-hooks-" })
      const file = path.join(project, ".claude", "settings.local.json")
      const backup = `${file}.souffleur-backup`
      const write = (text: string | Uint8Array) =>
        Effect.andThen(
          fs.makeDirectory(path.dirname(file), { recursive: true }),
          typeof text === "string" ? fs.writeFileString(file, text) : fs.writeFile(file, text)
        )
      const files = fs.readDirectory(path.dirname(file))
      const mode = (one: string) => Effect.map(fs.stat(one), (info) => info.mode & 0o777)
      return { fs, path, project, file, backup, write, files, mode, read: fs.readFileString(file) }
    })

    it.effect("a missing file is made for its user alone, and removed again", () =>
      Effect.gen(function* () {
        const { file, files, mode } = yield* folder
        assert.deepInclude(yield* install(file, command), { changed: true, backup: null, how: "installed" })
        assert.strictEqual(yield* mode(file), 0o600)
        assert.deepStrictEqual(yield* files, ["settings.local.json"])
        assert.deepInclude(yield* uninstall(file), { changed: true, how: "removed" })
        assert.deepStrictEqual(yield* files, [])
        assert.deepInclude(yield* uninstall(file), { changed: false, how: "nothing to do" })
      })
    )

    // Odd on purpose: what only the backup can give back.
    const odd = '\n{ "hooks" : { "Stop":[ ] , "PreToolUse":[] },\t"a":1e2, "b":"\\u00e9 é", "c":{} }\r\n\n'
    it.effect("an existing file is restored to the byte, with its mode, from a backup beside it", () =>
      Effect.gen(function* () {
        const { backup, file, files, fs, mode, read, write } = yield* folder
        yield* write(odd)
        yield* fs.chmod(file, 0o640)
        assert.deepInclude(yield* install(file, command), { changed: true, backup, how: "installed" })
        assert.deepStrictEqual(
          [yield* fs.readFileString(backup), yield* mode(backup), yield* mode(file)],
          [odd, 0o640, 0o640]
        )
        const installed = yield* read
        assert.deepInclude(yield* install(file, command), { changed: false, backup })
        assert.strictEqual(yield* read, installed)
        // From another place, the backup stays the first.
        assert.deepInclude(yield* install(file, moved), { changed: true, backup })
        assert.strictEqual(yield* fs.readFileString(backup), odd)
        assert.deepInclude(yield* uninstall(file), { changed: true, how: "restored" })
        assert.deepStrictEqual([yield* read, yield* mode(file), yield* files], [odd, 0o640, ["settings.local.json"]])
      })
    )

    it.effect("settings that others have written since stay as they are", () =>
      Effect.gen(function* () {
        const { file, files, fs, read, write } = yield* folder
        yield* write('{\n  "model": "opus"\n}\n')
        yield* install(file, command)
        yield* fs.writeFileString(file, (yield* read).replace('"opus"', '"haiku",   "permissions": {"allow":["Bash"]}'))
        assert.deepInclude(yield* uninstall(file), { changed: true, how: "edited" })
        assert.strictEqual(yield* read, '{\n  "model": "haiku",   "permissions": {"allow":["Bash"]}\n}\n')
        assert.deepStrictEqual(yield* files, ["settings.local.json"])
      })
    )

    it.effect("a link stays a link, and its file stays where it is", () =>
      Effect.gen(function* () {
        const { file, fs, path, project, write } = yield* folder
        const real = path.join(project, "dotfile.json")
        yield* write("{}")
        yield* fs.rename(file, real)
        yield* fs.symlink(real, file)
        yield* install(file, command)
        assert.strictEqual(yield* fs.readLink(file), real)
        assert.include(yield* fs.readFileString(real), "hook 2>/dev/null")
        yield* uninstall(file)
        assert.deepStrictEqual([yield* fs.readLink(file), yield* fs.readFileString(real)], [real, "{}"])
        assert.deepStrictEqual((yield* fs.readDirectory(project)).toSorted(), [".claude", "dotfile.json"])
      })
    )

    it.effect("a file that is no settings is refused, and not changed", () =>
      Effect.gen(function* () {
        const { file, files, fs, write } = yield* folder
        const foreign = [
          "",
          "{",
          '{"hooks": []}',
          '{"hooks": {"Stop": 1}}',
          '\u{feff}{"a": 1}',
          new Uint8Array([123, 34, 255, 34, 58, 49, 125])
        ]
        for (const text of foreign) {
          yield* write(text)
          const before = yield* fs.readFile(file)
          for (const change of [
            Effect.asVoid(install(file, command)),
            Effect.asVoid(uninstall(file)),
            Effect.asVoid(status(file))
          ]) {
            assert.deepInclude(yield* Effect.flip(change), { _tag: "AgentSettingsUnusable", path: file })
          }
          assert.deepStrictEqual([yield* fs.readFile(file), yield* files], [before, ["settings.local.json"]])
        }
        yield* fs.remove(file)
        yield* fs.symlink("/no/such/file", file)
        assert.deepInclude(yield* Effect.flip(install(file, command)), {
          problem: "is a link to a file that is not there"
        })
        yield* fs.remove(file)
        yield* fs.makeDirectory(file)
        assert.deepInclude(yield* Effect.flip(install(file, command)), { problem: "it is no regular file" })
      })
    )

    it.effect(
      "settings are refused, also behind a link, if others may write them or their folder, or they are a pipe or too large",
      () =>
        Effect.gen(function* () {
          const { file, fs, path, project, read, write } = yield* folder
          const refused = Effect.fnUntraced(function* (at: string, problem: string) {
            for (const change of [
              Effect.asVoid(install(file, command)),
              Effect.asVoid(uninstall(file)),
              Effect.asVoid(status(file))
            ])
              assert.deepInclude(yield* Effect.flip(change), { _tag: "FileRefused", path: at, problem })
          })
          yield* write("{}")
          yield* fs.chmod(file, 0o666)
          yield* refused(file, "others may write to it (mode 0666): chmod o-w it")
          assert.strictEqual(yield* read, "{}")
          yield* fs.chmod(file, 0o664)
          const home = path.dirname(file)
          yield* fs.chmod(home, 0o777)
          yield* refused(home, "others may write to it (mode 0777): chmod o-w it")
          yield* fs.remove(file)
          assert.deepInclude(yield* Effect.flip(install(file, command)), { path: home })
          assert.deepStrictEqual(yield* fs.readDirectory(home), [])
          yield* fs.chmod(home, 0o755)
          const real = path.join(project, "dotfile.json")
          yield* fs.symlink(real, file)
          execFileSync("mkfifo", [real])
          yield* refused(real, "it is no regular file")
          yield* fs.remove(real)
          yield* fs.writeFileString(real, "{}")
          yield* fs.chmod(real, 0o606)
          yield* refused(real, "others may write to it (mode 0606): chmod o-w it")
          yield* fs.chmod(real, 0o600)
          yield* fs.truncate(real, 1_000_001)
          yield* refused(real, "it is larger than 1000000 bytes")
        })
    )

    it.effect("the state of hooks names their file, their events, and a program that is gone", () =>
      Effect.gen(function* () {
        const { file } = yield* folder
        assert.deepInclude(yield* status(file), { events: [], absent: [...events], missing: [] })
        yield* install(file, command)
        assert.deepInclude(yield* status(file), { events: [...events], absent: [], missing: [] })
        yield* install(file, moved)
        assert.deepInclude(yield* status(file), { events: [...events], missing: ["/no/such/node"] })
      })
    )
  })
})
