import {
  type AgentProgram,
  BadSetting,
  CycleSettings,
  isSecretVariable,
  pinOf,
  type ResolvedSettings,
  Settings,
  type Terminal
} from "@souffleur/domain"
import { Claims as NodeClaims, type ProcessesUnavailable } from "@souffleur/node"
import { type TrustedFiles as Trusted } from "@souffleur/process"
import { layerRecoveryProgram } from "@souffleur/recovery"
import { Effect, Layer, Option, type Path, type PlatformError, Result } from "effect"
import { withoutMarks } from "../keeping/MarkedVariables.ts"
import { remark } from "../Remark.ts"
import * as OtlpTarget from "../trace/OtlpTarget.ts"
import { layerAgent } from "./AgentLayers.ts"
import * as CommsNews from "./CommsNews.ts"
import { Installation } from "./Installation.ts"
import { layerLauncher, layerLaunches } from "./LaunchLayers.ts"
import { readHere } from "./ReadHere.ts"
import { layerComms } from "./StoreLayers.ts"

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

/** The claims of every souffleur of this user. */
export const layerClaims = NodeClaims.layer()

/** The program of the user that may launch a successor. The agent that it launches gets no mark and no secret. */
const layerProgram = ({ agentCommand, recoveryCommand: command }: ResolvedSettings) =>
  command === null
    ? Layer.empty
    : Layer.unwrap(
        Effect.map(Installation, ({ agent, variables }) =>
          layerRecoveryProgram({
            command,
            environment: Object.fromEntries(
              Object.entries(withoutMarks(agent, variables)).filter(([variable]) => !isSecretVariable(variable))
            ),
            permissionOf: (words) => {
              const configured = agent.parseCommand(agentCommand)
              const read = Result.flatMap(configured, (configured) => agent.takeApart(words, configured))
              return Option.map(Option.flatten(Result.getSuccess(read)), ({ requested }) => requested)
            }
          })
        )
      )

/**
 * Reads the config again for each recovery cycle and each assignment of a run, and remarks its new warnings. The
 * earlier settings hold where the file cannot be used, and the programs are those that are pinned.
 */
const layerCycleSettings = (settings: ResolvedSettings, project: string) =>
  Layer.effect(
    CycleSettings,
    Effect.map(Effect.context<Installation | Path.Path | Trusted>(), (context) =>
      readHere(project, {}).pipe(
        Effect.flatMap(({ said, settings: now }) =>
          Effect.map(pinOf(said), (said) => ({ ...now, recoveryCommand: settings.recoveryCommand, said }))
        ),
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
}

/** Makes the parts of one watch: its agent, its launcher, its comms and its settings. */
export const layerWatch = (
  settings: ResolvedSettings,
  project: string,
  commsPath: string | null,
  overrides: LaunchOverrides = {}
) => {
  const terminal = Effect.flatMap(Installation, ({ variables }) => terminalOf(settings, variables))
  return Layer.mergeAll(
    CommsNews.layer.pipe(Layer.provide(layerComms(commsPath))),
    layerAgent(settings, overrides.agent),
    layerLauncher(settings, terminal),
    layerProgram(settings),
    Layer.succeed(Settings, settings),
    OtlpTarget.layer,
    layerCycleSettings(settings, project)
  )
}

/** The parts of a watch cannot be made: a setting, the agent's command, or a folder of souffleur's own. */
export type PartsError = Layer.Error<ReturnType<typeof layerWatch>> | PlatformError.PlatformError | ProcessesUnavailable

/** Makes the agent, the launches and the settings of one run. Its agents are headless, because their output is read. */
export const layerRun = (settings: ResolvedSettings, project: string) =>
  Layer.mergeAll(layerAgent(settings), layerLaunches(settings), layerCycleSettings(settings, project))
