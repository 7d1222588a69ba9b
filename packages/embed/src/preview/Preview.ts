import {
  Agent,
  capsOf,
  type AgentCommand,
  type AgentProgram,
  clamp,
  type EffectivePermission,
  formatCap,
  formatChannel,
  isOver,
  leastPermission,
  limitRuleInWords,
  limitsInWords,
  permissionOf,
  personsZone,
  Processes,
  type ProcessInfo,
  quietUntilNow,
  type ResolvedSettings,
  Settings,
  type Terminal,
  type Watch
} from "@souffleur/domain"
import { type AgentPackage, capsOfProcess, runProgram } from "@souffleur/process"
import { standardProviders } from "@souffleur/supervisor"
import { Clock, Duration, Effect, Option, Path, Result, Schema } from "effect"
import { exportLimitsOf } from "@souffleur/recovery"
import { statusLine } from "../explain/StatusLine.ts"
import type { NamedWatch } from "../watching/FindWatch.ts"
import { lostWindow } from "../window/LostWindow.ts"
import type { Opening } from "../world/ConfigTrust.ts"
import { Installation } from "../world/Installation.ts"
import { awayNote } from "../watching/AwayNote.ts"
import { idleSettings } from "./IdleSettings.ts"
import { foreseenEnds } from "./ForeseenEnds.ts"
import { foreseenWays, shown, unknownId } from "./ForeseenLine.ts"
import { hasHooks, hookPlaces } from "../setup/HookPlaces.ts"

/** These parts are not of a host, so that nothing can be foreseen. */
export class NoPreview extends Schema.TaggedError<NoPreview>()("NoPreview", { message: Schema.String }) {}

/** The watch of a preview, and its parts. */
export interface Foreseen {
  readonly opening: Opening
  /** The watch as it is, or as it would be opened. */
  readonly watch: Watch
  /** The watch that would be resumed. `undefined`: a new one would be opened. */
  readonly goesOn: NamedWatch | undefined
  readonly program: AgentProgram
  /** The best terminal for launches. */
  readonly terminal: Terminal
  /** The command gets a terminal of its own. */
  readonly pty: boolean
  /** The command that would be started first. `undefined`: the Conductor runs already. */
  readonly starts: AgentCommand | undefined
  /** The launch would make the session. */
  readonly fresh: boolean
  /** The command of the first launch. `None`: souffleur did not start it, or its file is lost. */
  readonly first: Option.Option<AgentCommand>
  readonly conductor: ProcessInfo | undefined
  /** Why the process may be another than the Conductor; `null`: nothing says so. */
  readonly doubt: string | null
}

/** The longest answer of an agent that is asked for its version. */
const maxVersionLength = 80

/** Returns a command line of the agent, for its program and its terminal. */
const anyLine = Effect.fnUntraced(function* (permission: EffectivePermission, terminal: Terminal) {
  const agent = yield* Agent
  const session = { _tag: "Resume", sessionId: "none" } as const
  const order = { session, permission, prompt: "Go on.", print: terminal === "headless" }
  return yield* Effect.result(agent.command(order))
})

/**
 * Asks the agent for its version, without flags that may belong to a subcommand. A launcher needs its words. This is
 * the only process that a preview starts.
 */
const versionOf = Effect.fnUntraced(function* (
  { args }: AgentProgram,
  { owns, title }: AgentPackage,
  line: Effect.Success<ReturnType<typeof anyLine>>
) {
  if (Result.isFailure(line)) return { title, program: null, version: null, problem: line.failure.message }
  const { environment, program } = line.success
  const printed = yield* Effect.option(
    runProgram({
      command: program,
      args: [...(owns([program]) ? [] : args), "--version"],
      stdin: "",
      within: "10 seconds",
      atMost: 4096,
      environment
    })
  )
  const version = Option.map(printed, (text) => text.trim().split("\n")[0]!.slice(0, maxVersionLength))
  return { title, program, version: Option.getOrNull(version), problem: null }
})

/** Returns the hooks of souffleur in the settings of this project and of the user. `null`: the agent has none. */
const hooksOf = Effect.fnUntraced(function* (of: AgentPackage, settings: ResolvedSettings, project: string) {
  if (!hasHooks(of)) return null
  const { hooks } = of
  const found = yield* Effect.forEach(yield* hookPlaces(of, settings, project), ({ file }) =>
    hooks.status(file).pipe(
      Effect.map(({ absent, events }) => ({ file, events, absent })),
      Effect.orElseSucceed(() => ({ file, events: [], absent: hooks.events }))
    )
  )
  return found.filter(({ events }) => events.length > 0)
})

const sessionOf = Effect.fnUntraced(function* (sessionId: string) {
  const agent = yield* Agent
  const file = yield* Effect.option(agent.sessionFile(sessionId))
  const signs = Option.getOrUndefined(yield* agent.signs(sessionId))
  return {
    id: sessionId,
    file: Option.getOrNull(Option.map(file, ({ path }) => path)),
    context_tokens: signs?.context?.tokens ?? null
  }
})

/** Returns the gate of an export. `fresh`: no session has told its window yet. */
const gateInForce = Effect.fnUntraced(function* (watch: Watch, settings: ResolvedSettings, fresh: boolean) {
  const { limits } = yield* exportLimitsOf(watch)
  return { ...limits, says: fresh ? limitRuleInWords(settings) : limitsInWords(limits) }
})

