import { HostServices } from "@souffleur/node"
import { loadSettings } from "@souffleur/process"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { claudeCode } from "@souffleur/agents"
import { terminalsOf } from "../src/world/World.ts"

const inTmux = { TMUX: "/tmp/tmux-0/default,1,0" }
const inKitty = { KITTY_WINDOW_ID: "3", KITTY_LISTEN_ON: "unix:/run/kitty" }
const chosen = (launcher: string, variables: Readonly<Record<string, string>>, command = "") =>
  loadSettings({
    agent: claudeCode,
    projectDir: "/",
    environment: { HOME: "/nowhere", SOUFFLEUR_LAUNCHER: launcher, SOUFFLEUR_TERMINAL_COMMAND: command },
    flags: {}
  }).pipe(
    Effect.flatMap((settings) => Effect.result(terminalsOf(settings, variables))),
    Effect.map(Result.match({ onSuccess: (terminals) => terminals.join(" "), onFailure: ({ problem }) => problem })),
    Effect.provide(HostServices.layer)
  )

describe("settings#launcher", () => {
  it.effect("auto is each terminal that can open a window, TERMINAL_COMMAND first and the innermost next", () =>
    Effect.gen(function* () {
      const auto = (variables: Readonly<Record<string, string>>, command?: string) => chosen("auto", variables, command)
      assert.strictEqual(yield* auto({}), "headless")
      assert.strictEqual(yield* auto(inTmux), "tmux headless")
      assert.strictEqual(yield* auto(inKitty), "kitty headless")
      assert.strictEqual(yield* auto({ ...inKitty, ...inTmux }), "tmux kitty headless")
      assert.strictEqual(yield* auto({ ...inKitty, ...inTmux }, '["xterm","-e"]'), "window tmux kitty headless")
      for (const name of ["KITTY_WINDOW_ID", "KITTY_LISTEN_ON"])
        assert.strictEqual(yield* auto({ ...inKitty, [name]: "" }), "headless")
    })
  )

  it.effect("a named terminal is the only one; one that does not answer is refused, with what to do", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* chosen("kitty", { KITTY_LISTEN_ON: "unix:/run/kitty" }), "kitty")
      assert.match(
        yield* chosen("kitty", { KITTY_WINDOW_ID: "3" }),
        /kitty needs KITTY_LISTEN_ON: .*allow_remote_control.*SOUFFLEUR_LAUNCHER=headless/
      )
      assert.match(yield* chosen("tmux", inKitty), /tmux needs souffleur itself to run inside tmux/)
      assert.strictEqual(yield* chosen("headless", { ...inKitty, ...inTmux }, "foot"), "headless")
      assert.strictEqual(yield* chosen("window", { ...inKitty, ...inTmux }, "foot"), "window")
      assert.match(yield* chosen("window", inTmux), /window needs TERMINAL_COMMAND/)
    })
  )
})
