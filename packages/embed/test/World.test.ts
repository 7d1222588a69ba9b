import { HostServices } from "@souffleur/node"
import { loadSettings } from "@souffleur/process"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { claudeCode } from "@souffleur/claude"
import { terminalOf } from "../src/world/World.ts"

const inKitty = { KITTY_WINDOW_ID: "3", KITTY_LISTEN_ON: "unix:/run/kitty" }
const chosen = (launcher: string, variables: Readonly<Record<string, string>>) =>
  loadSettings({
    agent: claudeCode,
    projectDir: "/",
    environment: { HOME: "/nowhere", SOUFFLEUR_LAUNCHER: launcher },
    flags: {}
  }).pipe(
    Effect.flatMap((settings) => Effect.result(terminalOf(settings, variables))),
    Effect.map(Result.match({ onSuccess: (terminal) => terminal, onFailure: ({ problem }) => problem })),
    Effect.provide(HostServices.layer)
  )

describe("settings#launcher", () => {
  it.effect("auto is the innermost terminal around souffleur that can open a window", () =>
    Effect.gen(function* () {
      const auto = (variables: Readonly<Record<string, string>>) => chosen("auto", variables)
      assert.strictEqual(yield* auto({}), "headless")
      assert.strictEqual(yield* auto({ TMUX: "/tmp/tmux-0/default,1,0" }), "tmux")
      assert.strictEqual(yield* auto(inKitty), "kitty")
      assert.strictEqual(yield* auto({ ...inKitty, TMUX: "/tmp/tmux-0/default,1,0" }), "tmux")
      for (const name of ["KITTY_WINDOW_ID", "KITTY_LISTEN_ON"])
        assert.strictEqual(yield* auto({ ...inKitty, [name]: "" }), "headless")
    })
  )

  it.effect("a named terminal that does not answer is refused, and the refusal says what to do", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* chosen("kitty", { KITTY_LISTEN_ON: "unix:/run/kitty" }), "kitty")
      assert.match(
        yield* chosen("kitty", { KITTY_WINDOW_ID: "3" }),
        /kitty needs KITTY_LISTEN_ON: .*allow_remote_control/
      )
      assert.match(yield* chosen("tmux", inKitty), /tmux needs souffleur itself to run inside tmux/)
      assert.strictEqual(yield* chosen("headless", { ...inKitty, TMUX: "x" }), "headless")
    })
  )
})
