import { AlreadyWatched, Claims, type ResolvedSettings, Refused, type Role, Settings, Processes, type Watch } from "@souffleur/domain"
import { command, Fenced, herald, own, type Restoration, restore, Roles, supervise } from "@souffleur/supervisor"
import { Cause, Clock, Context, Duration, Effect, Exit, Fiber, Logger, Option, Path, Random, References, Scheduler } from "effect"
import { type Fate, Gate } from "./Gate.ts"
import { ports } from "./Ports.ts"
import type { SimProcess } from "./ProcessTable.ts"
import { SimScheduler } from "./SimScheduler.ts"
import type { World } from "./World.ts"

export const defaults: ResolvedSettings = {
  forceCompactThresholdTokens: 400_000,
  maxExternalPermission: "acceptEdits",
  agentCommand: "claude",
  exportCommand: null,
  launcher: "headless",
  trimChars: 800_000,
  watcherInitialWait: Duration.seconds(240),
  watcherInterval: Duration.seconds(60),
  heartbeatStaleAfter: Duration.seconds(240),
  monitorInitialWait: Duration.seconds(360),
  monitorInterval: Duration.seconds(180),
  monitorStaleAfter: Duration.seconds(180),
  validationRetryInterval: Duration.seconds(30),
  compactPollInterval: Duration.seconds(1),
  compactTimeout: Duration.seconds(300),
  stallAfter: Duration.seconds(361),
  handoffWithin: Duration.minutes(15),
  maxTokens: null,
  maxTime: null,
  quietHours: null,
  stopGrace: Duration.seconds(10),
  implementerTimeout: Duration.minutes(60),
  reviewerTimeout: Duration.minutes(30),
  launchSpacing: Duration.seconds(5),
  notifyCommand: null,
  stateDir: "/state",
  claudeDir: "/claude",
  warnings: [],
  source: null
}

export interface IncarnationOptions {
  readonly settings?: Partial<ResolvedSettings>
  /** Where it is abandoned, or stopped for a while. */
  readonly plan?: (passed: number, name: string) => Fate | undefined
  /** Which roles end without a word, and after how long: a watcher hangs, a self-monitor dies. */
  readonly silent?: (role: Role) => Duration.Duration | undefined
  /** A guardian has started it, over that owner. */
  readonly restored?: Restoration
  /** Operations that one fiber does before another has its turn. */
  readonly budget?: number
}

export type Outcome = "running" | "abandoned" | "ended" | "already watched" | "fenced" | "failed"

/** Roles, some of which end too early. */
const withSilence = (silent: IncarnationOptions["silent"], disturbed: () => void) =>
  Effect.updateService(Roles, (roles) => ({
    run: (role, watch, ref) => {
      const after = silent?.(role)
      const real = roles.run(role, watch, ref)
      const end = role.startsWith("watcher/") ? Effect.never : Effect.die(new Error("the world ends this role"))
      if (after !== undefined) disturbed()
      return after === undefined ? real : Effect.andThen(Effect.timeoutOption(real, after), end)
    }
  }))

/** Keeps what the roles see of the watch, to hold it against the log later. */
const withSight = (world: World) =>
  Effect.updateService(Roles, (roles) => ({
    run: (role, watch, ref) => {
      const seeing = <E>(state: Effect.Effect<Watch, E>) => Effect.tap(state, (seen) => Effect.sync(() => void world.seen.push(seen)))
      world.seen.push(watch)
      return roles.run(role, watch, { ...ref, state: seeing(ref.state), tell: (intent) => seeing(ref.tell(intent)) })
    }
  }))

/** One that was stopped as it started finds, when it wakes, an end or a watch of another souffleur, as anybody who comes later does. */
const outcomeOf = (error: unknown): Outcome => {
  if (error === undefined || (error instanceof Refused && error.why === "ended")) return "ended"
  if (error instanceof AlreadyWatched || (error instanceof Refused && error.why === "exists")) return "already watched"
  return error instanceof Fenced ? "fenced" : "failed"
}

/** One process of souffleur in the world: what `souffleur watch` composes, until it ends, or is abandoned. */
export class Incarnation {
  readonly process: SimProcess
  readonly gate: Gate
  outcome: Outcome = "running"
  /** When it last went on after a stop, on the monotonic clock. */
  wokeAt: number | undefined = undefined
  readonly #restored: Restoration | undefined
  readonly #world: World
  readonly #scheduler: SimScheduler

