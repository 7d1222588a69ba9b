import {
  type AgentKind,
  BadSetting,
  CycleSettings,
  isSecretVariable,
  nameOfKey,
  paceKeys,
  pinOf,
  type ResolvedSettings,
  Settings,
  type Terminal,
  type Variables
} from "@souffleur/domain"
import { Claims as NodeClaims, type ProcessesUnavailable } from "@souffleur/node"
import { layerLoginStatus } from "@souffleur/agents"
import type { TrustedFiles as Trusted } from "@souffleur/process"
import { layerRecoveryProgram, layerWorkCheck } from "@souffleur/recovery"
import { Effect, Layer, Option, type Path, type PlatformError, Result } from "effect"
import { withoutMarks } from "../keeping/MarkedVariables.ts"
import { remark } from "../Remark.ts"
import * as OtlpTarget from "../trace/OtlpTarget.ts"
import { layerAgent } from "./AgentLayers.ts"
import * as CommsNews from "./CommsNews.ts"
import { Installation } from "./Installation.ts"
import { type LaunchOverrides, settingsUnder } from "./LaunchOverrides.ts"
import { layerLauncher, layerLaunches, type Terminals } from "./LaunchLayers.ts"
import { readHere } from "./ReadHere.ts"
import { layerComms } from "./StoreLayers.ts"

const cannot = {
  headless: "",
  tmux: "tmux needs souffleur itself to run inside tmux: start it there, or set SOUFFLEUR_LAUNCHER=headless",
  kitty:
    "kitty needs KITTY_LISTEN_ON: set allow_remote_control and listen_on in kitty.conf, start souffleur in kitty, or set SOUFFLEUR_LAUNCHER=headless",
  window: `window needs TERMINAL_COMMAND, such as ["kitty","--"]: set it, or set SOUFFLEUR_LAUNCHER=headless`
} as const

/**
 * Returns the terminals for launches, the best first. `auto` is all that are there, and `headless` as the last one
 * (spec: settings#launcher). Fails with `BadSetting` where the chosen one cannot be used.
 */
export const terminalsOf = (
  { launcher, terminalCommand }: ResolvedSettings,
  variables: Readonly<Record<string, string | undefined>>
): Effect.Effect<Terminals, BadSetting> => {
  const has = (name: string) => (variables[name] ?? "") !== ""
  const usable: Readonly<Record<Terminal, boolean>> = {
    window: terminalCommand !== null,
    tmux: has("TMUX"),
    // Without its socket, kitty obeys only programs that read and write the terminal itself.
    kitty: has("KITTY_LISTEN_ON"),
    headless: true
  }
  if (launcher !== "auto")
    return usable[launcher]
      ? Effect.succeed([launcher])
      : Effect.fail(new BadSetting({ name: "SOUFFLEUR_LAUNCHER", problem: cannot[launcher] }))
  // A tmux in a kitty inherits the variables of both, and is the inner one.
  const around = (["window", "tmux", "kitty"] as const).filter(
    (one) => usable[one] && (one !== "kitty" || has("KITTY_WINDOW_ID"))
  )
  const [first = "headless", ...others] = around
  return Effect.succeed(around.length === 0 ? [first] : [first, ...others, "headless"])
}

/** The claims of every souffleur of this user. */
export const layerClaims = NodeClaims.layer()

/** The variables of souffleur for a program of the user: without the marks of an agent, and without secrets. */
const ownVariables = (agent: AgentKind, variables: Variables) =>
  Object.fromEntries(Object.entries(withoutMarks(agent, variables)).filter(([variable]) => !isSecretVariable(variable)))

/** The program of the user that may launch a successor. The agent that it launches gets no mark and no secret. */
const layerProgram = ({ agentCommand, recoveryCommand: command }: ResolvedSettings, { environment }: LaunchOverrides) =>
  command === null
    ? Layer.empty
    : Layer.unwrap(
        Effect.map(Installation, ({ agent, variables }) =>
          layerRecoveryProgram({
            command,
            environment: { ...ownVariables(agent, variables), ...(environment === "lost" ? {} : environment) },
            permissionOf: (words) => {
              const configured = agent.parseCommand(agentCommand)
              const read = Result.flatMap(configured, (configured) => agent.takeApart(words, configured))
              return Option.map(Option.flatten(Result.getSuccess(read)), ({ requested }) => requested)
            }
          })
        )
      )

/** The program of the user that says whether the work is done. It gets no mark of an agent and no secret. */
const layerCheck = ({ until: words }: ResolvedSettings, cwd: string) =>
  words === null
    ? Layer.empty
    : Layer.unwrap(
        Effect.map(Installation, ({ agent, variables }) =>
          layerWorkCheck({ words, cwd, environment: ownVariables(agent, variables) })
        )
      )

/** The agent of a watch or run, and what it says of its login. */
export const layerAgentAndLogin = (settings: ResolvedSettings, overrides: LaunchOverrides = {}) =>
  Layer.provideMerge(
    Layer.unwrap(Effect.map(Installation, ({ agent }) => layerLoginStatus(agent))),
    layerAgent(settings, overrides)
  )

/** The settings that say when souffleur acts. They are pinned, and so the same for as long as it runs. */
const timesOf = (settings: ResolvedSettings): Partial<ResolvedSettings> => {
  const names: ReadonlySet<string> = new Set(paceKeys.map(nameOfKey))
  return Object.fromEntries(Object.entries(settings).filter(([name]) => names.has(name)))
}

/**
 * Reads the config again for each recovery cycle and each assignment of a run, and remarks its new warnings. The
 * earlier settings hold where the file cannot be used, and the programs and times are those that are pinned.
 */
const layerCycleSettings = (settings: ResolvedSettings, project: string) =>
  Layer.effect(
    CycleSettings,
    Effect.map(Effect.context<Installation | Path.Path | Trusted>(), (context) =>
      readHere(project, {}).pipe(
        Effect.flatMap(({ said, settings: now }) =>
          Effect.map(pinOf(said), (said) => ({
            ...now,
            ...timesOf(settings),
            recoveryCommand: settings.recoveryCommand,
            until: settings.until,
            said
          }))
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

/** Makes the parts of one watch: its agent, its launcher, its comms and its settings. */
export const layerWatch = (
  found: ResolvedSettings,
  project: string,
  commsPath: string | null,
  overrides: LaunchOverrides = {}
) => {
  const settings = settingsUnder(found, overrides)
  const terminals = Effect.flatMap(Installation, ({ variables }) => terminalsOf(settings, variables))
  return Layer.mergeAll(
    CommsNews.layer.pipe(Layer.provide(layerComms(commsPath))),
    layerAgentAndLogin(settings, overrides),
    layerLauncher(settings, terminals),
    layerProgram(settings, overrides),
    layerCheck(settings, project),
    Layer.succeed(Settings, settings),
    OtlpTarget.layer,
    layerCycleSettings(settings, project)
  )
}

/** The parts of a watch cannot be made: a setting, the agent's command, or a folder of souffleur's own. */
export type PartsError = Layer.Error<ReturnType<typeof layerWatch>> | PlatformError.PlatformError | ProcessesUnavailable

/** Makes the agent, the launches and the settings of one run. Its agents are headless, because their output is read. */
export const layerRun = (settings: ResolvedSettings, project: string) =>
  Layer.mergeAll(layerAgentAndLogin(settings), layerLaunches(settings), layerCycleSettings(settings, project))
