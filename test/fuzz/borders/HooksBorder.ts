import { Hooks } from "@souffleur/domain"
import { HookFiles } from "@souffleur/node"
import { hookCall } from "../../../packages/agents/src/kit/hooks/HookInput.ts"
import { Effect } from "effect"
import { border, holds } from "../Border.ts"
import { homeIn } from "../CommandLine.ts"
import { bent, mangled, number, plainWord, run, some, torn, tree, word } from "../Hostile.ts"
import { settle } from "../Settle.ts"
import type { Seed } from "../../simulation/Seed.ts"

/** Number of bytes that a hook looks at. */
const looked = 65_536

const call = (seed: Seed) => ({
  session_id: seed.pick(["abc", word(seed)]),
  transcript_path: word(seed),
  cwd: word(seed),
  hook_event_name: seed.pick(["SessionStart", "SessionEnd", "PreToolUse", "PostToolUse", "Notification", word(seed)]),
  source: word(seed),
  tool_name: seed.pick(["Write", word(seed)]),
  tool_input: seed.chance(0.5) ? { content: run(seed) + JSON.stringify(tree(seed)) } : tree(seed)
})

export const hookInput = border("hook-input", {
  share: 12,
  within: 250,
  draw: (seed) =>
    seed
      .pick<() => string>([
        () => JSON.stringify(call(seed)),
        () => JSON.stringify(bent(seed, call(seed))),
        () => mangled(seed, JSON.stringify(call(seed))),
        () => `{"session_id":"abc","hook_event_name":"PreToolUse","tool_input":{"content":"${run(seed).repeat(50)}`,
        () => `{"session_id":"abc","hook_event_name":"Stop"${run(seed).repeat(50)}`,
        () => run(seed).repeat(20),
        () => JSON.stringify(tree(seed))
      ])()
      .slice(0, looked),
  checks: {
    "is read": (text) => {
      const found = hookCall(text)
      if (found === undefined) return
      holds(/^[\w.:-]+$/u.test(found.event) && /^[\w.:-]*$/u.test(found.kind ?? ""), "an event that is no word")
      holds(
        /^[A-Za-z0-9][\w.-]*$/u.test(found.sessionId) && !found.sessionId.includes(".."),
        "a session id that is no file's name"
      )
    }
  }
})

const sign = (seed: Seed) => ({
  at: number(seed),
  event: seed.pick(["Stop", word(seed)]),
  ...seed.pick([{}, { holding: seed.pick(["began", "goes on", "ended", word(seed)]) }]),
  sessionId: seed.pick(["abc", "abc", word(seed)]),
  kind: word(seed),
  pid: seed.pick([null, 4711, number(seed)]),
  startTime: seed.pick([null, 99, number(seed)])
})

export const hookLines = border("hook-lines", {
  share: 4,
  draw: (seed) => ({
    name: seed.pick(["abc", plainWord(seed).replaceAll("/", "").slice(0, 60) || "x"]),
    data: torn(
      seed,
      some(seed, 20, () =>
        seed.pick<() => string>([
          () => JSON.stringify(sign(seed)),
          () => JSON.stringify(bent(seed, sign(seed))),
          () => run(seed)
        ])()
      ).join("\n")
    )
  }),
  checks: {
    "are read": async ({ data, name }, place) => {
      const { state, write } = homeIn(place.folder)
      write(`state/hooks/${name}.jsonl`, data)
      const asked = Effect.gen(function* () {
        const hooks = yield* Hooks
        yield* hooks.last("abc")
        yield* hooks.lineage("abc")
        yield* hooks.held
        yield* hooks.holds({ pid: 4711, startTime: 99 })
      })
      await settle(Effect.provide(asked, HookFiles.layer(state)))
    }
  }
})
