import { defaultAgent } from "./setup/DefaultAgent.ts"
import { HostServices } from "@souffleur/node"
import { Context, type Effect, Layer } from "effect"
import type { Finding } from "./doctor/Finding.ts"
import { makeSouffleurSetup, type SetupNeeds } from "./setup/MakeSouffleurSetup.ts"
import type { NodeOptions } from "./SouffleurOptions.ts"
import type { HooksError, NoticesError, QuarantineError, SettingsError } from "./SouffleurError.ts"
import type { AgentHooksChanged, HooksOrder, HooksSeen } from "./setup/HooksHere.ts"
import type { NoticeAnswer } from "./setup/NoticeTrial.ts"
import type { ProjectSettings } from "./setup/ProjectSettings.ts"
import * as NodeInstallation from "./setup/NodeInstallation.ts"

/**
 * The setup of souffleur on this host: its settings, its problems, and what to do about them. It opens no log before it
 * is asked, and makes no folder, so it still answers when the log is damaged and no `Souffleur` can be made.
 *
 * @example
 * ```ts
 * import { SouffleurSetup } from "@souffleur/embed"
 * import { Effect } from "effect"
 *
 * const wrong = Effect.gen(function* () {
 *   const setup = yield* SouffleurSetup
 *   const found = yield* setup.findings("/srv/job")
 *   return found.filter(({ level }) => level === "wrong").map(({ detail, todo }) => `${detail}: ${todo}`)
 * }).pipe(Effect.provide(SouffleurSetup.layerNode({ stateDir: "/var/lib/app/souffleur" })))
 * ```
 */
export class SouffleurSetup extends Context.Service<
  SouffleurSetup,
  {
    /**
     * Reads the settings of a project, each with its source, and whether its config file is trusted. Trusts nothing
     * itself.
     */
    readonly settings: (project: string) => Effect.Effect<ProjectSettings, SettingsError>
    /**
     * Checks what a watch in a project needs, and returns each problem as a finding with what to do about it. `pid`
     * asks whether that process could be watched too. The log is the one in the state folder.
     */
    readonly findings: (
      project: string,
      options?: { readonly pid?: number }
    ) => Effect.Effect<ReadonlyArray<Finding>, SettingsError>
    /**
     * Moves a damaged log of the state folder aside, unchanged, and says how each of its watches can be continued. A
     * sound log stays. Fails with `NotQuarantined` while a process has the log open, or may own a watch in it.
     */
    readonly quarantine: (project: string) => Effect.Effect<ReadonlyArray<Finding>, QuarantineError>
    /**
     * Sends one notice to each channel of `NOTIFY`, and returns what each answered; nothing, if there is no channel.
     * The config file is trusted on the same terms as when a watch opens.
     */
    readonly tryNotices: (project: string) => Effect.Effect<ReadonlyArray<NoticeAnswer>, NoticesError>
    /** Looks at the hooks of souffleur in the settings of an agent, and whether they can run. */
    readonly hooks: (order: HooksOrder) => Effect.Effect<HooksSeen, HooksError>
    /** Adds souffleur's hooks to the settings of an agent, beside other people's. */
    readonly installHooks: (order: HooksOrder) => Effect.Effect<AgentHooksChanged, HooksError>
    /** Takes the hooks out. Words that others wrote stay. */
    readonly uninstallHooks: (order: HooksOrder) => Effect.Effect<AgentHooksChanged, HooksError>
  }
>()("@souffleur/embed/SouffleurSetup") {
  /** Makes the service of the ports in the context. */
  static readonly layer: Layer.Layer<SouffleurSetup, never, SetupNeeds> = Layer.effect(
    SouffleurSetup,
    makeSouffleurSetup
  )

  /** Makes the service on this host, from the options of `Souffleur.layerNode`. It needs nothing else. */
  static readonly layerNode = ({
    agent = defaultAgent,
    environment = process.env,
    ...options
  }: Pick<NodeOptions, "agent" | "comms" | "environment" | "notices" | "settings" | "stateDir">) =>
    Layer.provide(
      SouffleurSetup.layer,
      Layer.provideMerge(NodeInstallation.layer({ agent, environment, ...options }), HostServices.layerLimited)
    )
}
