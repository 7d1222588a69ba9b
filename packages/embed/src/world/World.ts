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
  type ResolvedSettings,
  Settings,
  type Terminal
} from "@souffleur/domain"
import { RunLog } from "@souffleur/plan"
import { Beats, Cursor, EventLogSql, LogUnusable, Store } from "@souffleur/eventlog"
import {
  Claims as NodeClaims,
  HookFiles,
  Launcher,
  Processes as NodeProcesses,
  type ProcessesUnavailable,
  SqliteClient,
  TrustedFiles
} from "@souffleur/node"
import { type TrustedFiles as Trusted } from "@souffleur/process"
import { ExternalExport } from "@souffleur/recovery"
import { Roles } from "@souffleur/supervisor"
import { Effect, FileSystem, Layer, Path, type PlatformError } from "effect"
import { remark } from "../Remark.ts"
import * as CommsNews from "./CommsNews.ts"
import { Installation } from "./Installation.ts"
import { readHere } from "./ReadHere.ts"

/** Opens the file of our own database. Fails with `LogUnusable`. */
export const layerDatabase = (path: string) =>
  Layer.catchTag(SqliteClient.layerOwn({ ...Store, path }), "SqliteUnusable", (error) =>
    Layer.effectContext(Effect.fail(LogUnusable.ofFile(error)))
  )

/** The logs of watches and runs, with what is kept beside them, in any SQLite database. */
export const layerLogs = Layer.mergeAll(EventLog.layerSql(), RunLog.layerSql, EventLogSql.layerBeside())

/** Empty logs, which are kept nowhere. */
const layerNoLogs = Layer.mergeAll(EventLog.layerMemory, RunLog.layerMemory, Beats.layerMemory, Cursor.layerMemory)

/** Opens our own database with the logs of watches and runs, beats and cursor. It is made where there is none. */
export const layerStore = (settings: ResolvedSettings) =>
  Layer.unwrap(
    Effect.map(Effect.andThen(TrustedFiles.stateFolder(settings.stateDir), Path.Path), (path) =>
      Layer.provide(layerLogs, layerDatabase(path.join(settings.stateDir, "souffleur.db")))
    )
  )

/**
 * The logs of watches and runs as they are now, for a look that changes nothing. It makes no state folder. Where there
 * is no log, this one is empty. Fails with `LogUnusable`.
 */
export const layerStoreReading = ({ stateDir }: ResolvedSettings) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const path = (yield* Path.Path).join(stateDir, "souffleur.db")
      if (!(yield* Effect.orElseSucceed(fs.exists(path), () => false))) return layerNoLogs
      return Layer.provide(
        layerLogs,
        Layer.catchTag(SqliteClient.layerReading({ ...Store, path }), "SqliteUnusable", (error) =>
          Layer.effectContext(Effect.fail(LogUnusable.ofFile(error)))
        )
      )
    })
  )

/** Returns the orchestration database of a project. `null`: its file does not exist. */
export const commsIn = Effect.fnUntraced(function* (project: string) {
  const fs = yield* FileSystem.FileSystem
  const file = (yield* Path.Path).join(project, "comms.db")
  return (yield* Effect.orElseSucceed(fs.exists(file), () => false)) ? file : null
})

/** Opens the comms of one watch. `null`: solo. */
export const layerComms = (path: string | null) => (path === null ? Comms.layerSolo : CommsErrand.layer(path))

/** Opens comms as an agent itself uses it. */
export const layerCommsLink = CommsErrand.layerLink

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
export const layerAgent = (settings: ResolvedSettings, own?: AgentProgram) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const { agent, variables } = yield* Installation
      const agentCommand = own ?? (yield* Effect.fromResult(agent.parseCommand(settings.agentCommand)))
      const builtIn = agent.layer({
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
export const layerAgentFiles = ({ agentDir }: ResolvedSettings) =>
  Layer.unwrap(
    Effect.map(Installation, ({ agent }) =>
      agent.layer({ agentDir, agentCommand: { program: agent.program, args: [] }, environment: {} })
    )
  )

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

/** The processes of this host. Fails with `ProcessesUnavailable` where processes cannot be told apart. */
export const layerHost = NodeProcesses.layer

/** The claims of every souffleur of this user. */
export const layerClaims = NodeClaims.layer()

const launcherAt = (settings: ResolvedSettings, terminal: Effect.Effect<Terminal, BadSetting, Installation>) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const { launchLine } = yield* Installation
      yield* TrustedFiles.stateFolder(settings.stateDir)
      return Launcher.layer({
        stateDir: settings.stateDir,
        entry: yield* launchLine,
        terminal: yield* terminal
      })
    })
  )

/** The launches of a state folder, for a command that settles one or starts a short one. It needs no terminal. */
export const layerLaunches = (settings: ResolvedSettings) =>
  launcherAt(settings, Effect.succeed("headless")).pipe(
    Layer.provide(layerHost),
    Layer.merge(Layer.succeed(Settings, settings))
  )

/**
 * Reads the config again for each recovery cycle and each assignment of a run, and remarks its new warnings. The
 * earlier settings hold where the file cannot be used.
 */
export const layerCycleSettings = (settings: ResolvedSettings, project: string) =>
  Layer.effect(
    CycleSettings,
    Effect.map(Effect.context<Installation | Path.Path | Trusted>(), (context) =>
      readHere(project, {}).pipe(
        Effect.flatMap(({ said, settings }) => Effect.map(pinOf(said), (said) => ({ ...settings, said }))),
        Effect.tap(({ source, warnings }) =>
          Effect.forEach(
            warnings.filter((warning) => !settings.warnings.includes(warning)),
            (warning) => remark("warning", `${source}: ${warning}`)
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

/** Makes the parts of one watch: its agent, its launcher, its comms and its settings. */
export const layerWatch = (
  settings: ResolvedSettings,
  project: string,
  commsPath: string | null,
  overrides: LaunchOverrides = {}
) => {
  const terminal =
    overrides.terminal !== undefined
      ? Effect.succeed(overrides.terminal)
      : Effect.flatMap(Installation, ({ variables }) => terminalOf(settings, variables))
  return Layer.mergeAll(
    CommsNews.layer.pipe(Layer.provide(layerComms(commsPath))),
    layerAgent(settings, overrides.agent),
    launcherAt(settings, terminal),
    Layer.succeed(Settings, settings),
    layerCycleSettings(settings, project)
  )
}

/** The parts of a watch cannot be made: a setting, the agent's command, or a folder of souffleur's own. */
export type PartsError = Layer.Error<ReturnType<typeof layerWatch>> | PlatformError.PlatformError | ProcessesUnavailable

/** Everything that a watch of a project needs. All layers are put together here. */
export const layerWorld = (...watch: Parameters<typeof layerWatch>) => {
  const [settings] = watch
  const ports = Layer.mergeAll(
    layerStore(settings),
    layerClaims,
    HookFiles.layer(settings.stateDir),
    layerWatch(...watch)
  )
  return Roles.layer.pipe(Layer.provideMerge(ports), Layer.provideMerge(layerHost))
}

/** Makes the agent, the launches and the settings of one run. Its agents are headless, because their output is read. */
export const layerRun = (settings: ResolvedSettings, project: string) =>
  Layer.mergeAll(layerAgent(settings), layerLaunches(settings), layerCycleSettings(settings, project))
