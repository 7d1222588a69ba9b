import { type AgentKind, leastPermission, limitRuleInWords, type ResolvedSettings, Words } from "@souffleur/domain"
import { pathOf } from "@souffleur/node"
import { type AgentPackage, findConfig, programWords, resolveProgram, runProgram } from "@souffleur/process"
import { commitAt } from "@souffleur/supervisor"
import { Duration, Effect, FileSystem, Path, Result } from "effect"
import { commitsReady, loginReady, runsKind } from "../preflight/AgentReady.ts"
import { identityReady } from "../preflight/GitReady.ts"
import { findingOf } from "../preflight/PreflightCheck.ts"
import { idleSettings } from "../preview/IdleSettings.ts"
import {
  type AgentHere,
  agentOfProgram,
  agentProgram,
  agentsHere,
  agentsOf,
  agentStanding,
  installsAgent,
  isInstalled,
  typedWith,
  usualProgram
} from "../setup/InstalledAgents.ts"
import { agentDirOf, launchable, layerAgent } from "../world/AgentLayers.ts"
import { Installation } from "../world/Installation.ts"
import { layerHost } from "../world/StoreLayers.ts"
import { hasDisplay } from "../window/LostWindow.ts"
import { terminalsOf } from "../world/World.ts"
import { type Finding, note, passed, wrong } from "./Finding.ts"

/** Checks the git repository. Without comms the commit that is checked out is a sign of progress. */
const repository = Effect.fnUntraced(function* (project: string) {
  const found = yield* Effect.result(commitAt(project))
  if (Result.isFailure(found))
    return [wrong("git", `${found.failure.message}: a commit is no sign of progress`, "see whose repository that is")]
  if (found.success === "") return []
  const isCommit = /^[0-9a-f]{40,64}$/u.test(found.success)
  return [passed("git", isCommit ? `commit ${found.success.slice(0, 12)} is checked out` : "each commit is seen")]
})

/** Checks the agent that `AGENT_COMMAND` names. A default that is not installed is fine where another agent is. */
const agentFound = Effect.fnUntraced(function* (settings: ResolvedSettings, others: ReadonlyArray<AgentHere>) {
  const { agent } = yield* Installation
  const launched = launchable(settings).pipe(
    Effect.andThen(Effect.fromResult(agent.parseCommand(settings.agentCommand))),
    Effect.provide(layerAgent(settings)),
    Effect.provide(layerHost)
  )
  const named = agentOfProgram(agent, settings.agentCommand)
  const isMissing = named.program === settings.agentCommand && !(yield* isInstalled(named))
  return Result.match(yield* Effect.result(launched), {
    // The arguments are left out, because they may hold a key.
    onSuccess: ({ program }) => passed("agent", `${program} is found`),
    onFailure: (error) => {
      const instead = others.find(({ isInstalled }) => isInstalled)?.kind.program
      return named.program === agent.program && isMissing && instead !== undefined
        ? note("agent", error.message, `souffleur setup --agent ${instead} makes that one the usual agent`)
        : wrong(
            "agent",
            error.message,
            isMissing
              ? `${installsAgent(named)}; souffleur demo needs no agent`
              : "set SOUFFLEUR_AGENT_COMMAND, or AGENT_COMMAND in the config file"
          )
    }
  })
})

/** Names the other agents that are installed, and where there is none, how to install each. */
const othersFound = (others: ReadonlyArray<AgentHere>, isFound: boolean) =>
  others.flatMap((one) => {
    const { kind } = one
    if (one.isInstalled)
      return [passed("agent", `${kind.title} is ${agentStanding(one)}: ${typedWith(kind, kind.program, "…")}`)]
    return isFound ? [] : [note("agent", `${kind.title} is not installed`, installsAgent(kind))]
  })

const sessionsReadable = Effect.fnUntraced(function* (settings: ResolvedSettings, kind: AgentPackage) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const projects = path.join(yield* agentDirOf(kind, settings), kind.sessions)
  const [variable] = kind.folder.variables
  return Result.match(yield* Effect.result(fs.readDirectory(projects)), {
    onSuccess: () => passed("sessions", `${projects} can be read`),
    onFailure: ({ reason }) =>
      reason._tag === "NotFound"
        ? note(
            "sessions",
            `${projects} is not there: the agent has kept no session yet`,
            `another folder? set ${variable}`
          )
        : wrong("sessions", `${projects} cannot be read (${reason._tag})`, `make it readable, or set ${variable}`)
  })
})

/**
 * Checks the config file. A file that others may write is wrong. A wrong value in it is a note, because its default is
 * used instead.
 */
const config = Effect.fnUntraced(function* ({ source, warnings }: ResolvedSettings, project: string) {
  const { refused } = yield* findConfig(project)
  if (refused !== null)
    return [wrong("config", `${refused}: nothing of it is used`, "see that it is yours, then do that")]
  return warnings.length === 0
    ? [passed("config", source === null ? "no file: defaults and the environment" : source)]
    : warnings.map((warning) => note("config", warning, `correct ${source ?? "the config file"}`))
})

/** Checks the program that brings a Conductor back before souffleur's own providers do, where there is one. */
const recoveryProgram = Effect.fnUntraced(function* ({ recoveryCommand: command }: ResolvedSettings) {
  if (command === null) return []
  const { variables } = yield* Installation
  const found = yield* Effect.fromResult(programWords(command)).pipe(
    Effect.flatMap(([program]) => resolveProgram(program, variables["PATH"] ?? "")),
    Effect.result
  )
  return Result.match(found, {
    onSuccess: (program) => [
      passed("recovery", `${program} is asked first, and the other providers only where it launched nothing`)
    ],
    onFailure: ({ message }) => [
      wrong("recovery", message, "set SOUFFLEUR_RECOVERY_COMMAND, or RECOVERY_COMMAND in the config file")
    ]
  })
})

