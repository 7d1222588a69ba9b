import {
  projectRun,
  conduct,
  PlanContext,
  type PlanNow,
  conductOn,
  gitOf,
  hostTrees,
  TreePort,
  GitUnusable,
  isRunOver,
  loadRun,
  openRun,
  ownFiles,
  ownRun,
  type Run,
  publishRun,
  StateForeign
} from "@souffleur/plan"
import { AlreadyWatched, Comms, CommsLink, leastPin, type Permission, type Pin } from "@souffleur/domain"
import { LogUnusable, Refused } from "@souffleur/eventlog"
import { Cause, Duration, Effect, Exit, Fiber, Option, Path, PlatformError } from "effect"
import { defaults } from "../Incarnation.ts"
import { Program, type ProgramOptions } from "../SimulatedProgram.ts"
import { runPorts } from "./RunPorts.ts"
import type { RunWorld } from "./RunWorld.ts"
import type { SimPlan } from "./SimPlan.ts"

export interface ConductionOptions extends ProgramOptions {
  readonly requested?: Permission
  /** True if no person starts it. */
  readonly restored?: boolean
  /** Stays where a person is needed. */
  readonly waits?: boolean
}

export type ConductionOutcome =
  | "running"
  | "abandoned"
  | "finished"
  | "needs a person"
  | "already watched"
  | "fenced"
  | "hindered"
  | "failed"

/**
 * One process of souffleur that conducts the plan. It runs the composition of `souffleur conduct` until it ends or is
 * abandoned.
 */
export class Conduction extends Program {
  #left: ConductionOutcome = "running"
  readonly #world: RunWorld
  readonly #script: SimPlan
  readonly #options: ConductionOptions
  readonly #pin: Pin

  constructor(world: RunWorld, script: SimPlan, options: ConductionOptions = {}) {
    super(world, options)
    this.#world = world
    this.#script = script
    this.#options = options
    const ceiling = world.hostile ? leastPin.ceiling : world.ceiling
    world.ceilings.said(ceiling)
    this.#pin = { ...leastPin, ceiling }
    const settings = {
      ...defaults,
      maxExternalPermission: world.ceiling,
      stallAfter: Duration.millis(world.stall),
      implementerTimeout: Duration.millis(world.implementerTimeout),
      reviewerTimeout: Duration.millis(world.reviewerTimeout)
    }
    const main = Effect.provide(this.#main(), Path.layer)
    this.run(main, runPorts(world, this, this.process, this.gate, settings), (exit) => this.#ended(exit))
  }

  get outcome(): ConductionOutcome {
    return this.state === "ended" ? this.#left : this.state
  }

  readonly #main = Effect.fnUntraced(
    function* (this: Conduction) {
      const { project } = this.#world
      const { digest, id: runId, path, plan, statePath } = this.#script
      const loaded = { plan, path, digest }
      this.#script.witness.look()
      const own = yield* ownFiles(statePath, [loaded.path, "/project/comms.db"])
      const git = yield* gitOf(project, own)
      if (this.#options.restored !== true) {
        this.#world.conductedByPerson = true
        this.#world.opening.add(this)
      }
      const link = Option.some(yield* CommsLink)
      const comms = Option.some(yield* Comms)
      const { from, id } = yield* openRun(loaded, {
        project,
        statePath,
        git,
        newId: Effect.succeed(runId),
        pin: this.#pin,
        restored: this.#options.restored ?? false
      })
      this.#world.opening.delete(this)
      const bulletin = yield* Effect.forkScoped(projectRun(id, from, link))
      const telling = yield* Effect.forkScoped(publishRun(id, from, { project, comms }))
      yield* Effect.scoped(
        Effect.gen(
          function* (this: Conduction) {
            const ref = yield* ownRun(id)
            const waiting = (run: Run) => Effect.sync(() => this.#idles(run))
            const { requested = "acceptEdits", waits = false } = this.#options
            const planNow = ({ plan }: SimPlan): PlanNow => ({
              plan,
              finishing:
                plan.finish._tag === "Command" ? { program: plan.finish.command[0], args: [], environment: {} } : null
            })
            const conducting = {
              ref,
              ...planNow(this.#script),
              read: Effect.sync(() => planNow(this.#script)),
              git,
              words: this.#world.words,
              statePath,
              attended: this.#options.restored !== true,
              requested,
              agents: {},
              commitSetting: "it commits where COMMIT is set"
            }
            const trees = yield* hostTrees(project, own, [])
            const conducted = Effect.provideService(waits ? conductOn(waiting) : conduct(), PlanContext, conducting)
            this.#idles(yield* Effect.provideService(conducted, TreePort, trees))
          }.bind(this)
        )
      )
      yield* Effect.timeoutOption(Fiber.awaitAll([bulletin, telling]), "10 seconds")
      return yield* loadRun(id)
    }.bind(this),
    Effect.scoped
  )

  /**
   * Checks that the files of a run that it leaves, or waits with, are whole. A conductor that was stopped on the way
   * does not know what happened meanwhile.
   */
  #idles(run: Run): void {
    if (this.gate.disturbed === 0) this.#script.witness.idle(run)
  }

  #outcomeOf(error: unknown): ConductionOutcome {
    if (
      error instanceof AlreadyWatched ||
      (error instanceof Refused && (error.reason === "owned" || error.reason === "not now"))
    )
      return "already watched"
    if (error instanceof Refused && error.reason === "fenced") return "fenced"
    if (error instanceof GitUnusable && (this.#world.gitFailures > 0 || this.gate.disturbed > 0)) return "hindered"
    if (error instanceof StateForeign && (this.#script.witness.isForeign || this.gate.disturbed > 0)) return "hindered"
    // The successor has used the same draft of the state file.
    if (error instanceof PlatformError.PlatformError && this.#world.zombies && this.gate.disturbed > 0)
      return "hindered"
    // Only the world gives these errors, while its disk is full.
    if (
      error instanceof LogUnusable ||
      (error instanceof PlatformError.PlatformError && error.reason._tag === "Unknown")
    )
      return "hindered"
    return "failed"
  }

  #ended(exit: Exit.Exit<Run, unknown>): void {
    if (Exit.isSuccess(exit)) this.#left = isRunOver(exit.value) ? "finished" : "needs a person"
    else this.#left = this.#outcomeOf(Cause.squash(exit.cause))
    this.#world.tell(`souffleur ${this.process.identity.pid} leaves: ${this.#left}`)
    if (this.#left === "failed")
      this.#world.violated(`souffleur failed: ${Exit.isFailure(exit) ? Cause.pretty(exit.cause).slice(0, 400) : ""}`)
  }
}
