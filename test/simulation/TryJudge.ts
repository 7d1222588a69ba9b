import type { ProcessIdentity, Watch, WatchEvent } from "@souffleur/domain"
import type { LaunchRoom } from "./LaunchRoom.ts"
import type { SimMachine } from "./SimMachine.ts"
import { minute } from "./Timeline.ts"

/** The part of a world that the tries of a launch are judged by. */
interface TryingWorld extends SimMachine {
  readonly byHand: ReadonlySet<{ readonly isAlive: boolean }>
  readonly room: Pick<LaunchRoom, "lacked">
  readonly steadyClock: boolean
}

/** The ms for which a launch that cannot run is tried at least. The last pause, of two minutes, may not fit. */
const triedFor = 8 * minute

/** The ends of a generation. Only they may count as one without progress. */
const endsGeneration: ReadonlySet<WatchEvent["_tag"]> = new Set([
  "ConductorDied",
  "ContextRecoveryRequested",
  "TurnEnded",
  "EndedEarly",
  "ContextExhausted",
  "HandoffRequested"
])

/**
 * Judges the tries of a launch that provably never ran. It is tried again for minutes, after its pauses, and counts
 * no death.
 */
export class TryJudge {
  readonly #world: TryingWorld
  /** When the first try of this cycle could not run, monotonic. */
  #lackedAt: number | undefined
  /** The pause before the next try, and the souffleur that said it. */
  #pause: { readonly until: number; readonly by: ProcessIdentity | undefined } | undefined

  constructor(world: TryingWorld) {
    this.#world = world
  }

  record(before: Watch, event: WatchEvent, after: Watch): void {
    const { byHand, room, steadyClock, timeline } = this.#world
    if (after.retries > before.retries && !endsGeneration.has(event._tag))
      this.#world.violated(`${event._tag} counts as a death, and nothing had run`)
    switch (event._tag) {
      case "RecoveryStarted":
        this.#lackedAt = this.#pause = undefined
        break
      case "LaunchDelayed":
        this.#lackedAt ??= timeline.monotonic
        this.#pause = { until: event.until, by: after.owner?.process }
        break
      case "LaunchPrepared": {
        const { owner } = after
        const isSame =
          owner?.process.pid === this.#pause?.by?.pid && owner?.process.startTime === this.#pause?.by?.startTime
        if (this.#pause !== undefined && isSame && steadyClock && timeline.wall < this.#pause.until)
          this.#world.violated(
            `a launch is tried again ${this.#pause.until - timeline.wall} ms before its pause is over`
          )
        this.#pause = undefined
        break
      }
      case "RecoveryFailedClosed": {
        if (event.stage !== "launch" || room.lacked === undefined || !steadyClock) return
        const tried = timeline.monotonic - (this.#lackedAt ?? timeline.monotonic)
        if (tried < triedFor && byHand.size === 0)
          this.#world.violated(`a launch that could not run (${room.lacked}) was tried for ${tried} ms alone`)
        break
      }
      default:
    }
  }
}
