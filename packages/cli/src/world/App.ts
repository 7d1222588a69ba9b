import { CommsErrand } from "@souffleur/comms"
import {
  Agent,
  type AgentProgram,
  BadSetting,
  clamp,
  Comms,
  CycleSettings,
  EventLog,
  leastPermission,
  pinOf,
  type Processes,
  type ResolvedSettings,
  type SettingFlags,
  Settings,
  type Terminal
} from "@souffleur/domain"
import { EventLogSql, LogUnusable, Store } from "@souffleur/eventlog"
import {
  Claims as NodeClaims,
  HookFiles,
  Launcher,
  Processes as NodeProcesses,
  SqliteClient,
  TrustedFiles
} from "@souffleur/node"
import { loadSettings, readSettings, type TrustedFiles as Trusted } from "@souffleur/process"
import { ExternalExport } from "@souffleur/recovery"
import { Roles } from "@souffleur/supervisor"
import { Console, Effect, Layer, Path } from "effect"
import { agentKind } from "../agent/Kind.ts"
import * as CommsNews from "./CommsNews.ts"
import { Environment } from "./CommandEnvironment.ts"
import { BadUsage } from "../Failure.ts"
import { errandWords } from "../SmallEntry.ts"

/** Loads the settings of a project, and prints the warnings of its config file on standard error. */
export const settingsOf = Effect.fn("settingsOf")(function* (projectDir: string, flags: SettingFlags = {}) {
  const { variables } = yield* Environment
  return yield* loadSettings({ agent: agentKind, projectDir, environment: variables, flags })
})

/** Opens the file of our own database. Fails with `LogUnusable`. */
export const database = (path: string) =>
  Layer.catchTag(SqliteClient.layerOwn({ ...Store, path }), "SqliteUnusable", (error) =>
    Layer.effectContext(Effect.fail(LogUnusable.ofFile(error)))
  )

/** Opens our own database with log, beats and cursor. It is made where there is none. */
export const store = (settings: ResolvedSettings) =>
  Layer.unwrap(
    Effect.map(Effect.andThen(TrustedFiles.stateFolder(settings.stateDir), Path.Path), (path) =>
      Layer.merge(EventLog.layerSql(), EventLogSql.layerBeside()).pipe(
        Layer.provide(database(path.join(settings.stateDir, "souffleur.db")))
      )
    )
  )

/** Opens the comms of one watch. `null`: solo. */
export const comms = (path: string | null) => (path === null ? Comms.layerSolo : CommsErrand.layer(path))

/** Opens comms as an agent itself uses it. */
export const commsLink = CommsErrand.layerLink

/** Returns the innermost terminal around souffleur. A tmux in a kitty inherits the variables of both. */
const surrounding = (variables: Readonly<Record<string, string | undefined>>): Terminal => {
  const has = (name: string) => (variables[name] ?? "") !== ""
  if (has("TMUX")) return "tmux"
  // Without its socket, kitty obeys only programs that read and write the terminal itself.
  return has("KITTY_WINDOW_ID") && has("KITTY_LISTEN_ON") ? "kitty" : "headless"
}

const cannot = {
  tmux: "tmux needs souffleur itself to run inside tmux: start it there, or use headless",
  kitty:
    "kitty needs KITTY_LISTEN_ON: set allow_remote_control and listen_on in kitty.conf, start souffleur in kitty, or use headless"
} as const

/**
 * Returns the terminal for launches. `auto` is the one around souffleur (spec: settings#launcher). Fails with
 * `BadSetting` where the chosen one cannot be used.
 */
export const terminalOf = (
  { launcher }: ResolvedSettings,
  variables: Readonly<Record<string, string | undefined>>
): Effect.Effect<Terminal, BadSetting> => {
  if (launcher === "auto") return Effect.succeed(surrounding(variables))
  const usable = launcher === "headless" || (variables[launcher === "tmux" ? "TMUX" : "KITTY_LISTEN_ON"] ?? "") !== ""
  return usable
    ? Effect.succeed(launcher)
    : Effect.fail(new BadSetting({ name: "SOUFFLEUR_LAUNCHER", problem: cannot[launcher] }))
}

