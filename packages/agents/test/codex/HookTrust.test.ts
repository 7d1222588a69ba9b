import { assert, describe, it } from "@effect/vitest"
import { HostServices } from "@souffleur/node"
import { Effect, FileSystem } from "effect"
import { codex } from "../../src/codex/Codex.ts"
import { unapprovedHooks } from "../../src/codex/command/HookTrust.ts"

/** Hooks, and the hashes that Codex 0.169.0 gave them. */
const hooks = {
  SessionStart: [{ hooks: [{ type: "command", command: "/bin/true a", timeout: 5 }] }],
  PreToolUse: [{ matcher: "*", hooks: [{ type: "command", command: "/bin/true b" }] }]
}
const hashes = {
  "session_start:0:0": "f1cf60f3e0b575598fe76f1a2d6b38322e042e508b72b2bdf997a56787e666f2",
  "pre_tool_use:0:0": "193d600112464f01bcb0d77d51eee9196eadeeea228f38dcbd74bb1b7341eb67"
}

/** Makes a folder of Codex with these hooks. A person approved the recorded ones, in that file. */
const folder = Effect.fnUntraced(function* (has: unknown, { file = "hooks.json", linked = false } = {}) {
  const fs = yield* FileSystem.FileSystem
  const real = yield* fs.realPath(yield* fs.makeTempDirectoryScoped({ prefix: "souffleur-codex-" }))
  const states = Object.entries(hashes).map(
    ([place, hash]) => `[hooks.state."${real}/${file}:${place}"]\nenabled = true\ntrusted_hash = "sha256:${hash}"\n`
  )
  yield* fs.writeFileString(`${real}/hooks.json`, typeof has === "string" ? has : JSON.stringify({ hooks: has }))
  yield* fs.writeFileString(`${real}/config.toml`, `model = "gpt-5"\n${states.join("\n[other]\n")}`)
  if (!linked) return real
  yield* fs.symlink(real, `${real}/link`)
  return `${real}/link`
})

describe("codex#hooks", () => {
  it.layer(HostServices.layer)((it) => {
    it.effect("a hook is approved as a person saw it, at its place, also behind a link", () =>
      Effect.gen(function* () {
        const asked = (has: unknown, options = {}) => Effect.flatMap(folder(has, options), unapprovedHooks)
        assert.deepStrictEqual(yield* asked(hooks), [])
        assert.deepStrictEqual(yield* asked(hooks, { linked: true }), [])
        assert.deepStrictEqual(yield* asked(hooks, { file: "other.json" }), ["SessionStart", "PreToolUse"])
        const [start] = hooks.SessionStart
        const moved = [{ hooks: [{ ...start!.hooks[0], command: "/bin/moved a" }] }]
        assert.deepStrictEqual(yield* asked({ ...hooks, SessionStart: moved }), ["SessionStart"])
        const more = { ...hooks, SessionStart: [start, start], Stop: [start] }
        assert.deepStrictEqual(yield* asked(more), ["SessionStart", "Stop"])
        for (const none of ["", "{", "[]", '{"hooks":[]}', '{"hooks":{"Stop":{}}}'])
          assert.deepStrictEqual(yield* asked(none), [])
      })
    )
    it.effect("the state of hooks names those that a person has not approved", () =>
      Effect.gen(function* () {
        const at = yield* folder({ ...hooks, Stop: hooks.SessionStart })
        assert.deepStrictEqual((yield* codex.hooks!.status(`${at}/hooks.json`)).unapproved, ["Stop"])
      })
    )
  })
})
