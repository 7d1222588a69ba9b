import { spawnSync } from "node:child_process"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { inject } from "vitest"
import { display, hasDisplay } from "../../packages/node/test/fixtures/Display.ts"
import { alive } from "./AgentProcesses.ts"
import { recovered } from "./Recovered.ts"
import { tmux, tmuxMissing } from "./ClaudeStage.ts"
import type { Lab } from "./Lab.ts"
import { services } from "./Watched.ts"

const claude = inject("claude")

describe("behaviour#launch", () => {
  it.live.skipIf(claude === null || tmuxMissing)(
    "an interactive agent comes back in a window of tmux (skipped where tmux is missing)",
    () =>
      Effect.gen(function* () {
        const { argv, pid } = yield* recovered(claude!, { stageOf: tmux, harm: "SIGKILL" })
        assert.notInclude(argv, "-p")
        // It idles, for a person.
        assert.isTrue(yield* alive(pid))
      }).pipe(Effect.scoped, Effect.provide(services))
  )
})

/** What ps tells of a process. */
const told = (column: string, pid: number | string) =>
  spawnSync("ps", ["-o", `${column}=`, "-p", String(pid)], { encoding: "utf8" }).stdout.trim()

/** The same, with a terminal that opens a window of a desktop. */
const xterm = (lab: Lab) =>
  Effect.flatMap(display, (DISPLAY) => {
    const variables = { DISPLAY, SOUFFLEUR_TERMINAL_COMMAND: '["xterm","-e"]' }
    return tmux({ ...lab, options: { ...lab.options, env: { ...lab.options.env, ...variables } } })
  })

describe("settings#launcher", () => {
  it.live.skipIf(claude === null || tmuxMissing || !hasDisplay)(
    "an interactive agent comes back in a window of xterm (skipped where xterm or Xvfb is missing)",
    () =>
      Effect.gen(function* () {
        const { argv, pid } = yield* recovered(claude!, { stageOf: xterm, harm: "SIGKILL" })
        assert.notInclude(argv, "-p")
        assert.isTrue(yield* alive(pid))
        // A shell between them keeps its end.
        assert.strictEqual(told("comm", told("ppid", told("ppid", pid))), "xterm")
      }).pipe(Effect.scoped, Effect.provide(services))
  )
})
