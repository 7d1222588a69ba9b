import type { Signal, Watch } from "@souffleur/domain"
import type { SimProcess } from "./ProcessTable.ts"
import type { SimMachine } from "./SimMachine.ts"
import type { Conductor } from "./SimulatedAgent.ts"
import type { ClaimRoom } from "./ClaimRoom.ts"
import type { Ledger } from "./Ledger.ts"
import type { Lies } from "./Liar.ts"

/** The part of a world that a signal is judged by. */
export interface SignalWorld extends SimMachine {
  readonly byHand: ReadonlySet<Conductor>
  readonly claims: ClaimRoom
  readonly conductors: ReadonlyArray<Conductor>
  readonly ledger: Ledger
  readonly lies: Lies
}

/** Judges each signal: it tells the violations, which must never be at a signal. */
export class SignalJudge {
  readonly all: Array<{ readonly process: SimProcess; readonly signal: Signal; readonly at: number }> = []
  readonly #world: SignalWorld

  constructor(world: SignalWorld) {
    this.#world = world
  }

  /**
   * Lists the violations of a signal to it, by the world as souffleur sees it last. A souffleur may be stopped between
   * that look and the signal. On waking it does the one act that it was about to do (docs/reliability.md, not
   * promised).
   */
  wrongs(process: SimProcess, self: SimProcess, watch: Watch = this.#world.ledger.watch): ReadonlyArray<string> {
    const { byHand, claims, conductors, ledger, lies, timeline } = this.#world
    const found: Array<string> = []
    const holder = watch.conductor === undefined ? undefined : claims.holder(watch.conductor)
    if (process.belongsTo > 0 && holder !== undefined && holder.startTime !== self.identity.startTime)
      found.push(`a signal to a Conductor that souffleur ${holder.pid} has claimed, by souffleur ${self.identity.pid}`)
    // One souffleur may end another: its guardian had said so in the log.
    const counted = ledger.events.some((event) => event._tag === "SouffleurRestored" && event.over === watch.fence)
    const restored = process.name === "souffleur" && counted
    if (process.belongsTo === 0 && !restored) found.push(`a signal to a stranger, pid ${process.identity.pid}`)
    const conductor = conductors.find((one) => one.process === process)
    if (conductor !== undefined && byHand.has(conductor) && watch.conductor?.startTime !== process.identity.startTime)
      found.push("a signal to a Conductor that a person started, and the watch does not follow")
    if (process.belongsTo > 0 && watch.conductor === undefined)
      found.push("a signal to a Conductor whose process is not known")
    if (
      process.belongsTo !== 0 &&
      conductors[process.belongsTo - 1]?.isHealthy === true &&
      // The words in its own files and in its row are its own. An agent that lies about itself is believed.
      !lies.about.has(conductors[process.belongsTo - 1]!.sessionId) &&
      // Its own word is in the log that it wants to be replaced. Its state after that changes nothing.
      !(watch.recovery?.trigger === "handoff" && watch.handoff !== undefined) &&
      // So is a person's word that another agent goes on, or that this one is stopped.
      watch.handedFrom === undefined &&
      watch.recovery?.purpose !== "stop" &&
      // Its turn is over, in print mode, and it does not end by itself.
      !(watch.recovery?.purpose === "end" && conductors[process.belongsTo - 1]!.turnEndedAt !== undefined) &&
      // It is at its prompt, and a program of the user has found its work undone.
      !(watch.recovery?.trigger === "unconfirmed" && conductors[process.belongsTo - 1]!.condition === "idle") &&
      !this.all.some((one) => one.process === process || one.process.belongsTo === process.belongsTo)
    )
      found.push(
        `a signal to ${conductor === undefined ? "a tool of " : ""}a healthy Conductor (S${process.belongsTo})`
      )
    // Between the last look at the log and the signal there is a moment, but no time.
    const since = timeline.monotonic - (ledger.endedAt ?? timeline.monotonic)
    if (since > 0 && watch.end === "released") found.push(`a signal ${since} ms after the release`)
    return found
  }

  /** Sends a signal of souffleur to a process, and records the violations in `wrongs`. */
  sent(process: SimProcess, signal: Signal, wrongs: ReadonlyArray<string>): void {
    const world = this.#world
    world.tell(`${signal} to pid ${process.identity.pid} (${process.name})`)
    for (const wrong of wrongs) world.violated(wrong)
    this.all.push({ process, signal, at: world.timeline.monotonic })
    world.processes.signal(process, signal)
  }
}
