import type { Fiber, Scheduler } from "effect"
import type { Seed } from "./Seed.ts"

export interface Task {
  readonly run: () => void
  readonly scheduler: SimScheduler
}

/** Holds everything that could run now in a simulated world. When it is empty, only time can change something. */
export class RunQueue {
  readonly #tasks: Array<Task> = []
  readonly #order: Seed | undefined

  /** Makes a queue. With a seed, any of the runnable tasks may be next; without, the oldest is. */
  constructor(order: Seed | undefined) {
    this.#order = order
  }

  get isEmpty(): boolean {
    return this.#tasks.length === 0
  }

  add(task: Task): void {
    this.#tasks.push(task)
  }

  /** Runs one task. Tasks of a dead process fall through, and tasks of a stopped one wait for it. */
  step(): void {
    const index = this.#order === undefined ? 0 : this.#order.between(0, this.#tasks.length - 1)
    const [task] = this.#tasks.splice(index, 1)
    if (task !== undefined && !task.scheduler.holds(task)) task.run()
  }
}

/**
 * Runs the fibers of one simulated process, nothing real involved. When it is killed, it freezes each of them at its
 * very next operation, also where they cannot be interrupted. No finalizer runs, as after SIGKILL.
 */
export class SimScheduler implements Scheduler.Scheduler {
  readonly executionMode = "sync"
  dead = false
  #paused = false
  #held: Array<Task> = []
  readonly #queue: RunQueue
  readonly #budget: number

  /** Makes a scheduler. `budget`: how many operations a fiber may do before another one has its turn. */
  constructor(queue: RunQueue, budget: number) {
    this.#queue = queue
    this.#budget = budget
  }

  /** Stops as SIGSTOP does: timers go on, and the tasks that they wake wait. */
  pause(): void {
    this.#paused = true
  }

  resume(): void {
    this.#paused = false
    for (const task of this.#held.splice(0)) this.#queue.add(task)
  }

  /** Returns whether that task cannot run now. `true`: it never will, or it is kept until its process is resumed. */
  holds(task: Task): boolean {
    if (this.#paused && !this.dead) this.#held.push(task)
    return this.dead || this.#paused
  }

  shouldYield(fiber: Fiber.Fiber<unknown, unknown>): boolean {
    return this.dead || this.#paused || fiber.currentOpCount >= this.#budget
  }

  makeDispatcher(): Scheduler.SchedulerDispatcher {
    return {
      scheduleTask: (run) => void (this.dead || this.#queue.add({ run, scheduler: this })),
      flush: () => undefined
    }
  }
}
