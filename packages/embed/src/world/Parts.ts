import {
  Agent,
  type AgentKind,
  Comms,
  type CommsLink,
  type CommsUnavailable,
  type EventLog,
  Launcher,
  type LaunchFailed,
  unlimited,
  noPrograms,
  type Pin,
  type ResolvedSettings,
  type SettingFlags,
  Settings,
  type Variables
} from "@souffleur/domain"
import type { NamedRun, RunLog } from "@souffleur/plan"
import { Roles, type World } from "@souffleur/supervisor"
import { Context, Effect, Layer, type Option, type PlatformError } from "effect"
import { NoPreview, type Preview } from "../preview/Preview.ts"
import type { PreflightCheck, PreflightOrder, RulesAsk } from "../preflight/PreflightCheck.ts"
import type { ProjectMissing } from "../jobs/ProjectMissing.ts"
import type { PreviewError } from "../preview/PreviewSubject.ts"
import type { WatchOrder } from "../SouffleurOptions.ts"
import type { NamedWatch } from "../watching/FindWatch.ts"
import type { Revival } from "../keeping/GuardianKeeper.ts"
import { type CommandLine, NoGuardian, NotDetached } from "./Installation.ts"
import type { ConfigUntrusted } from "./TrustStore.ts"
import type { LaunchOverrides } from "./LaunchOverrides.ts"
import type { PartsError } from "./World.ts"

/** A watch whose parts are made. */
export interface PartsOrder {
  readonly settings: ResolvedSettings
  readonly project: string
  /** `null`: solo. */
  readonly comms: string | null
  readonly overrides: LaunchOverrides
}

/** The ports that belong to one watch. */
export type WatchPorts = Agent | Comms | Launcher | Settings

/** A run whose settings are read. */
export interface RunPartsOrder {
  readonly project: string
  /** Limits of the caller, which outrank the settings. */
  readonly limits: SettingFlags
  /** The run to resume under its pin; `undefined` for a new one. */
  readonly known: NamedRun | undefined
}

/** The comms of a run: the messages to a person, and the rows of its tasks. */
export interface Linked {
  readonly comms: Comms["Service"]
  readonly link: CommsLink["Service"]
}

/** Starts a guardian of a watch, and returns its pid. */
export type StartGuardian = (id: string) => Effect.Effect<number, LaunchFailed | PlatformError.PlatformError, Settings>

/** A process that is to outlive this one: its command, its folder and the file for its output. */
export interface ApartOrder {
  readonly line: CommandLine
  readonly cwd: string
  readonly output: string
}

/** Neither a watch nor a run can be opened in a project. */
export type OpeningError = ConfigUntrusted | PartsError | ProjectMissing

