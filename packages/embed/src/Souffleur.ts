import { defaultAgent } from "./setup/DefaultAgent.ts"
import type { Target, Watch } from "@souffleur/domain"
import type { LogError } from "@souffleur/eventlog"
import type { NamedRun, Run } from "@souffleur/plan"
import { Context, type Effect, Layer, type Scope } from "effect"
import type { RunName } from "./conducting/FindRun.ts"
import type { RunningRun } from "./conducting/KeptRun.ts"
import type { RunStatus } from "./conducting/RunStatus.ts"
import type { Job } from "./jobs/Job.ts"
import type { JobPlace } from "./jobs/JobList.ts"
import type { LogNumbers } from "./metrics/LogMetrics.ts"
import { makeSouffleur, type SouffleurNeeds } from "./MakeSouffleur.ts"
import type {
  AdoptError,
  AnswerError,
  ConductError,
  DetachError,
  PlanPreviewError,
  ResumeError,
  RetryError,
  RunBroken,
  RunError,
  SettleError,
  TrustError,
  WatchError
} from "./SouffleurError.ts"
import type {
  ConductOptions,
  DetachOptions,
  FleetWordOrder,
  NodeOptions,
  PlanOrder,
  ResumeOptions,
  RetryOptions,
  RunAnswer,
  RunOptions,
  WatchOptions,
  WatchOrder
} from "./SouffleurOptions.ts"
import type { Detached } from "./keeping/Detach.ts"
import type { PlanPreview } from "./preview/PlanPreview.ts"
import type { Preview } from "./preview/Preview.ts"
import type { PreviewError } from "./preview/PreviewSubject.ts"
import type { Period, Report } from "./report/Report.ts"
import type { SouffleurLog } from "./SouffleurLog.ts"
import type { NamedWatch, WatchName } from "./watching/FindWatch.ts"
import type { RunningWatch } from "./keeping/KeptWatch.ts"
import type { Overview } from "./watching/Overview.ts"
import type { LiveSession } from "./watching/LiveSessions.ts"
import type { TrustedProject } from "./watching/TrustProject.ts"
import type { WatchStatus } from "./watching/WatchStatus.ts"
import type { PartsError } from "./world/World.ts"
import * as NodeWorld from "./world/NodeWorld.ts"

/**
 * souffleur within a larger program. A watch is a resource of its scope. The agent lives on when the scope closes, and
 * the watch is resumed by its id. Nothing is printed, no signal is handled, and messages go to Effect's logger.
 *
 * @example
 * ```ts
 * import { describeEvent, Souffleur } from "@souffleur/embed"
 * import { Console, Effect, Stream } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   const souffleur = yield* Souffleur
 *   const watch = yield* souffleur.run({ project: "/srv/job", command: ["claude", "-p", "do it"] })
 *   yield* watch.events.pipe(
 *     Stream.runForEach(({ event }) => Console.log(describeEvent(event).text)),
 *     Effect.forkScoped
 *   )
 *   return yield* watch.end
 * }).pipe(Effect.scoped, Effect.provide(Souffleur.layerNode({ stateDir: "/var/lib/app/souffleur" })))
 * ```
 */
