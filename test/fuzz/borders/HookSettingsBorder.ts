import { claudeCode } from "@souffleur/agents"
import { Effect } from "effect"
import { readFileSync } from "node:fs"
import { border, holds } from "../Border.ts"
import { homeIn } from "../CommandLine.ts"
import { bent, mangled, run, torn, tree, word } from "../Hostile.ts"
import { settle, valueOf } from "../Settle.ts"
import type { Seed } from "../../simulation/Seed.ts"

const hooks = claudeCode.hooks!
const command = hooks.command({ stateDir: "/state", self: ["/bin/node", "/souffleur.js"] })

const settings = (seed: Seed): unknown => ({
  permissions: { allow: ["Read"] },
  hooks: {
    [seed.pick(["SessionStart", "Stop", word(seed)])]: [
      { matcher: "x", hooks: [{ type: "command", command: seed.pick([command, word(seed)]), timeout: 5 }] }
    ],
    PreToolUse: tree(seed, 3)
  },
  other: tree(seed, 3)
})

/** Checks the agent's own settings. Every entry that is not souffleur's stays as it is, to the byte. */
export const hookSettings = border("hook-settings", {
  share: 4,
  draw: (seed) =>
    torn(
      seed,
      seed.pick<() => string>([
        () => JSON.stringify(settings(seed), null, seed.pick([0, 2, "\t"])),
        () => JSON.stringify(bent(seed, settings(seed))),
        () => mangled(seed, JSON.stringify(settings(seed), null, 2)),
        () => `{"hooks":{"Stop":[{"hooks":[${"[".repeat(6000)}${"]".repeat(6000)}]}]}}`,
        () => `{"a":${JSON.stringify(run(seed))}}`,
        () =>
          seed.pick(['{"hooks":{},"hooks":{}}', '\ufeff{"hooks":{}}', '{"hooks":{"\\u0053top":[]}}', "", "[]", "null"]),
        () => run(seed)
      ])()
    ),
  checks: {
    "come and go": async (data, place) => {
      const file = homeIn(place.folder).write("opera/.claude/settings.local.json", data)
      await settle(hooks.status(file))
      const installed = await valueOf(hooks.install(file, command))
      if (installed === undefined)
        return holds(Buffer.from(data).equals(readFileSync(file)), "what cannot be used was written over")
      const status = await valueOf(hooks.status(file))
      holds(status !== undefined && status.absent.length === 0, "installed, and not all are there")
      holds(
        (await valueOf(Effect.as(hooks.uninstall(file), "done"))) === "done",
        "what was installed is not taken out again"
      )
    }
  }
})
