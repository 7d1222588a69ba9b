import { Disk } from "./SimulatedDisk.ts"
import { Faults } from "./Faults.ts"
import { ProcessTable } from "./ProcessTable.ts"
import { Seed } from "./Seed.ts"
import { RunQueue } from "./SimScheduler.ts"
import { Timeline } from "./Timeline.ts"

/** The number of lines of a story that are kept. */
const maxStory = 5000

/** A user's machine: its time, its processes, its disk and the story of its events, all fixed by one seed. */
export class SimMachine {
  readonly seed: Seed
  readonly faults = new Faults()
  readonly timeline = new Timeline()
  readonly queue: RunQueue
  readonly processes: ProcessTable
  readonly disk = new Disk(() => this.timeline.monotonic)
  readonly story: Array<string> = []
  readonly violations: Array<string> = []
  /** True if the story is not kept, as it has no reader. */
  silent = false
  /** True if nothing more goes wrong by itself. */
  calm = false
  /** The last time in which souffleur was stopped, on the monotonic clock. */
  #stopped = { from: 0, until: 0 }

  /** Makes a machine. `shuffled`: any fiber that can run may be next, by the seed; else the oldest is. */
  constructor(seed: number, shuffled: boolean) {
    this.seed = new Seed(seed)
    this.queue = new RunQueue(shuffled ? this.seed.fork() : undefined)
    this.processes = new ProcessTable(this.timeline, this.seed.fork())
  }

  tell(what: string): void {
    if (this.silent) return
    this.story.push(`${(this.timeline.monotonic / 1000).toFixed(3).padStart(10)} ${what}`)
    if (this.story.length > maxStory) this.story.splice(0, maxStory / 10)
  }

  violated(what: string): void {
    this.violations.push(what)
    this.tell(`VIOLATED: ${what}`)
  }

  /** Keeps that souffleur is stopped from now on. */
  stops(): void {
    this.#stopped = { from: this.timeline.monotonic, until: Infinity }
  }

  /** Keeps that souffleur goes on. */
  goesOn(): void {
    this.#stopped.until = this.timeline.monotonic
  }

  /** Returns whether souffleur slept through a moment and wakes just now, so that it says what it saw before. */
  isOverslept(at: number): boolean {
    return this.#stopped.until === this.timeline.monotonic && at >= this.#stopped.from
  }

  /** Since when souffleur was stopped, if it wakes just now. */
  get sleptFrom(): number | undefined {
    return this.#stopped.until === this.timeline.monotonic ? this.#stopped.from : undefined
  }

  /** Cuts the power: every process is gone, and so is all that was not synced. */
  powerCut(): void {
    this.tell("the power goes, and comes back")
    this.disk.cut()
    this.processes.reboot()
  }

  /** Runs what can run, then moves to the next timer, until `done`, or until `until` on the monotonic clock. */
  run(until: number, done: () => boolean = () => false): void {
    const { queue, timeline } = this
    while (!done()) {
      if (!queue.isEmpty) queue.step()
      else if ((timeline.next ?? Infinity) <= until) timeline.step()
      else {
        timeline.monotonic = Math.max(timeline.monotonic, until)
        return
      }
    }
  }
}