/** Returns the caps of a watch; those of a process of the user's own too, which its watch is to find. */
const capsNow = Effect.fnUntraced(function* (watch: Watch, conductor: ProcessInfo | undefined) {
  const isFound = watch.caps.length > 0 || watch.launchId !== undefined || conductor === undefined
  const caps = isFound ? watch.caps : yield* capsOfProcess(conductor.identity)
  return capsOf({ caps }, yield* Agent)
})

/** Returns whether a living souffleur has the watch. */
const isWatched = Effect.fnUntraced(function* ({ owner }: Watch) {
  const processes = yield* Processes
  return owner !== undefined && !isOver(yield* processes.condition(owner.process))
})

/**
 * Says what souffleur sees, what it would start, and what would follow from each kind of end. Nothing is written, and
 * nothing is started but the agent's `--version`.
 */
export const preview = Effect.fn("preview")(function* (foreseen: Foreseen) {
  const { conductor, doubt, first, fresh, goesOn, opening, program, pty, starts, terminal, watch } = foreseen
  const { keys, settings, sources } = opening
  const path = yield* Path.Path
  const requested = permissionOf(watch.firstLaunch?.requested ?? "") ?? leastPermission
  const effective = clamp(requested, settings.maxExternalPermission)
  const exported = path.join(settings.stateDir, "exports", "EXPORT")
  const names = new Map(fresh ? [[watch.sessionId, unknownId.first] as const] : [])
  const pid = watch.conductor?.pid ?? watch.pid
  const now = yield* Clock.currentTimeMillis
  const ends = foreseenEnds(watch, conductor?.identity ?? watch.conductor ?? unknown, {
    now,
    quietUntil: yield* quietUntilNow(settings.quietHours),
    exported,
    pause: Duration.toMillis(settings.restartPause),
    zone: yield* personsZone,
    staleAfter: Duration.toMillis(settings.heartbeatStaleAfter)
  })
  const options = { exported, first, names, permission: effective, settings, terminal }
  const values = Settings.json(settings)
  const isAgent = watch.kind === "agent"
  const { agent, variables } = yield* Installation
  const lost =
    isAgent && pid !== 0 && !watch.observe
      ? yield* lostWindow({ pid, sessionId: watch.sessionId }, { settings, terminal, variables })
      : Option.none()
  const of = agent.kindOf?.(watch.agent ?? program.program) ?? agent
  const line = yield* anyLine(effective, terminal)
  const isShown = isAgent ? (starts ?? Result.getOrUndefined(line))?.window === true : pty
  return {
    sees: {
      kind: watch.kind,
      project: watch.project,
      goes_on:
        goesOn === undefined
          ? null
          : {
              watch: goesOn.id,
              revision: watch.revision,
              standing: statusLine(goesOn.watch),
              owner: watch.owner?.process.pid ?? null,
              watched: yield* isWatched(watch)
            },
      agent: isAgent ? yield* versionOf(program, of, line) : null,
      conductor: pid === 0 ? null : { pid, name: conductor?.name ?? null, doubt },
      session: isAgent && !fresh ? yield* sessionOf(watch.sessionId) : null,
      terminal: isShown && terminal !== "headless" ? terminal : pty ? ("pty" as const) : ("headless" as const),
      window_lost: Option.getOrNull(Option.map(lost, ({ lost, todo }) => `${lost}; ${todo}`)),
      permission: isAgent
        ? {
            requested,
            effective,
            ceiling: settings.maxExternalPermission,
            edits_anywhere: effective !== leastPermission || of.editsAnywhere === true
          }
        : null,
      caps: isAgent ? (yield* capsNow(watch, conductor)).map(formatCap) : [],
      limits: watch.limits,
      until:
        isAgent && watch.comms === null && settings.until !== null
          ? { words: settings.until, rounds: settings.rounds }
          : null,
      gate: isAgent ? yield* gateInForce(watch, settings, fresh) : null,
      comms: watch.comms,
      observe: watch.observe,
      hooks: isAgent ? yield* hooksOf(of, settings, watch.project) : null,
      notices: settings.notify.map(formatChannel),
      settings: Object.entries(sources).map(([name, from]) => ({ name, value: values[name] ?? null, from })),
      config: {
        file: settings.source,
        trusted: keys.length === 0 ? ("yes" as const) : ("no" as const),
        asks_for: keys,
        warnings: [
          ...settings.warnings,
          ...idleSettings(of, watch.kind, settings),
          ...(isAgent || starts === undefined ? [] : [awayNote([starts.program, ...starts.args])])
        ].filter((warning) => warning !== undefined)
      },
      state_folder: settings.stateDir
    },
    starts: starts === undefined ? null : shown(starts, names),
    ends: yield* Effect.forEach(ends, ({ after, kind, says }) =>
      Effect.map(
        after.recovery?.purpose === "relaunch"
          ? foreseenWays<unknown>(standardProviders, after, options)
          : Effect.succeed([]),
        (ways) => ({ end: kind, says, watch_ends: after.end ?? null, ways })
      )
    )
  }
})

/** The answer of a preview. Ids that no preview can know have a name in capitals. */
export type Preview = Effect.Success<ReturnType<typeof preview>>

/** A process that is not started yet. */
const unknown = { pid: 0, startTime: 0, bootId: "" }
