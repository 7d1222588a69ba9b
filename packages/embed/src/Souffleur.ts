import { defaultAgent } from "./setup/DefaultAgent.ts"
import type { SaidPlace, SessionPast, Target, Watch } from "@souffleur/domain"
import type { LogError } from "@souffleur/eventlog"
import type { GitUnusable, NamedRun, Run, WorkChanges } from "@souffleur/plan"
import { Config, Context, Effect, Layer, type Option, type Scope, type Stream } from "effect"
import type { PlanName } from "./conducting/FindPlan.ts"
import type { RunningPlan } from "./conducting/KeptRun.ts"
import type { PlanStatus } from "./conducting/PlanStatus.ts"
import type { Job } from "./jobs/Job.ts"
import type { ConversationPart, ConversationAsked } from "./sight/JobConversation.ts"
import type { OutputOptions, Printed } from "./jobs/JobOutput.ts"
import type { JobResult } from "./jobs/JobResult.ts"
import type { LogNumbers } from "./metrics/LogMetrics.ts"
import { builtApart } from "./trace/OwnSpans.ts"
import { makeSouffleur, type SouffleurNeeds } from "./MakeSouffleur.ts"
import type {
  AdoptError,
  AnswerError,
  ChangesError,
  ConductError,
  DetachError,
  OutputError,
  PlanPreviewError,
  PlanReadFailed,
  PlanWorkError,
  ResultError,
  ResumeError,
  RetryError,
  PlanBroken,
  RunError,
  SettleError,
  StopError,
  StopPlanError,
  TrustError,
  TrustPlanError,
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
  PlanAnswer,
  StopPlanOptions,
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
import type { TrustedProject } from "./trust/TrustProject.ts"
import type { WatchStatus } from "./watching/WatchStatus.ts"
import type { PartsError } from "./world/World.ts"
import * as NodeWorld from "./world/NodeWorld.ts"

/**
 * souffleur within a larger program. A watch is a resource of its scope: when the scope closes, the agent lives on, and
 * the watch can be resumed by its id. Nothing is printed, no signal is handled, and messages go to Effect's logger.
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
 *   return yield* watch.awaitEnd
 * }).pipe(Effect.scoped, Effect.provide(Souffleur.layerNode({ stateDir: "/var/lib/app/souffleur" })))
 * ```
 */
export class Souffleur extends Context.Service<
  Souffleur,
  SouffleurLog["Service"] & {
    /** Watches a Conductor that runs already, or resumes the unfinished watch of its session. */
    readonly watch: (options: WatchOptions) => Effect.Effect<RunningWatch, WatchError, Scope.Scope>
    /**
     * Starts a command and watches it, without comms. If the folder has an unfinished watch, that watch is resumed and
     * nothing else is started, so the same call begins a job and picks it up again. With an `id` it means the job of
     * that id, also once that has ended.
     */
    readonly run: (options: RunOptions) => Effect.Effect<RunningWatch, RunError, Scope.Scope>
    /** Resumes a watch, named by its id, by any session that it had, or by its folder, whose newest watch is meant. */
    readonly resume: (name: WatchName, options?: ResumeOptions) => Effect.Effect<RunningWatch, ResumeError, Scope.Scope>
    /**
     * Has another process look after a watch, which it begins as `run` and `watch` do, or resumes. Returns once that
     * process owns the watch. The process descends neither from this one nor from an agent whose tool this may be.
     */
    readonly detach: (order: WatchOrder, options: DetachOptions) => Effect.Effect<Detached, DetachError>
    /**
     * Conducts a plan through its tasks, each with an implementer and a reviewer, or resumes the unfinished run of the
     * plan. The run ends with its scope, and leaves the agent at work to the next conductor.
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
     *   const { phase } = yield* run.awaitEnd
     *   return phase === "finished"
     * }).pipe(Effect.scoped)
     * ```
     */
    readonly conduct: (options: ConductOptions) => Effect.Effect<RunningPlan<PlanBroken>, ConductError, Scope.Scope>
    /**
     * Trusts the programs of a plan that judge its work, for a person who has read them: each as a line, as
     * `ProgramsUntrusted` has them. Fails with that error where the plan has others by now.
     */
    readonly trustPlan: (order: PlanOrder, programs: ReadonlyArray<string>) => Effect.Effect<void, TrustPlanError>
    /** Gives a run a person's answer, to a task, the finishing step or a changed plan, holds it, or ends its wait. */
    readonly answer: (name: PlanName, answer: PlanAnswer) => Effect.Effect<Run, AnswerError>
    /**
     * Stops a run: its agent at work goes on to its end, or is ended `now` and its session kept. Nothing but another
     * `conduct` goes on with the run.
     */
    readonly stopPlan: (name: PlanName, options?: StopPlanOptions) => Effect.Effect<Run, StopPlanError>
    /** Lists the live sessions of this user's agents, by their own files and hooks. `watch` takes any of them. */
    readonly sessions: (project: string) => Effect.Effect<ReadonlyArray<LiveSession>, PartsError>
    /**
     * Lists the agents of this user that no watch follows, and the living watches and runs, those that need a person
     * first. `project` is the person's folder, whose settings say where the agents' files are.
     */
    readonly overview: (project: string) => Effect.Effect<Overview, PartsError | LogError>
    /**
     * Says what `run`, `watch` or `resume` would see and do, with the first command line and those after each kind of
     * end. Writes nothing, and starts nothing but the agent's `--version`.
     */
    readonly preview: (order: WatchOrder) => Effect.Effect<Preview, PreviewError>
    /**
     * Says what `conduct` would do: the order of the tasks, the agents of the roles, and the prompts. Writes nothing,
     * starts nothing, trusts no file, and does not look at the work tree.
     */
    readonly previewPlan: (order: PlanOrder) => Effect.Effect<PlanPreview, PlanPreviewError>
    /** Lists the watches and runs that have not ended, those that need a person first. */
    readonly jobs: Effect.Effect<ReadonlyArray<Job>, LogError>
    /**
     * Lists the watches and runs that ended last, newest first, `limit` at most. `wanted` selects among them, and
     * `count` is the number of all that it selects. A search holds one page of them at a time.
     */
    readonly endedJobs: (
      limit: number,
      wanted?: (job: Job) => boolean
    ) => Effect.Effect<{ readonly count: number; readonly last: ReadonlyArray<Job> }, LogError>
    /** Reports on a period: each watch and run that lives, or has ended since it began. */
    readonly report: (period: Period) => Effect.Effect<Report, LogError>
    /** Counts what the log has now, for a collector. */
    readonly metrics: Effect.Effect<LogNumbers, LogError>
    /** Looks at a watch now: its processes, its comms and its agent's files. */
    readonly status: (watch: NamedWatch) => Effect.Effect<WatchStatus, PartsError>
    /**
     * Returns the words that the agent of a watch wrote last in its session, else the last lines that were printed.
     * They are as they were written, and empty where there are none.
     */
    readonly lastWords: (name: WatchName) => Effect.Effect<string, ResultError>
    /**
     * Returns a bounded part of the conversation of a watch, from the end of its session on; `None`: there is none. Its
     * words are as they were written.
     */
    readonly conversation: (
      name: WatchName,
      asked?: ConversationAsked
    ) => Effect.Effect<Option.Option<ConversationPart>, ResultError>
    /**
     * Streams what is said after a place of the conversation, in bytes, through the sessions that follow, to the end of
     * the watch.
     */
    readonly conversationNews: (
      name: WatchName,
      from: { readonly session: number; readonly after: number }
    ) => Stream.Stream<ConversationPart, ResultError>
    /**
     * Returns what so many bytes of the end of its session tell of the use of a watch over time, and the list that its
     * agent keeps of its own work; `None`: there is none.
     */
    readonly past: (name: WatchName, bytes: number) => Effect.Effect<Option.Option<SessionPast>, ResultError>
    /**
     * Returns how the work tree of a watch differs from the last commit that HEAD had before the watch began. It runs
     * no program that the repository names. Fails with `GitUnusable` where git cannot tell.
     */
    readonly changes: (name: WatchName) => Effect.Effect<WorkChanges, ChangesError>
    /** Returns a bounded part of the conversation of one agent of a run, by the token of its assignment. */
    readonly planConversation: (
      name: PlanName,
      token: string,
      place?: SaidPlace
    ) => Effect.Effect<Option.Option<ConversationPart>, PlanWorkError>
    /** Streams what that agent says after a place, in bytes, until its work is over. */
    readonly planConversationNews: (
      name: PlanName,
      token: string,
      after: number
    ) => Stream.Stream<ConversationPart, PlanWorkError>
    /**
     * Returns what the commits of a task changed since its base, on the terms of `changes`; `None`: it has not begun,
     * or its base is not known.
     */
    readonly planChanges: (
      name: PlanName,
      taskId: string
    ) => Effect.Effect<Option.Option<WorkChanges>, GitUnusable | PlanReadFailed>
    /**
     * Streams what the agent or the command of a watch printed, from the beginning as far as it is kept, then as it
     * comes, to the end of the watch. It is the same as a pipe gets from the command line. Fails with `NoOutput` for an
     * agent in a window, or one that souffleur did not start.
     */
    readonly output: (name: WatchName, options?: OutputOptions) => Stream.Stream<Printed, OutputError>
    /** Returns what came of a watch: how it ended, its last words, its exit code and its use. */
    readonly result: (name: WatchName) => Effect.Effect<JobResult, ResultError>
    /** Looks at a run now: its processes, and what it needs of a person. */
    readonly planStatus: (run: NamedRun) => Effect.Effect<PlanStatus, PartsError>
    /**
     * Tries a failed or withheld recovery again. Without such a recovery, allows as much again as the ceilings of use
     * say. With an agent, hands the conversation over to that agent now.
     */
    readonly retry: (name: WatchName, options?: RetryOptions) => Effect.Effect<Watch, RetryError>
    /** Makes a running process the Conductor. `force` outranks evidence that it is another one. */
    readonly adopt: (name: WatchName, target: Target & { readonly force?: boolean }) => Effect.Effect<Watch, AdoptError>
    /**
     * Holds a watch: nothing is stopped or launched until `go`. Fails with `Refused` while a successor is being
     * launched. `byAgent`: an agent asks, which a notice tells.
     */
    readonly hold: (name: WatchName, options?: { readonly byAgent?: boolean }) => Effect.Effect<Watch, SettleError>
    /**
     * Ends a hold or a wait now, and begins what it held back. Fails with `Refused` if there is neither. `byAgent`: an
     * agent asks, and may end no hold.
     */
    readonly go: (name: WatchName, options?: { readonly byAgent?: boolean }) => Effect.Effect<Watch, SettleError>
    /**
     * Takes a word that a person said at the hub of a fleet, once, for the revision that the person saw. Fails with
     * `Refused` if this host does not take it.
     */
    readonly takeWord: (word: FleetWordOrder) => Effect.Effect<Watch, StopError>
    /**
     * Trusts the config file of a project as it is now, by a person's word. The unfinished watches and runs of the
     * project take its ceiling and its programs from now on.
     */
    readonly trust: (project: string) => Effect.Effect<TrustedProject, TrustError>
    /**
     * Takes a person's word that the last owner of a watch, on another machine, is gone, after which the watch can be
     * resumed here. Fails with `Refused` if the owner is of this machine.
     */
    readonly moveHere: (name: WatchName) => Effect.Effect<Watch, SettleError>
    /**
     * Stops the agent of a watch with all that it started, ends the watch, and returns once both are done. A word that
     * was said is carried out by whoever keeps the watch next. Where the agent does not end, the watch stands by, which
     * the returned state says. Fails with `Refused` for a watch that only observes.
     */
    readonly stop: (name: WatchName, options?: { readonly reason?: string }) => Effect.Effect<Watch, StopError>
    /** Ends a watch, and leaves its Conductor as it is. */
    readonly release: (name: WatchName) => Effect.Effect<Watch, SettleError>
    /** Ends a watch as complete, by the word of its operator (the default) or of its agent. */
    readonly done: (name: WatchName, word?: { readonly by: "agent" | "operator" }) => Effect.Effect<Watch, SettleError>
  }
>()("@souffleur/embed/Souffleur") {
  /** Makes the service from the ports in the context: fakes in a test, or parts of the app's own. */
  static readonly layer: Layer.Layer<Souffleur, never, SouffleurNeeds> = Layer.effect(Souffleur, makeSouffleur)

  /**
   * Makes the service on this host. It needs nothing else. One layer keeps many watches, over one connection to the
   * log. A second layer of the process is another souffleur, over any state folder: it has its own `environment` and
   * connection, hears of what the first writes, and is refused what the first has claimed.
   */
  static readonly layerNode = <E = never>({
    agent = defaultAgent,
    environment = process.env,
    ...options
  }: NodeOptions<E>) =>
    Layer.provide(Souffleur.layer, Layer.effectContext(builtApart(NodeWorld.layer({ agent, environment, ...options }))))

  /** The same by options that the app's config gives, such as `{ stateDir: Config.String("STATE_DIR") }`. */
  static readonly layerNodeConfig = <E = never>(options: Config.Wrap<NodeOptions<E>>) =>
    Layer.unwrap(Effect.map(Config.unwrap(options), (found) => Souffleur.layerNode(found)))
}
