import type { Signal, Watch } from "@souffleur/domain"
import type { SimProcess } from "./ProcessTable.ts"
import type { World } from "./SimulatedWorld.ts"

/** What must never be at a signal. */
export class SignalJudge {
  readonly all: Array<{ readonly process: SimProcess; readonly signal: Signal; readonly at: number }> = []
  readonly #world: World

  constructor(world: World) {
    this.#world = world
  }

  /**
   * What is wrong with a signal to it, by the world as souffleur sees it last: who is stopped between that look and the
   * signal does on waking the one act that it was about to do (docs/reliability.md, not promised).
   */
  wrongs(process: SimProcess, self: SimProcess, watch: Watch = this.#world.ledger.watch): ReadonlyArray<string> {
    const { byHand, claims, conductors, ledger, lies, timeline } = this.#world
    const found: Array<string> = []
    const holder = watch.conductor === undefined ? undefined : claims.holder(watch.conductor)
    if (process.belongsTo > 0 && holder !== undefined && holder.startTime !== self.identity.startTime)
      found.push(`a signal to a Conductor that souffleur ${holder.pid} has claimed, by souffleur ${self.identity.pid}`)
    // One souffleur ends another: its guardian had said so in the log.
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
      // What is said in its own files and in its row is its own word: whoever lies about itself is believed.
      !lies.about.has(conductors[process.belongsTo - 1]!.sessionId) &&
      // Its own word, in the log, that it wants to be replaced: what becomes of it then changes nothing.
      !(watch.recovery?.trigger === "handoff" && watch.handoff !== undefined) &&
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

  /** Souffleur signals a process, and `wrongs` was wrong with it. */
  sent(process: SimProcess, signal: Signal, wrongs: ReadonlyArray<string>): void {
    const world = this.#world
    world.tell(`${signal} to pid ${process.identity.pid} (${process.name})`)
    for (const wrong of wrongs) world.violated(wrong)
    this.all.push({ process, signal, at: world.timeline.monotonic })
    world.processes.signal(process, signal)
  }
}
