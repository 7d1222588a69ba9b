import { claudeCode } from "@souffleur/claude"
import type { Permission, Recorded, Target, Watch } from "@souffleur/domain"
import type { LogError } from "@souffleur/eventlog"
import type { NamedRun } from "@souffleur/plan"
import { Context, type Effect, Layer, type Option, type Scope, type Stream } from "effect"
import type { Why } from "./explain/Why.ts"
import { makeSouffleur, type SouffleurNeeds } from "./MakeSouffleur.ts"
import type {
  AdoptError,
  ReadFailed,
  ResumeError,
  RetryError,
  RunError,
  SettleError,
  WatchError
} from "./SouffleurError.ts"
import type { KeepOptions, NodeOptions, RunOptions, WatchOptions } from "./SouffleurOptions.ts"
import type { NamedWatch } from "./watching/FindWatch.ts"
import type { RunningWatch } from "./watching/KeptWatch.ts"
import * as NodeWorld from "./world/NodeWorld.ts"

/**
 * souffleur within a larger program. A watch is a resource of its scope. The agent lives on when the scope closes, and
 * the watch is resumed by its id. Nothing is printed, no signal is handled, and messages go to Effect's logger.
 *
 * @example
 * ```ts
 * import { describeEvent } from "@souffleur/domain"
 * import { Souffleur } from "@souffleur/embed"
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
  {
    /** Watches a Conductor that runs already. Goes on with the unfinished watch of its session, where there is one. */
    readonly watch: (options: WatchOptions) => Effect.Effect<RunningWatch, WatchError, Scope.Scope>
    /**
     * Starts a command and watches it, without comms. An unfinished watch of the folder goes on, and nothing else is
     * started. So the same call begins a job and resumes it.
     */
    readonly run: (options: RunOptions) => Effect.Effect<RunningWatch, RunError, Scope.Scope>
    /** Goes on with a watch, by its id or by any session that it had. */
    readonly resume: (id: string, options?: KeepOptions) => Effect.Effect<RunningWatch, ResumeError, Scope.Scope>
    /** Every watch of the log, oldest first. An unreadable watch hides no other. */
    readonly watches: Effect.Effect<ReadonlyArray<NamedWatch>, LogError>
    /** Every run of a plan, oldest first. */
    readonly runs: Effect.Effect<ReadonlyArray<NamedRun>, LogError>
    /** Finds a watch by its id, or by any session that it had. */
    readonly find: (name: string) => Effect.Effect<NamedWatch, ReadFailed>
    /** Returns the state of a watch, now or as it was at a revision. */
    readonly state: (id: string, at?: { readonly revision: number }) => Effect.Effect<Watch, ReadFailed>
    /** Follows the events after a revision (0 by default), to the end of the watch. */
    readonly events: (id: string, from?: { readonly after: number }) => Stream.Stream<Recorded, ReadFailed>
    /** Returns the events after a revision (0 by default). */
    readonly history: (
      id: string,
      from?: { readonly after: number }
    ) => Effect.Effect<ReadonlyArray<Recorded>, ReadFailed>
    /** Explains the last decision at or before a revision. `None`: nothing is decided yet. */
    readonly why: (id: string, at?: { readonly revision: number }) => Effect.Effect<Option.Option<Why>, ReadFailed>
    /** Tries a failed or withheld recovery again. Otherwise as much again is allowed as the ceilings of use say. */
    readonly retry: (id: string, options?: { readonly ceiling?: Permission }) => Effect.Effect<Watch, RetryError>
    /** Makes a running process the Conductor. `force` outranks the evidence that it is another. */
    readonly adopt: (id: string, target: Target & { readonly force?: boolean }) => Effect.Effect<Watch, AdoptError>
    /** Ends a watch, and leaves its Conductor as it is. */
    readonly release: (id: string) => Effect.Effect<Watch, SettleError>
    /** Ends a watch as complete. */
    readonly done: (id: string) => Effect.Effect<Watch, SettleError>
  }
>()("@souffleur/embed/Souffleur") {
  /** Makes the service of the ports in the context. A test brings fakes, an app its own. */
  static readonly layer: Layer.Layer<Souffleur, never, SouffleurNeeds> = Layer.effect(Souffleur, makeSouffleur)

  /** Makes the service on this host. Nothing else is needed. */
  static readonly layerNode = <E = never>({
    agent = claudeCode,
    environment = process.env,
    ...options
  }: NodeOptions<E>) => Layer.provide(Souffleur.layer, NodeWorld.layer({ agent, environment, ...options }))
}
