import { heldNow, Hooks } from "@souffleur/domain"
import { Effect, Layer, Option } from "effect"
import { identityOf } from "./FakeProcesses.ts"

/** The reports of an agent's hooks, in memory. */
export class FakeHooks {
  /** The session that each process holds now, by its hooks. */
  readonly holds = new Map<number, string>()
  /** The time of the newest hook, in epoch ms; `undefined`: none ran. */
  last: number | undefined

  readonly #held = Effect.sync(() =>
    [...this.holds].map(([pid, sessionId]) => ({
      pid,
      sessionId,
      startTime: identityOf(pid).startTime,
      since: 0,
      until: 0,
      source: null,
      ended: null
    }))
  )

  /** The port. */
  readonly service = Hooks.of({
    last: (sessionId) =>
      Effect.sync(() =>
        Option.map(Option.fromUndefinedOr(this.last), (at) => ({
          event: "began",
          at,
          sessionId,
          pid: null,
          startTime: null
        }))
      ),
    lineage: () => Effect.succeed([]),
    held: this.#held,
    holds: (process) => Effect.map(this.#held, (all) => heldNow(all, process))
  })
  readonly layer = Layer.succeed(Hooks, this.service)
}