/** Makes the parts of souffleur that differ between projects: its settings, agent, launcher and comms. */
export class Parts extends Context.Service<
  Parts,
  {
    readonly agent: AgentKind
    readonly variables: Variables
    /** Opens a project: its settings, and the pin of a new watch. */
    readonly opening: (
      project: string
    ) => Effect.Effect<{ readonly settings: ResolvedSettings; readonly pin: Pin }, OpeningError>
    /** Reads the settings with which a watch is resumed under its pin, and what it has in their place. */
    readonly goingOn: (
      known: NamedWatch
    ) => Effect.Effect<
      { readonly settings: ResolvedSettings; readonly overrides: LaunchOverrides },
      PartsError | ConfigUntrusted
    >
    /**
     * Returns the comms database of a new watch. It is the named one, or `comms.db` of the project. `null`:
     * there is none. Fails with `CommsUnavailable` where the file cannot be used.
     */
    readonly comms: (project: string, named?: string | null) => Effect.Effect<string | null, CommsUnavailable>
    /** Keeps a person's trust in the config file of a project, as it is now. Returns its ceiling and its programs. */
    readonly trust: (project: string) => Effect.Effect<Pin, PartsError>
    readonly settings: (project: string) => Effect.Effect<ResolvedSettings, PartsError>
    /** The launches of all watches, to settle one. It needs no terminal. */
    readonly layerLaunches: (settings: ResolvedSettings) => Layer.Layer<Launcher | Settings, PartsError>
    /** Returns what starts a guardian of a watch. Fails with `NoGuardian` where none can be had. */
    readonly guardian: (revival: Revival) => Effect.Effect<StartGuardian, NoGuardian>
    /** Starts a process that descends neither from this one nor from its agent, and returns its pid. */
    readonly apart: (order: ApartOrder) => Effect.Effect<number, NotDetached>
    /** The agent's files and the comms of a watch, for a look that launches nothing. */
    readonly layerLook: (order: Pick<PartsOrder, "comms" | "settings">) => Layer.Layer<Agent | Comms>
    /** The launches of a watch, and its agent as it was launched, for reading what they printed. */
    readonly layerPrinted: (
      settings: ResolvedSettings,
      known: NamedWatch
    ) => Layer.Layer<Agent | Launcher | Settings, PartsError>
    readonly layerWatch: (order: PartsOrder) => Layer.Layer<WatchPorts, PartsError>
    /** Opens or resumes a run: its settings and its pin. */
    readonly conducting: (
      order: RunPartsOrder
    ) => Effect.Effect<{ readonly settings: ResolvedSettings; readonly pin: Pin }, OpeningError>
    /** Reads the settings that {@link conducting} would return. It trusts no file, and tells nothing. */
    readonly wouldConduct: (order: RunPartsOrder) => Effect.Effect<ResolvedSettings, OpeningError>
    /** The agent of a project, for a look at its command lines. It makes no folder. */
    readonly layerAgent: (settings: ResolvedSettings) => Layer.Layer<Agent, PartsError>
    /** Looks at what a run needs before its first agent. `ask`: takes a person's word on missing rules. */
    readonly preflight: (order: PreflightOrder, ask?: RulesAsk | null) => Effect.Effect<ReadonlyArray<PreflightCheck>>
    /** The agent and the launches of a run, whose agents need no terminal. */
    readonly layerRun: (
      order: Pick<PartsOrder, "project" | "settings">
    ) => Layer.Layer<Agent | Launcher | Settings, PartsError>
    /** Opens the comms database of a project for a run, where there is one. */
    readonly linked: (project: string) => Effect.Effect<Option.Option<Linked>>
    /** Says what would be seen and done. Fails with `NoPreview` where the parts are of no host. */
    readonly preview: (order: WatchOrder) => Effect.Effect<Preview, PreviewError, EventLog | RunLog>
    /** The roles, with their providers of recovery. */
    readonly layerRoles: Layer.Layer<Roles, never, World>
  }
>()("@souffleur/embed/Parts") {
  /**
   * Gives every watch the same agent, launcher, comms and settings, which are in the context. So a test brings fakes,
   * and an app its own ports. Nothing of the settings is read from a file. A run has no comms there.
   */
  static readonly layerFixed = (
    agent: AgentKind,
    {
      roles = Roles.layer,
      variables = {}
    }: { readonly roles?: Layer.Layer<Roles, never, World>; readonly variables?: Variables } = {}
  ): Layer.Layer<Parts, never, WatchPorts> =>
    Layer.effect(
      Parts,
      Effect.gen(function* () {
        const settings = yield* Settings
        const pin = { ceiling: settings.maxExternalPermission, limits: unlimited, pace: {}, programs: noPrograms }
        const context = Context.pick(Agent, Comms, Launcher, Settings)(yield* Effect.context<WatchPorts>())
        return Parts.of({
          agent,
          variables,
          opening: () => Effect.succeed({ settings, pin }),
          goingOn: () => Effect.succeed({ settings, overrides: {} }),
          comms: (_, named = null) => Effect.succeed(named),
          trust: () => Effect.succeed(pin),
          settings: () => Effect.succeed(settings),
          layerLaunches: () => Layer.succeedContext(context),
          guardian: () => Effect.fail(new NoGuardian({ message: "fixed parts have no guardian: leave it out" })),
          apart: () => Effect.fail(new NotDetached({ message: "fixed parts start no other process: keep the watch" })),
          layerLook: () => Layer.succeedContext(context),
          layerPrinted: () => Layer.succeedContext(context),
          layerWatch: () => Layer.succeedContext(context),
          conducting: ({ known }) => Effect.succeed({ settings, pin: known?.run.pin ?? pin }),
          wouldConduct: () => Effect.succeed(settings),
          layerAgent: () => Layer.succeedContext(context),
          preflight: () => Effect.succeed([]),
          layerRun: () => Layer.succeedContext(context),
          linked: () => Effect.succeedNone,
          preview: () => Effect.fail(new NoPreview({ message: "fixed parts foresee nothing" })),
          layerRoles: roles
        })
      })
    )
}