  constructor(world: World, options: IncarnationOptions = {}) {
    this.#world = world
    this.#restored = options.restored
    this.#scheduler = new SimScheduler(world.queue, options.budget ?? 2048)
    this.process = world.processes.start({ name: "souffleur" })
    this.process.ended = () => this.kill()
    this.gate = new Gate(options.plan ?? (() => undefined), {
      kill: (what) => this.#abandon(what),
      pause: (millis) => this.#pause(millis),
      now: () => world.timeline.monotonic
    })
    const settings = { ...defaults, maxExternalPermission: world.ceiling, ...world.settings, ...options.settings }
    const random = world.seed.fork()
    const context = ports(world, this.process, this.gate, settings).pipe(
      Context.add(
        Clock.Clock,
        world.timeline.clock(() => this.#scheduler.dead)
      ),
      Context.add(Scheduler.Scheduler, this.#scheduler),
      Context.add(Random.Random, { nextDoubleUnsafe: () => random.next(), nextIntUnsafe: () => random.between(-(2 ** 31), 2 ** 31 - 1) }),
      Context.add(References.TracerEnabled, false),
      Context.add(
        Logger.CurrentLoggers,
        new Set([
          Logger.make(({ logLevel, message }) => world.tell(`souffleur ${this.process.identity.pid} ${logLevel}: ${String(message)}`))
        ])
      )
    )
    const main = this.#main().pipe(
      withSilence(options.silent, () => void (this.gate.disturbed = Infinity)),
      withSight(world),
      Effect.provide(Roles.layer),
      Effect.provide(Path.layer)
    )
    world.tell(`souffleur starts: pid ${this.process.identity.pid}`)
    const fiber = Effect.runForkWith(context)(main)
    fiber.addObserver((exit) => this.#ended(exit))
  }

  /** SIGKILL. */
  kill(): void {
    if (this.outcome === "running") this.gate.kill("killed")
  }

  readonly #main = Effect.fnUntraced(
    function* (this: Incarnation) {
      const { board, conductors, id, ledger } = this.#world
      if (ledger.watch.phase === "New") {
        const [first] = conductors
        const { solo } = this.#world
        const open = { _tag: "Open", project: "/project", comms: solo === undefined ? board.path : null, observe: false } as const
        if (first !== undefined) {
          const found = yield* (yield* Processes).find(first.process.identity.pid)
          if (Option.isSome(found)) yield* (yield* Claims).claim(found.value.identity)
          yield* command(id, { ...open, pid: first.process.identity.pid, sessionId: first.sessionId })
        } else if (solo !== undefined && solo !== "watched") {
          const { kind, launch, sessionId } = solo
          yield* command(id, { ...open, pid: 0, sessionId, run: { kind, launch } })
        }
      }
      if (this.#restored !== undefined && !(yield* restore(id, this.#restored))) return
      const { fence, ref } = yield* own(id)
      const telling = yield* Effect.forkScoped(herald(id))
      yield* supervise(ref, fence)
      yield* Effect.timeoutOption(Fiber.await(telling), "10 seconds")
      yield* Settings
    }.bind(this),
    Effect.scoped
  )

  #abandon(what: string): void {
    if (this.outcome !== "running") return
    this.#world.tell(`souffleur ${this.process.identity.pid} is abandoned ${what}`)
    this.outcome = "abandoned"
    this.#scheduler.dead = true
    this.#world.processes.end(this.process)
  }

  /** SIGCONT. */
  wake(): void {
    if (this.process.condition !== "stopped") return
    this.process.condition = "running"
    this.wokeAt = this.#world.timeline.monotonic
    this.#world.tell(`souffleur ${this.process.identity.pid} goes on`)
    this.#scheduler.resume()
  }

  /** SIGSTOP, and after so many ms SIGCONT. */
  #pause(millis: number): void {
    this.#world.tell(`souffleur ${this.process.identity.pid} is stopped for ${Math.round(millis / 1000)} s`)
    this.process.condition = "stopped"
    this.#scheduler.pause()
    this.#world.timeline.after(millis, () => this.wake())
  }

  #ended(exit: Exit.Exit<void, unknown>): void {
    if (this.outcome !== "running") return
    const error = Exit.isFailure(exit) ? Cause.squash(exit.cause) : undefined
    this.outcome = outcomeOf(error)
    this.#world.tell(`souffleur ${this.process.identity.pid} leaves: ${this.outcome}`)
    if (this.outcome === "failed")
      this.#world.violated(`souffleur failed: ${String(error)} ${error instanceof Refused ? error.detail : ""}`)
    this.#scheduler.dead = true
    this.gate.dead = true
    this.#world.processes.end(this.process)
  }
}
