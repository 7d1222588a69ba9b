import { Clock, Context, Effect, type Exit, Logger, Random, References, Scheduler } from "effect"
import { WebCrypto } from "effect/crypto"
import { type Fate, Gate } from "./EffectGate.ts"
import type { NewProcess, ProcessTable, SimProcess } from "./ProcessTable.ts"
import type { Seed } from "./Seed.ts"
import { simCrypto } from "./SimCrypto.ts"
import { type RunQueue, SimScheduler } from "./SimScheduler.ts"
import type { Timeline } from "./Timeline.ts"

/** A simulated machine as a program finds it. */
export interface Machine {
  readonly seed: Seed
  readonly timeline: Timeline
  readonly queue: RunQueue
  readonly processes: ProcessTable
  readonly tell: (what: string) => void
  readonly stops: () => void
  readonly goesOn: () => void
}

export interface ProgramOptions {
  /** Says where it is abandoned, or stopped for a while. */
  readonly plan?: (passed: number, name: string) => Fate | undefined
  /** Operations that one fiber does before another has its turn. */
  readonly budget?: number
  /** The process that starts it, and its environment. Absent: a person's. */
  readonly started?: Pick<NewProcess, "environment" | "parent">
}

/**
 * One process of souffleur on a simulated machine. It runs until it ends, or is abandoned as by SIGKILL; it may be
 * stopped and woken.
 */
export class Program {
  readonly process: SimProcess
  readonly gate: Gate
  state: "running" | "abandoned" | "ended" = "running"
  readonly #machine: Machine
  readonly #scheduler: SimScheduler

  constructor(machine: Machine, options: ProgramOptions) {
    this.#machine = machine
    this.#scheduler = new SimScheduler(machine.queue, options.budget ?? 2048)
    this.process = machine.processes.start({ name: "souffleur", ...options.started })
    this.process.ended = () => this.kill()
    this.gate = new Gate(options.plan ?? (() => undefined), {
      kill: (what) => this.#abandon(what),
      pause: (millis) => this.#pause(millis),
      now: () => machine.timeline.monotonic
    })
  }

  /** Runs the program; `ended` hears of an end of its own. */
  protected run<A, E, R>(
    main: Effect.Effect<A, E, R>,
    services: Context.Context<R>,
    ended: (exit: Exit.Exit<A, E>) => void
  ): void {
    const { seed, timeline } = this.#machine
    const tell = (what: string) => this.#machine.tell(what)
    const random = seed.fork()
    const context = services.pipe(
      Context.add(
        Clock.Clock,
        timeline.clock(() => this.#scheduler.dead)
      ),
      Context.add(Scheduler.Scheduler, this.#scheduler),
      Context.add(Random.Random, {
        nextDoubleUnsafe: () => random.next(),
        nextIntUnsafe: () => random.between(-(2 ** 31), 2 ** 31 - 1)
      }),
      Context.add(WebCrypto.WebCrypto, simCrypto(random)),
      Context.add(References.TracerEnabled, false),
      Context.add(
        Logger.CurrentLoggers,
        new Set([
          Logger.make(({ logLevel, message }) =>
            tell(`souffleur ${this.process.identity.pid} ${logLevel}: ${String(message)}`)
          )
        ])
      )
    )
    tell(`souffleur starts: pid ${this.process.identity.pid}`)
    const fiber = Effect.runForkWith(context)(main)
    fiber.addObserver((exit) => {
      if (this.state !== "running") return
      this.state = "ended"
      ended(exit)
      this.#scheduler.dead = true
      this.gate.dead = true
      this.#machine.processes.end(this.process)
    })
  }

  /** Kills it as SIGKILL does. */
  kill(): void {
    if (this.state === "running") this.gate.kill("killed")
  }

  /** Wakes it as SIGCONT does. */
  wake(): void {
    if (this.process.condition !== "stopped") return
    this.process.condition = "running"
    this.#machine.goesOn()
    this.#machine.tell(`souffleur ${this.process.identity.pid} goes on`)
    this.#scheduler.resume()
  }

  #abandon(what: string): void {
    if (this.state !== "running") return
    this.#machine.tell(`souffleur ${this.process.identity.pid} is abandoned ${what}`)
    this.state = "abandoned"
    this.#scheduler.dead = true
    this.#machine.processes.end(this.process)
  }

  /** Stops it as SIGSTOP does, and wakes it after `millis` ms. */
  #pause(millis: number): void {
    this.#machine.tell(`souffleur ${this.process.identity.pid} is stopped for ${Math.round(millis / 1000)} s`)
    this.process.condition = "stopped"
    this.#machine.stops()
    this.#scheduler.pause()
    this.#machine.timeline.after(millis, () => this.wake())
  }
}
