import type { Hooks } from "@souffleur/domain"
import { Effect, Option } from "effect"
import type { Gate } from "./EffectGate.ts"
import type { World } from "./SimulatedWorld.ts"

/** The agent's hooks, where this user has them: their last sign, and the session that a process holds by them. */
export const hooks = (world: World, gate: Gate): Hooks["Service"] => ({
  last: (sessionId) =>
    gate.through(
      "hooks.last",
      Effect.sync(() => {
        const forged = world.lies.hooks.get(sessionId)
        if (forged !== undefined) return Option.some(forged)
        const written = world.hooked ? world.sessions.get(sessionId) : undefined
        if (written === undefined) return Option.none()
        return Option.some({ event: "PostToolUse", at: written.writtenAt, sessionId, pid: null, startTime: null })
      })
    ),
  holds: ({ pid, startTime }) =>
    gate.through(
      "hooks.holds",
      Effect.sync(() => {
        const forged = world.lies.holds.get(startTime)
        if (forged !== undefined) return Option.some(forged)
        const process = world.processes.at(pid)
        return world.hooked && process?.identity.startTime === startTime
          ? Option.fromUndefinedOr(process.session)
          : Option.none()
      })
    ),
  lineage: () => Effect.succeed([]),
  held: Effect.succeed([])
})
