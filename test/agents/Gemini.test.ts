import { assert, describe, it } from "@effect/vitest"
import { Effect, FileSystem } from "effect"
import { inject } from "vitest"
import { childOf } from "../claude/AgentProcesses.ts"
import { until } from "../claude/Lab.ts"
import { only, services, told } from "../claude/Watched.ts"
import { agentLab } from "./AgentLab.ts"
import { agentNights } from "./AgentNights.ts"
import { realGemini } from "./RealGemini.ts"

describe("gemini#output, gemini#sessions, gemini#hooks", () => {
  agentNights(realGemini, inject("gemini"))
})

describe("behaviour#standby", () => {
  it.live.skipIf(inject("gemini") === null)(
    "at a ceiling, an agent that lives on behind its killed launcher is told as living, and works on",
    () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const settings = { SOUFFLEUR_MAX_TOKENS: "1000" }
        const waits = "touch tool; while [ ! -e go ]; do sleep 0.2; done; echo played"
        const lab = yield* agentLab(
          realGemini,
          inject("gemini") ?? "",
          ({ toolResult }) =>
            Effect.succeed(toolResult === undefined ? { shell: waits } : { text: "All is complete." }),
          [],
          settings
        )
        const souffleur = yield* lab.run("Rehearse.")
        yield* lab.tool
        for (const tag of ["WatchSettled", "CeilingReached"]) yield* told(souffleur, tag)
        const { pid } = only(yield* lab.log, "ConductorConfirmed")["conductor"] as { readonly pid: number }
        const behind = yield* childOf(pid)
        process.kill(pid, "SIGKILL")
        yield* told(souffleur, "ConductorAdopted")
        const [watch] = JSON.parse(yield* lab.said("status", "--json"))
        assert.deepInclude(watch.conductor, { pid: behind, alive: true })
        yield* fs.writeFileString(`${lab.project}/go`, "")
        yield* until(
          "its next call of the model",
          Effect.map(lab.asked, (all) => all.some(({ toolResult }) => toolResult?.includes("played") === true))
        )
        const log = yield* lab.log
        for (const once of ["LaunchPrepared", "CeilingReached"]) only(log, once)
      }).pipe(Effect.scoped, Effect.provide(services))
  )
})
