import { quietUntil, type RecoveryCycle, type ResolvedSettings, type Watch, type WatchEvent } from "@souffleur/domain"
import { DateTime } from "effect"
import type { SimMachine } from "./SimMachine.ts"
import type { SimulatedComms } from "./SimulatedComms.ts"
import type { Conductor } from "./SimulatedAgent.ts"
import type { CeilingJudge } from "./CeilingJudge.ts"

/** The part of a world that the oracle holds the events against. */
export interface OracleWorld extends SimMachine {
  readonly ceilings: CeilingJudge
  readonly comms: SimulatedComms
  readonly conductors: ReadonlyArray<Conductor>
  readonly settings: Partial<ResolvedSettings>
  readonly solo: unknown
  readonly steadyClock: boolean
}

const utc = DateTime.zoneMakeOffset(0)

/**
 * Follows the events by rules of its own and holds each against the world. It shares nothing with the decider but the
 * names.
 */
export class Oracle {
  readonly #world: OracleWorld
  #retries = 0
  /** The tasks at the last launch. */
  #baseline = ""
  /** The end of the wait, before which nothing is launched, epoch ms. */
  waitsUntil: number | undefined = undefined
  /** True if the service had said when the last wait would be over. */
  endStated = false
  #ceiling = false
  #before: WatchEvent["_tag"] | undefined = undefined
  /** An operator ended the last wait or hold, before its time. */
  hurried = false

  constructor(world: OracleWorld) {
    this.#world = world
  }

  /**
   * Ends a generation. Progress of its tasks since its launch sets the count to 0, whatever ended it. A command has no
   * tasks to show.
   */
  #ended({ kind }: Watch, fingerprint: string | null, told: number): void {
    if (kind === "command") return void (this.#retries = told)
    const progressed = fingerprint !== null && fingerprint !== this.#baseline
    this.#retries = progressed ? 0 : this.#retries + 1
    if (told !== this.#retries)
      this.#world.violated(`the log counts ${told} generations without progress, the oracle ${this.#retries}`)
  }

  #tasks(count: number | null): void {
    const { comms, solo } = this.#world
    // A poll may have read a file that was replaced since.
    if (solo === undefined && count !== null && count > Math.max(comms.tasks.size, comms.maxTasks))
      this.#world.violated(`${count} tasks were seen, and there are ${comms.tasks.size}`)
  }

  record(before: Watch, event: WatchEvent): void {
    const world = this.#world
    const { wall } = world.timeline
    world.ceilings.record(event, "watch")
    switch (event._tag) {
      case "ConductorConfirmed":
      case "ConductorRelaunched":
      case "ConductorAdopted":
        this.#baseline = event.taskFingerprint
        this.waitsUntil = undefined
        if (event._tag === "ConductorAdopted") {
          this.#retries = 0
          this.#ceiling = false
        }
        break
      case "ConductorDied": {
        this.#tasks(event.taskCount)
        this.#ended(before, event.taskFingerprint, event.retries)
        const condition = before.conductor === undefined ? undefined : world.processes.condition(before.conductor)
        if (event.reason === "pid" && (condition === "running" || condition === "stopped"))
          world.violated("a live Conductor was taken for gone")
        break
      }
      case "ContextRecoveryRequested":
      case "TurnEnded":
      case "EndedEarly":
      case "ContextExhausted":
      case "HandoffRequested":
        this.#ended(before, event.taskFingerprint, event.retries)
        break
      case "WaitStarted":
        if (before.retries !== this.#retries && event.kind !== "quiet-hours") world.violated("a wait counts as a death")
        this.waitsUntil = event.until
        this.endStated = event.resetsAt !== null
        this.hurried = false
        break
      case "WaitEnded":
        if (this.waitsUntil === undefined) world.violated("a wait ended twice")
        if (event.how === "over" && event.at < (this.waitsUntil ?? 0) && world.steadyClock)
          world.violated(`a wait was over ${this.waitsUntil! - wall} ms before its time`)
        this.waitsUntil = undefined
        this.hurried = event.how === "go"
        break
      case "AgentChosen":
      case "HoldEnded":
        this.hurried = true
        break
      case "CeilingReached":
        this.#ceiling = true
        break
      case "AllowanceRenewed":
        this.#ceiling = false
        break
      case "RecoveryRetried":
        this.#ceiling = false
        this.waitsUntil = undefined
        break
      case "RecoveryStarted":
        if (before.held !== undefined && event.purpose !== "stop")
          world.violated("a recovery began while an operator holds the watch")
        if (event.purpose === "relaunch") this.#begins(event.trigger)
        break
      case "HandoffTaken": {
        const successor = world.conductors.find(
          ({ process }) => process.environment["SOUFFLEUR_LAUNCH_ID"] === event.launchId
        )
        if (successor?.answeredAt === undefined)
          world.violated("a hand-off was told as taken, and the successor has not answered")
        break
      }
      case "RetriesExhausted":
        if (this.#retries < 3)
          world.violated(`retries are exhausted after ${this.#retries} deaths by the oracle's count`)
        break
      default:
    }
    this.#before = event._tag
  }

  /** Begins a recovery that may launch: not where the user does not want it. */
  #begins(trigger: RecoveryCycle["trigger"]): void {
    const world = this.#world
    // A program may find the work undone more often, and then go is a person's word too.
    const isUnconfirmed = trigger === "unconfirmed"
    const asked = this.#before === "RecoveryRetried" || (isUnconfirmed && this.#before === "HoldEnded")
    const most = isUnconfirmed ? 5 : 3
    if (this.#retries >= most && !asked)
      world.violated(`a recovery that may launch began after ${most} ends without progress`)
    if (this.#ceiling) world.violated("a recovery that may launch began above a ceiling of the user's")
    const { quietHours } = world.settings
    if (
      quietHours &&
      !asked &&
      !this.hurried &&
      quietUntil(quietHours, world.timeline.wall, utc) !== null &&
      world.steadyClock
    )
      world.violated("a recovery began in the quiet hours")
  }
}
