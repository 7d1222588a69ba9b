import {
  AlreadyWatched,
  Claims,
  EventLog,
  Processes,
  type Recorded,
  type ResolvedSettings,
  type Role,
  Settings,
  type Watch,
  type WatchEvent,
  leastPin
} from "@souffleur/domain"
import { memorySnapshots, Refused, UnreadableEvent } from "@souffleur/eventlog"
import {
  command,
  Fenced,
  forget,
  commsPublisher,
  own,
  type Restoration,
  restore,
  Roles,
  supervise
} from "@souffleur/supervisor"
import { Cause, Context, Duration, Effect, Exit, Fiber, Option, Path, Stream } from "effect"
import type { Conductor } from "./SimulatedAgent.ts"
import { ports } from "./Ports.ts"
import { Program, type ProgramOptions } from "./SimulatedProgram.ts"
import type { StateFolder } from "./StateFolder.ts"
import type { World } from "./SimulatedWorld.ts"

export const defaults: ResolvedSettings = {
  forceCompactThresholdTokens: 400_000,
  maxExternalPermission: "acceptEdits",
  agentCommand: "claude",
  agentEnvironment: [],
  pageUrl: null,
  notifyAnswers: "no",
  recovery: null,
  recoveryCommand: null,
  until: null,
  rounds: 5,
  exportCommand: null,
  launcher: "headless",
  terminalCommand: null,
  trimChars: 800_000,
  watcherInitialWait: Duration.seconds(240),
  watcherInterval: Duration.seconds(60),
  heartbeatStaleAfter: Duration.seconds(240),
  taskStaleAfter: Duration.seconds(540),
  monitorInitialWait: Duration.seconds(360),
  monitorInterval: Duration.seconds(180),
  monitorStaleAfter: Duration.seconds(180),
  validationRetryInterval: Duration.seconds(30),
  compactPollInterval: Duration.seconds(1),
  compactTimeout: Duration.seconds(300),
  stallAfter: Duration.seconds(361),
  handoffWithin: Duration.minutes(15),
  maxTokens: null,
  maxDollars: null,
  maxTime: null,
  quietHours: null,
  stopGrace: Duration.seconds(10),
  verifyTimeout: Duration.minutes(30),
  implementerTimeout: Duration.minutes(60),
  reviewerTimeout: Duration.minutes(30),
  launchSpacing: Duration.seconds(5),
  limitMargin: Duration.seconds(60),
  restartPause: Duration.seconds(1),
  keepAwake: "no",
  notify: [],
  stateDir: "/state",
  agentDir: "/agent",
  warnings: [],
  source: null
}

export interface IncarnationOptions extends ProgramOptions {
  readonly settings?: Partial<ResolvedSettings>
  /** Says after how long a role ends without a word: a watcher hangs, a self-monitor dies. */
  readonly silent?: (role: Role) => Duration.Duration | undefined
  /** A state folder other than the world's own. */
  readonly folder?: StateFolder
  /** The Conductor that the user names; else the first one. */
  readonly target?: Conductor
  /** The restoration by a guardian, which has started it over that owner. */
  readonly restored?: Restoration
  /** The event that it cannot read: its build is older than that event. */
  readonly unknown?: WatchEvent["_tag"] | undefined
}

export type Outcome = "running" | "abandoned" | "ended" | "already watched" | "fenced" | "unreadable" | "failed"

/** Acts that an older souffleur may not do once it has met an event that it cannot read. */
const acts = /^(?:log\.append|processes\.signal|launcher\.launch|comms\.(?:write|post))/u
/** Milliseconds that an end may take, or a stop before it. */
const endsWithin = 10_000

/** Reads the log as a build that is older than one of its events. `met` hears that it came to such an event. */
const olderLog = (
  log: EventLog["Service"],
  unknown: IncarnationOptions["unknown"],
  met: () => void
): EventLog["Service"] => {
  const known = (recorded: Recorded) =>
    Effect.suspend(() => {
      const { event, revision, stream } = recorded
      if (event._tag !== unknown) return Effect.succeed(recorded)
      met()
      return Effect.fail(
        new UnreadableEvent({ stream, revision, tag: event._tag, version: 1, problem: "a newer souffleur wrote it" })
      )
    })
  return {
    ...log,
    read: (stream, after, upTo) =>
      Effect.flatMap(log.read(stream, after, upTo), (all) => Effect.forEach(all, (one) => known(one))),
    changes: (stream, after) => Stream.mapEffect(log.changes(stream, after), known),
    readAll: (after) => Stream.mapEffect(log.readAll(after), known),
    snapshots: memorySnapshots()
  }
}

/** Ends some of the roles too early. */
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

/** Keeps the states of the watch that the roles see, to hold them against the log later. */
const withSight = (world: World, folder: StateFolder) =>
  Effect.updateService(Roles, (roles) => ({
    run: (role, watch, ref) => {
      const seeing = <E>(state: Effect.Effect<Watch, E>) =>
        Effect.tap(state, (seen) => Effect.sync(() => void world.seen.add(seen)))
      if (!world.sighted || folder !== world) return roles.run(role, watch, ref)
      world.seen.add(watch)
      return roles.run(role, watch, {
        ...ref,
        state: seeing(ref.state),
        dispatch: (intent) => seeing(ref.dispatch(intent))
      })
    }
  }))