/** The agent of the settings, or of a watch's own command. */
export const agent = (settings: ResolvedSettings, own?: AgentProgram) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const { variables } = yield* Environment
      const agentCommand = own ?? (yield* Effect.fromResult(agentKind.parseCommand(settings.agentCommand)))
      const builtIn = agentKind.layer({
        agentDir: settings.agentDir,
        agentCommand,
        environment: variables,
        environmentAllowed: settings.agentEnvironment
      })
      return settings.exportCommand === null
        ? builtIn
        : Layer.provide(ExternalExport.layer(settings.exportCommand), builtIn)
    })
  )

/** The agent's files, for reading only. It launches and exports nothing. */
export const agentFiles = ({ agentDir }: ResolvedSettings) =>
  agentKind.layer({ agentDir, agentCommand: { program: agentKind.program, args: [] }, environment: {} })

/** Fails where the agent could not be launched. It launches nothing. */
export const launchable = Effect.fn("App.launchable")(function* ({ maxExternalPermission }: ResolvedSettings) {
  const effective = clamp(leastPermission, maxExternalPermission)
  const agent = yield* Agent
  yield* agent.command({
    session: { _tag: "Resume", sessionId: "none" },
    permission: effective,
    prompt: "",
    print: true
  })
})

const unusable = <S>(message: string): Layer.Layer<S, BadUsage> =>
  Layer.effectContext(Effect.fail(new BadUsage({ message })))

/** The processes of this host. Fails with `BadUsage` on a host whose processes cannot be told apart. */
export const host = Layer.catchTag(NodeProcesses.layer, "ProcessesUnavailable", ({ message }) =>
  unusable<Processes>(message)
)

/** The claims of every souffleur of this user. */
export const claims = NodeClaims.layer()

const launcherAt = (settings: ResolvedSettings, terminal: Effect.Effect<Terminal, BadSetting, Environment>) =>
  Layer.unwrap(
    Effect.gen(function* () {
      yield* TrustedFiles.stateFolder(settings.stateDir)
      return Launcher.layer({
        stateDir: settings.stateDir,
        entry: [...(yield* errandWords("launch")), "__launch"] as const,
        terminal: yield* terminal
      })
    })
  )

/** The launches of a state folder, for a command that settles one or starts a short one. It needs no terminal. */
export const launches = (settings: ResolvedSettings) =>
  launcherAt(settings, Effect.succeed("headless")).pipe(
    Layer.provide(host),
    Layer.merge(Layer.succeed(Settings, settings))
  )

/**
 * Reads the config again for each recovery cycle and each assignment of a run, and prints its new warnings. The earlier
 * settings hold where the file cannot be used.
 */
export const cycleSettings = (settings: ResolvedSettings, project: string) =>
  Layer.effect(
    CycleSettings,
    Effect.map(Effect.context<Environment | Path.Path | Trusted>(), (context) =>
      Effect.flatMap(Environment, ({ variables }) =>
        readSettings({ agent: agentKind, projectDir: project, environment: variables, flags: {} })
      ).pipe(
        Effect.flatMap(({ said, settings }) => Effect.map(pinOf(said), (said) => ({ ...settings, said }))),
        Effect.tap(({ source, warnings }) =>
          Effect.forEach(
            warnings.filter((warning) => !settings.warnings.includes(warning)),
            (warning) => Console.error(`warning: ${source}: ${warning}`)
          )
        ),
        Effect.orElseSucceed(() => settings),
        Effect.provide(context)
      )
    )
  )

/** The parts of a launch that a watch has in place of the settings. */
export interface LaunchOverrides {
  readonly agent?: AgentProgram
  readonly terminal?: Terminal
}

/** Everything that a watch of a project needs. All layers are put together here. */
export const world = (
  settings: ResolvedSettings,
  project: string,
  commsPath: string | null,
  overrides: LaunchOverrides = {}
) => {
  const terminal =
    overrides.terminal !== undefined
      ? Effect.succeed(overrides.terminal)
      : Effect.flatMap(Environment, ({ variables }) => terminalOf(settings, variables))
  const ports = Layer.mergeAll(
    store(settings),
    CommsNews.layer.pipe(Layer.provide(comms(commsPath))),
    agent(settings, overrides.agent),
    claims,
    HookFiles.layer(settings.stateDir),
    launcherAt(settings, terminal),
    Layer.succeed(Settings, settings),
    cycleSettings(settings, project)
  )
  return Roles.layer.pipe(Layer.provideMerge(ports), Layer.provideMerge(host))
}
