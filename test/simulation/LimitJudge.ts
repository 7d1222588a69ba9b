import type { JobLimits, Limited, Watch, WatchEvent } from "@souffleur/domain"
import type { SimProcess } from "./ProcessTable.ts"
import { Neglect } from "./Neglect.ts"
import type { Conductor } from "./SimulatedAgent.ts"
import type { SimMachine } from "./SimMachine.ts"
import { origin } from "./Timeline.ts"

/** The part of a world that the limits of its job are judged by. */
interface LimitedWorld extends SimMachine {
  readonly conductors: ReadonlyArray<Conductor>
  readonly ledger: { readonly watch: Watch }
  readonly limits: JobLimits | null
  readonly steadyClock: boolean
}

/** The tokens of every call to the model in this world. */
export const tokensOfTurn = 1000

/** Milliseconds within which a souffleur that nothing disturbs sees that a limit is reached. */
const seenWithin = 20_000

/** Judges a job by its limits: it does not go on beyond one that stops, and launches nothing there. */
export class LimitJudge {
  readonly #world: LimitedWorld
  /** When as much was last allowed, monotonic. */
  #since = 0
  readonly #neglect: Neglect

  constructor(world: LimitedWorld) {
    this.#world = world
    this.#neglect = new Neglect(world.timeline)
  }

  /**
   * Returns the limit that was reached at a monotonic time, if it stops. `clearing`: an agent that has cleared its
   * conversation away counts with what it used before.
   */
  #reached(at: number, clearing = false): Limited | undefined {
    const { conductors, ledger, limits } = this.#world
    if (limits?.then !== "stop") return undefined
    if (limits.time !== null && at - this.#since >= limits.time) return "time"
    const turns = conductors
      .filter(
        ({ cleared = "", sessionId }) =>
          ledger.watch.sessions.includes(sessionId) || (clearing && ledger.watch.sessions.includes(cleared))
      )
      .flatMap(({ turns }) => turns)
      .filter((turn) => turn.at >= this.#since && turn.at <= at)
    return limits.tokens !== null && turns.length * tokensOfTurn >= limits.tokens ? "tokens" : undefined
  }

  record(event: WatchEvent): void {
    const { steadyClock } = this.#world
    const at = event.at - origin
    const isAllowed = event._tag === "RecoveryRetried" && event.by === "operator"
    if (event._tag === "WatchOpened" || event._tag === "AllowanceRenewed" || isAllowed) this.#since = at
    if (!steadyClock) return
    // What an agent used within the last seconds of its life may be unseen at the launch after it.
    const reached = this.#reached(at) === "time" ? "time" : this.#reached(at - seenWithin)
    if (event._tag === "LaunchPrepared" && reached !== undefined)
      this.#world.violated(`a launch beyond the limit of ${reached}`)
    if (event._tag === "WatchStopped" && event.limit !== null && this.#reached(at, true) === undefined)
      this.#world.violated("the watch ended at a limit that was not reached")
  }

  /** Looks whether the souffleur that has the watch lets the job go on beyond a limit. */
  look(by: SimProcess, disturbed: number): void {
    const { ledger, steadyClock, timeline } = this.#world
    const { owner, phase, recovery, standby } = ledger.watch
    const isSeen = recovery?.purpose === "stop" || recovery?.purpose === "export" || standby?.trigger === "ceiling"
    const isJudged = steadyClock && Number.isFinite(disturbed) && owner?.process.pid === by.identity.pid
    const reached = !isJudged || isSeen || phase === "Exited" ? undefined : this.#reached(timeline.monotonic)
    const unseen = this.#neglect.look(reached !== undefined, by, disturbed)
    if (unseen > seenWithin) this.#world.violated(`a job goes on beyond its limit of ${reached} for ${unseen} ms`)
  }
}