/**
 * Says how a souffleur came to its end. A souffleur may be stopped as it starts. When it wakes, it finds an end or a
 * watch of another souffleur, as any later one does.
 */
const outcomeOf = (error: unknown): Outcome => {
  if (error === undefined || (error instanceof Refused && error.reason === "ended")) return "ended"
  if (error instanceof AlreadyWatched || (error instanceof Refused && error.reason === "exists"))
    return "already watched"
  if (error instanceof UnreadableEvent) return "unreadable"
  return error instanceof Fenced ? "fenced" : "failed"
}

/**
 * Runs one process of souffleur in the world as `souffleur watch` composes it. It runs until it ends or is abandoned.
 */
export class Incarnation extends Program {
  #left: Outcome = "running"
  readonly #restored: Restoration | undefined
  readonly #world: World
  readonly #folder: StateFolder
  readonly #target: Conductor | undefined

  constructor(world: World, options: IncarnationOptions = {}) {
    const { plan, unknown } = options
    const met = { event: false }
    super(world, {
      ...options,
      plan: (passed, name) => {
        // What wakes finishes the act that it was in, as it ends.
        if (met.event && world.sleptFrom === undefined && acts.test(name))
          world.violated(`a souffleur did ${name} after ${unknown}, which it cannot read`)
        return plan?.(passed, name)
      }
    })
    this.#world = world
    this.#folder = options.folder ?? world
    this.#target = options.target
    this.#restored = options.restored
    const settings = { ...defaults, maxExternalPermission: world.ceiling, ...world.settings, ...options.settings }
    const main = this.#main().pipe(
      withSilence(options.silent, () => void (this.gate.disturbed = Infinity)),
      withSight(world, this.#folder),
      Effect.provide(Roles.layer),
      Effect.provide(Path.layer)
    )
    const services = ports(world, this.process, this.gate, settings, this.#folder)
    const meets = () => {
      met.event = true
      const { disturbed } = this.gate
      const look = () => {
        if (this.outcome !== "running" || this.gate.disturbed !== disturbed) return
        // It met the event in the moment in which it was stopped.
        if (this.process.condition !== "running") world.timeline.after(endsWithin, look)
        else world.violated(`a souffleur lives on after ${unknown}, which it cannot read`)
      }
      world.timeline.after(endsWithin, look)
    }
    this.run(
      main,
      unknown === undefined
        ? services
        : Context.add(services, EventLog, olderLog(Context.get(services, EventLog), unknown, meets)),
      (exit) => this.#ended(exit)
    )
  }

  get outcome(): Outcome {
    return this.state === "ended" ? this.#left : this.state
  }

  readonly #main = Effect.fnUntraced(
    function* (this: Incarnation) {
      const { comms, conductors } = this.#world
      const { id, ledger } = this.#folder
      if (ledger.watch.phase === "New") {
        const first = this.#target ?? conductors[0]
        const { ceiling, ceilings, solo } = this.#world
        ceilings.said(ceiling)
        const open = {
          _tag: "Open",
          project: "/project",
          comms: solo === undefined ? comms.path : null,
          observe: false,
          limits: this.#world.limits,
          pin: { ...leastPin, ceiling }
        } as const
        if (first !== undefined) {
          const found = yield* (yield* Processes).find(first.process.identity.pid)
          const process = Option.map(found, ({ identity }) => identity)
          const { claim } = yield* Claims
          if (Option.isSome(process)) yield* claim(process.value)
          yield* claim({ session: first.sessionId })
          yield* command(id, {
            ...open,
            pid: first.process.identity.pid,
            process: Option.getOrNull(process),
            sessionId: first.sessionId
          })
        } else if (solo !== undefined && solo !== "watched") {
          const { kind, launch, sessionId } = solo
          yield* command(id, { ...open, pid: 0, sessionId, run: { kind, launch } })
        }
      }
      if (this.#restored !== undefined && !(yield* restore(id, this.#restored))) return
      const { fence, ref } = yield* own(id)
      const telling = yield* Effect.forkScoped(commsPublisher(id))
      yield* forget(yield* supervise(ref, fence))
      yield* Effect.timeoutOption(Fiber.await(telling), "10 seconds")
      yield* Settings
    }.bind(this),
    Effect.scoped
  )

  #ended(exit: Exit.Exit<void, unknown>): void {
    const error = Exit.isFailure(exit) ? Cause.squash(exit.cause) : undefined
    this.#left = outcomeOf(error)
    this.#world.tell(`souffleur ${this.process.identity.pid} leaves: ${this.#left}`)
    if (this.#left === "failed")
      this.#world.violated(`souffleur failed: ${String(error)} ${error instanceof Refused ? error.message : ""}`)
  }
}