export class Souffleur extends Context.Service<
  Souffleur,
  SouffleurLog["Service"] & {
    /** Watches a Conductor that runs already. Goes on with the unfinished watch of its session, where there is one. */
    readonly watch: (options: WatchOptions) => Effect.Effect<RunningWatch, WatchError, Scope.Scope>
    /**
     * Starts a command and watches it, without comms. An unfinished watch of the folder goes on, and nothing else is
     * started. So the same call begins a job and resumes it.
     */
    readonly run: (options: RunOptions) => Effect.Effect<RunningWatch, RunError, Scope.Scope>
    /** Goes on with a watch. Its name is its id, any session that it had, or its folder as the newest there. */
    readonly resume: (name: WatchName, options?: ResumeOptions) => Effect.Effect<RunningWatch, ResumeError, Scope.Scope>
    /**
     * Has another process look after a watch: begins it as `run` and `watch` do, or goes on with one. Returns once that
     * process owns the watch. It descends neither from this process nor from an agent whose tool this may be.
     */
    readonly detach: (order: WatchOrder, options: DetachOptions) => Effect.Effect<Detached, DetachError>
    /**
     * Conducts a plan through its tasks, each with an implementer and a reviewer. The unfinished run of the plan goes
     * on. It ends with its scope, and the agent at work is left to the next conductor.
     *
     * @example
     * ```ts
     * import { Souffleur } from "@souffleur/embed"
     * import { Console, Effect } from "effect"
     *
     * const built = Effect.gen(function* () {
     *   const souffleur = yield* Souffleur
     *   const run = yield* souffleur.conduct({ project: "/srv/opera", plan: "plan.yaml" })
     *   yield* Effect.forkScoped(run.narrate(({ event }, progress) => Console.log(event._tag, progress)))
     *   const { phase } = yield* run.end
     *   return phase === "finished"
     * }).pipe(Effect.scoped)
     * ```
     */
    readonly conduct: (options: ConductOptions) => Effect.Effect<RunningRun<RunBroken>, ConductError, Scope.Scope>
    /** Gives a run a person's answer: to a task that is escalated, or to its finishing step. */
    readonly answer: (name: RunName, answer: RunAnswer) => Effect.Effect<Run, AnswerError>
    /** Lists the live sessions of this user's agents, by their own files and their hooks. `watch` takes one of them. */
    readonly sessions: (project: string) => Effect.Effect<ReadonlyArray<LiveSession>, PartsError>
    /**
     * Lists the agents of this user that no watch follows, and the living watches and runs, a person's need first.
     * `project`: the folder of the person, whose settings say where the agents' files are.
     */
    readonly overview: (project: string) => Effect.Effect<Overview, PartsError | LogError>
    /**
     * Says what `run`, `watch` or `resume` would see and do. It has the first command line, and those after each kind
     * of end. Nothing is written, and nothing is started but the agent's `--version`.
     */
    readonly preview: (order: WatchOrder) => Effect.Effect<Preview, PreviewError>
    /**
     * Says what `conduct` would do: the order of the tasks, the agents of the roles and the prompts. Nothing is
     * written, nothing is started, and no file is trusted. It does not look at the work tree.
     */
    readonly previewPlan: (order: PlanOrder) => Effect.Effect<PlanPreview, PlanPreviewError>
    /** Lists the watches and runs that have not ended, the need of a person first. */
    readonly jobs: Effect.Effect<ReadonlyArray<Job>, LogError>
    /**
     * Lists the watches and runs that ended last, the last one first, `limit` at most. `wanted`: only these. `count`:
     * the number of all such ones. A search holds a page of them at a time.
     */
    readonly endedJobs: (
      limit: number,
      wanted?: (place: JobPlace) => boolean
    ) => Effect.Effect<{ readonly count: number; readonly last: ReadonlyArray<Job> }, LogError>
    /** Reports a time: each watch and run that lives, or ended since. */
    readonly report: (period: Period) => Effect.Effect<Report, LogError>
    /** Counts what the log has now, for a collector. */
    readonly metrics: Effect.Effect<LogNumbers, LogError>
    /** Looks at a watch now: its processes, its comms and its agent's files. */
    readonly status: (watch: NamedWatch) => Effect.Effect<WatchStatus, PartsError>
    /** Looks at a run now: its processes, and what it needs of a person. */
    readonly runStatus: (run: NamedRun) => Effect.Effect<RunStatus, PartsError>
    /**
     * Tries a failed or withheld recovery again. Otherwise as much again is allowed as the ceilings of use say. With an
     * agent, its conversation is handed over to that one now.
     */
    readonly retry: (name: WatchName, options?: RetryOptions) => Effect.Effect<Watch, RetryError>
    /** Makes a running process the Conductor. `force` outranks the evidence that it is another. */
    readonly adopt: (name: WatchName, target: Target & { readonly force?: boolean }) => Effect.Effect<Watch, AdoptError>
    /**
     * Holds a watch: nothing is stopped or launched until it is let go. Fails with `Refused` while a successor is
     * launched.
     */
    readonly hold: (name: WatchName) => Effect.Effect<Watch, SettleError>
    /**
     * Ends a hold or a wait now, and begins what it held back. Fails with `Refused` where there is neither. `byAgent`:
     * an agent asks for it, so a hold is refused too.
     */
    readonly go: (name: WatchName, options?: { readonly byAgent?: boolean }) => Effect.Effect<Watch, SettleError>
    /**
     * Takes a word that a person said at the hub of a fleet. It counts once, for the revision that the person saw.
     * Fails with `Refused` where this host does not take it.
     */
    readonly takeWord: (word: FleetWordOrder) => Effect.Effect<Watch, SettleError>
    /**
     * Trusts the config file of a project as it is now, by a person's word: its ceiling and its programs. Its
     * unfinished watches and its runs take both from now on.
     */
    readonly trust: (project: string) => Effect.Effect<TrustedProject, TrustError>
    /**
     * Takes a person's word that the last owner of a watch is gone, on another machine. The watch can be resumed here
     * then. Fails with `Refused` where the owner is of this machine.
     */
    readonly moveHere: (name: WatchName) => Effect.Effect<Watch, SettleError>
    /** Ends a watch, and leaves its Conductor as it is. */
    readonly release: (name: WatchName) => Effect.Effect<Watch, SettleError>
    /** Ends a watch as complete, by the word of an operator or of its agent; the operator's by default. */
    readonly done: (name: WatchName, word?: { readonly by: "agent" | "operator" }) => Effect.Effect<Watch, SettleError>
  }
>()("@souffleur/embed/Souffleur") {
  /** Makes the service of the ports in the context. A test brings fakes, an app its own. */
  static readonly layer: Layer.Layer<Souffleur, never, SouffleurNeeds> = Layer.effect(Souffleur, makeSouffleur)

  /** Makes the service on this host. Nothing else is needed. */
  static readonly layerNode = <E = never>({
    agent = defaultAgent,
    environment = process.env,
    ...options
  }: NodeOptions<E>) => Layer.provide(Souffleur.layer, NodeWorld.layer({ agent, environment, ...options }))
}
