import { assert, describe, it } from "@effect/vitest"
import { Hooks, type HookSign } from "@souffleur/domain"
import { HookFiles } from "@souffleur/node"
import { Effect, Option, Ref } from "effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"
import { inject } from "vitest"
import { type Lab, makeLab, type Part, until } from "./Lab.ts"
import { tmux, tmuxMissing } from "./ClaudeStage.ts"
import { bash, first, services } from "./Watched.ts"

const claude = inject("claude")
const settings = ".claude/settings.local.json"
/** A user's own, which goes on to run beside ours. */
const before =
  '{ "permissions": {"allow": []},\n\t"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "touch stopped"}]}]} }'
const part: Part = (asked) =>
  Effect.succeed(
    asked.compaction
      ? { text: "<analysis>short</analysis><summary>We rehearse.</summary>" }
      : asked.toolResult === undefined
        ? asked.said.includes("Look it up.")
          ? { tool: { name: "WebFetch", input: { url: "https://example.com/", prompt: "What is it?" } } }
          : bash("echo one")
        : { text: "Done." }
  )

/** Returns the knowledge that souffleur has of the agent by its hooks. */
const hooksOf = (lab: Lab) =>
  Effect.provide(
    Effect.map(Hooks, (hooks) => hooks),
    HookFiles.layer(lab.options.env.SOUFFLEUR_STATE_DIR)
  )
const signsOf = Effect.fn("Hooks.signsOf")(function* (lab: Lab, sessionId: string) {
  const text = yield* lab.read(`${lab.options.env.SOUFFLEUR_STATE_DIR}/hooks/${sessionId}.jsonl`)
  const signs = text.trimEnd().split("\n")
  return signs.map((line): HookSign => JSON.parse(line))
})
/** Clock ticks from boot to the beginning of a process. */
const startOf = (lab: Lab, pid: number) =>
  Effect.map(lab.read(`/proc/${pid}/stat`), (text) => Number(text.slice(text.lastIndexOf(")") + 2).split(" ")[19]))
const told = (signs: ReadonlyArray<HookSign>) =>
  signs.map(({ event, kind }) => (kind === undefined ? event : `${event} ${kind}`))

describe("claude-code#hooks", () => {
  it.live.skipIf(claude === null)(
    "hooks say what a turn and a compaction do, of which process, and are taken out to the byte",
    () =>
      Effect.gen(function* () {
        const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
        const held = yield* Ref.make<Effect.Effect<unknown>>(Effect.void)
        const lab = yield* makeLab(claude!, "it's opera", (asked, commsDb) =>
          Effect.andThen(Effect.flatten(Ref.get(held)), part(asked, commsDb))
        )
        const hooks = yield* hooksOf(lab)
        yield* lab.write(settings, before)
        yield* lab.said("hooks", "install")

        const live: Array<string | null> = []
        const agent = (...args: ReadonlyArray<string>) =>
          Effect.gen(function* () {
            const handle = yield* spawner.spawn(ChildProcess.make(claude!, args, lab.options))
            const process = { pid: Number(handle.pid), startTime: yield* startOf(lab, Number(handle.pid)) }
            yield* Ref.set(
              held,
              Effect.map(hooks.holds(process), (session) => live.push(Option.getOrNull(session)))
            )
            assert.strictEqual(yield* handle.exitCode, 0)
            assert.deepStrictEqual(yield* hooks.holds(process), Option.none(), "it has ended")
            return process
          }).pipe(Effect.scoped)
        const worked = yield* agent("--session-id", first, "-p", "--allowedTools=Bash", "--", "Rehearse.")
        const signs = yield* signsOf(lab, first)
        assert.deepStrictEqual(told(signs), [
          "SessionStart startup",
          "UserPromptSubmit",
          "PreToolUse",
          "PostToolUse",
          "Stop",
          "SessionEnd other"
        ])
        for (const { pid, startTime } of signs) assert.deepStrictEqual({ pid, startTime }, worked)
        assert.isTrue(yield* lab.exists("stopped"), "the user's own hook ran")

        const compacted = yield* agent("-p", "--resume", first, "--", "/compact")
        const since = (yield* signsOf(lab, first)).slice(signs.length)
        assert.includeMembers(told(since), [
          "SessionStart resume",
          "PreCompact manual",
          "SessionStart compact",
          "PostCompact manual",
          "SessionEnd other"
        ])
        for (const { pid, startTime } of since) assert.deepStrictEqual({ pid, startTime }, compacted)
        const lineage = yield* hooks.lineage(first)
        assert.deepStrictEqual(
          lineage.map(({ pid, sessionId, source }) => [pid, sessionId, source]),
          [
            [worked.pid, first, "startup"],
            [compacted.pid, first, "resume"]
          ]
        )
        assert.isAbove(live.length, 2)
        assert.isTrue(
          live.every((session) => session === first),
          live.join(" ")
        )
        assert.notInclude(JSON.stringify([signs, since]), "earse")

        yield* lab.said("hooks", "uninstall")
        assert.strictEqual(yield* lab.read(settings), before)
        assert.isFalse(yield* lab.exists(`${settings}.souffleur-backup`))
      }).pipe(Effect.scoped, Effect.provide(services))
  )

  it.live.skipIf(claude === null || tmuxMissing)(
    "hooks tell the session that a process holds after /clear, and what waits (skipped where tmux is missing)",
    () =>
      Effect.gen(function* () {
        const lab = yield* makeLab(claude!, "opera", part)
        const hooks = yield* hooksOf(lab)
        yield* lab.said("hooks", "install")
        const stage = yield* tmux(lab)
        const pid = yield* stage.conductor(first, "Rehearse.")
        const startTime = Number((yield* lab.read(`/proc/${pid}/stat`)).split(") ").at(-1)!.split(" ")[19])
        const holds = Effect.map(hooks.holds({ pid, startTime }), Option.getOrNull)
        yield* until(
          "the end of a turn",
          Effect.map(hooks.last(first), (sign) => Option.isSome(sign) && sign.value.event === "Stop")
        )
        assert.strictEqual(yield* holds, first)

        yield* stage.type("/clear", "Enter")
        yield* until(
          "another session",
          Effect.map(holds, (session) => session !== null && session !== first)
        )
        const fresh = yield* holds
        const [old, cleared] = yield* hooks.lineage(first)
        assert.deepInclude(old, { sessionId: first, pid, startTime, source: "startup", ended: "clear" })
        assert.deepInclude(cleared, { sessionId: fresh!, pid, startTime, source: "clear", ended: null })

        yield* stage.type("Look it up.", "Enter")
        yield* until(
          "a person is waited for",
          Effect.map(signsOf(lab, fresh!), (signs) => told(signs).includes("PermissionRequest WebFetch"))
        )
      }).pipe(Effect.scoped, Effect.provide(services))
  )
})