const staleLimit = ({ heartbeatStaleAfter }: ResolvedSettings, { stall }: AgentKind): Finding =>
  Duration.isLessThan(heartbeatStaleAfter, Duration.fromInputUnsafe(stall))
    ? note(
        "stale limit",
        `${Words.duration(Duration.toMillis(heartbeatStaleAfter))}; the agent itself may be silent for ${Words.duration(Duration.toMillis(stall))} when its model stalls, and go on`,
        "if healthy Conductors are replaced, set HEARTBEAT_STALE_AFTER above it"
      )
    : passed("stale limit", Words.duration(Duration.toMillis(heartbeatStaleAfter)))

const ceiling = ({ maxExternalPermission }: ResolvedSettings, { refusedAsRoot }: AgentKind, uid: number): Finding =>
  uid === 0 && refusedAsRoot.includes(maxExternalPermission)
    ? wrong(
        "permission",
        `${maxExternalPermission} as root: the agent refuses that, and ends with 1`,
        `run as another user, or set MAX_EXTERNAL_PERMISSION=${leastPermission}`
      )
    : passed("permission", `no launch is above ${maxExternalPermission}`)

/** Checks whether the agent could commit in a plan that is conducted here. */
const conducting = Effect.fnUntraced(function* (settings: ResolvedSettings, project: string, kind: AgentPackage) {
  const { agent } = yield* Installation
  const words = Result.match(agent.parseCommand(settings.agentCommand), {
    onSuccess: ({ args, program }) => [program, ...args],
    onFailure: () => []
  })
  const environment = yield* launchable(settings).pipe(
    Effect.map(({ environment }) => environment),
    Effect.provide(layerAgent(settings)),
    Effect.provide(layerHost),
    Effect.orElseSucceed(() => ({}))
  )
  return [
    yield* identityReady(project, { environment, known: runsKind(kind, words) }),
    yield* commitsReady({ kind, settings, place: { project, words } })
  ].map(findingOf)
})

const launcher = Effect.fnUntraced(function* (settings: ResolvedSettings) {
  const { variables } = yield* Installation
  const chosen = yield* Effect.result(terminalsOf(settings, variables))
  if (Result.isFailure(chosen))
    return wrong("launcher", chosen.failure.message, "set SOUFFLEUR_LAUNCHER, or LAUNCHER in the config file")
  const [terminal, instead] = chosen.success
  /** Without a window the next terminal is asked, or nothing is launched. */
  const problem = (detail: string, todo: string) =>
    instead === undefined ? wrong("launcher", detail, todo) : note("launcher", `${detail}; ${instead} is next`, todo)
  if (terminal === "headless")
    return passed("launcher", "headless: the agent in print mode, its output in the state folder")
  if (terminal === "window") {
    const [program = ""] = settings.terminalCommand ?? []
    if (pathOf(program, variables["PATH"]) === undefined)
      return problem(`TERMINAL_COMMAND: there is no program ${program} in PATH`, "correct TERMINAL_COMMAND")
    return hasDisplay(variables)
      ? passed("launcher", `a window of its own, by ${program}`)
      : problem(`${program} may open no window: there is no display here`, "start souffleur on the desktop, or in tmux")
  }
  const question = terminal === "tmux" ? ["display-message", "-p", "#{session_id}"] : ["@", "ls"]
  const answered = yield* Effect.result(
    runProgram({ command: terminal, args: question, stdin: "", within: "3 seconds", atMost: 10_000_000 })
  )
  return Result.match(answered, {
    onSuccess: () => passed("launcher", `${terminal} answers`),
    onFailure: ({ message }) =>
      problem(`${terminal} does not answer: ${message}`, "allow remote control, or set SOUFFLEUR_LAUNCHER=headless")
  })
})

/** Checks what is known before any watch: the agent, the settings and the terminal. */
export const setupCheck = Effect.fn("Doctor.setupCheck")(function* (
  settings: ResolvedSettings,
  project: string,
  uid: number
) {
  // A default that is not installed has no folder and no limits to speak of.
  const { agent } = yield* Installation
  const kind = agentOfProgram(agent, yield* usualProgram(settings))
  const configured = agentOfProgram(agent, agentProgram(agent, settings))
  const others = yield* agentsHere(
    settings,
    agentsOf(agent).filter(({ program }) => program !== configured.program)
  )
  const found = yield* agentFound(settings, others)
  const git = yield* repository(project)
  const login = yield* loginReady(
    kind.program === configured.program ? settings : { ...settings, agentCommand: kind.program },
    kind,
    project
  )
  return [
    found,
    ...(login.standing === "unknown" ? [] : [findingOf(login)]),
    ...othersFound(others, found.level !== "wrong"),
    yield* sessionsReadable(settings, kind),
    ...(yield* config(settings, project)),
    ...git,
    ...(git.length === 0 ? [] : yield* conducting(settings, project, kind)),
    passed("gate", limitRuleInWords(settings)),
    ...(yield* recoveryProgram(settings)),
    staleLimit(settings, kind),
    ceiling(settings, kind, uid),
    ...idleSettings(kind, "agent", settings).map((said) => note("ceiling of use", said, "set MAX_TOKENS or MAX_TIME")),
    yield* launcher(settings)
  ]
})

/** Says on a Mac what is known of souffleur there. `platform` has Node's name. */
export const systemCheck = (platform: string): ReadonlyArray<Finding> =>
  platform === "darwin"
    ? [note("system", "souffleur was never run on macOS: it reads processes by ps, which was tried on Linux alone")]
    : []
