import {
  Agent,
  type AgentCommand,
  type AgentKind,
  Claims,
  clamp,
  CommandRefused,
  EventLog,
  folderOf,
  freshHex,
  isSecretVariable,
  isSessionKnown,
  isWithin,
  type JobId,
  type JobLimits,
  type JobNote,
  kindOf,
  Launcher,
  leastPermission,
  type LiteralAgent,
  parseSessionId,
  type Permission,
  type Pin,
  plain,
  Settings,
  type Terminal,
  type Until,
  unknownSession,
  type Variables
} from "@souffleur/domain"
import { prepareLaunch, resolveProgram, sessionToBegin, turnBefore } from "@souffleur/process"
import { command as say } from "@souffleur/supervisor"
import { Effect, FileSystem, Option, Path, Result } from "effect"
import { newId, unfinished } from "./FindWatch.ts"
import { unwatchedIn } from "../jobs/UnwatchedAgent.ts"
import { remark } from "../Remark.ts"
import { awayNote } from "./AwayNote.ts"
import { withheldKeys, withheldNote } from "./WithheldKeys.ts"

/** The first launch, and its entry in the log. */
export interface First {
  readonly kind: "agent" | "command"
  readonly sessionId: string
  readonly command: AgentCommand
  readonly title: string
  readonly requested: Permission
  /** The prompt of an agent. Absent: there is none. */
  readonly prompt?: string
}

/** UTF-16 units of a folder in a refusal. */
const maxFolder = 500

const bad = (message: string, more: Partial<Pick<CommandRefused, "unwatched" | "watch">> = {}) =>
  Effect.fail(new CommandRefused({ message, ...more }))

/**
 * Returns the session of the command: a new one, or an existing one without a process. Fails with `CommandRefused`
 * where the session is in use or missing, or began in another folder. There its agent may not find it, and its finished
 * turn would be taken for the work.
 */
const sessionOf = Effect.fnUntraced(function* ({ session }: LiteralAgent, kind: AgentKind, project: string) {
  if (session === undefined) return { _tag: "Fresh" as const, sessionId: yield* sessionToBegin }
  const sessionId = yield* Effect.fromResult(parseSessionId(session.sessionId))
  const agent = yield* Agent
  const file = yield* Effect.result(agent.sessionFile(sessionId))
  if (session._tag === "Fresh") {
    return Result.isFailure(file)
      ? { ...session, sessionId }
      : yield* bad(
          `session ${sessionId} is there already, and the command that goes on with it is ${kind.goOn(sessionId)}`
        )
  }
  if (Result.isFailure(file)) {
    const { message, reason } = file.failure
    const name = reason === "missing" && !/^[\da-f-]+$/iu.test(sessionId) ? " (a name does not do: give its id)" : ""
    return yield* bad(`there is no session ${sessionId} to resume${name}: ${plain(message, maxFolder)}`)
  }
  const { sessionId: whole } = file.success
  const holder = (yield* agent.sessions).find((one) => one.sessionId === whole)
  if (holder?.unwatchable !== undefined) return yield* bad(`${holder.unwatchable.why}: type ${holder.unwatchable.next}`)
  if (holder !== undefined) return yield* bad(`process ${holder.pid} holds session ${sessionId}: watch that process`)
  const known = yield* unfinished({ sessionId: whole })
  if (Option.isSome(known))
    return yield* bad(`watch ${known.value.id} looks after session ${sessionId}`, { watch: known.value.id })
  const folder = yield* folderOf(whole, project)
  const fs = yield* FileSystem.FileSystem
  const real = folder === undefined ? folder : yield* Effect.option(fs.realPath(folder))
  if (isWithin(project, folder) || (real !== undefined && Option.exists(real, (one) => isWithin(project, one))))
    return { ...session, sessionId: whole }
  const where = `session ${sessionId} began in ${plain(folder ?? "", maxFolder)}`
  return yield* bad(
    real === undefined || Option.isSome(real)
      ? `${where}: resume it there`
      : `${where}, which is gone: if that project is here now, link its old place to it, by ln -s ${plain(project, maxFolder)} ${plain(folder ?? "", maxFolder)}`
  )
})

/** Returns the first launch of a known agent, with session, permission and prompt as in every launch. */
const firstOfAgent = Effect.fnUntraced(function* (
  literal: LiteralAgent,
  {
    agent: anyKind,
    input = Effect.succeed(""),
    project,
    terminal
  }: Pick<CommandOrder, "agent" | "input" | "project"> & { readonly terminal: Terminal }
) {
  const { maxExternalPermission } = yield* Settings
  const agent = yield* Agent
  const { agentCommand, requested } = literal
  const kind = kindOf(anyKind, agentCommand.program, agentCommand.args)
  const effective = clamp(requested, maxExternalPermission)
  if (effective !== requested)
    return yield* bad(
      `the command asks for ${requested}, which is above MAX_EXTERNAL_PERMISSION (${maxExternalPermission}): ask for less, or set MAX_EXTERNAL_PERMISSION=${requested}`
    )
  const session = yield* sessionOf(literal, kind, project)
  const print = literal.print || terminal === "headless"
  // A person types the first prompt in a window.
  const prompt = literal.prompt === "" && print ? yield* input : literal.prompt
  const line = yield* agent.command({ session, permission: effective, prompt, print, folder: project })
  if (prompt === "" && line.window !== true)
    return yield* bad("the command has no prompt, standard input has none, and without a terminal no one can type it")
  return {
    kind: "agent",
    sessionId: session.sessionId,
    command: line,
    title: "Agent (S1)",
    requested,
    ...(prompt === "" ? {} : { prompt })
  } satisfies First
})

/** Returns the first launch of another command, with its own words and the caller's environment. */
const firstOfCommand = Effect.fnUntraced(function* (
  [name = "", ...args]: ReadonlyArray<string>,
  { project, variables }: Pick<CommandOrder, "project" | "variables">
) {
  const path = yield* Path.Path
  const program = yield* resolveProgram(name, variables["PATH"] ?? "", project)
  const environment = Object.fromEntries(
    Object.entries(variables).flatMap(([key, value]) =>
      value === undefined || isSecretVariable(key) ? [] : [[key, value]]
    )
  )
  const title = path.basename(program)
  return {
    kind: "command",
    sessionId: unknownSession,
    command: { program, args, environment },
    title,
    requested: leastPermission
  } satisfies First
})

/** A command that is to begin. */
export interface CommandOrder {
  readonly project: string
  readonly pin: Pin
  readonly agent: AgentKind
  /** The environment of the command, where it is no agent. */
  readonly variables: Variables
  /** The command gets a terminal of its own; `false` by default. */
  readonly pty?: boolean
  /** See `RunOptions`. */
  readonly force?: boolean
  readonly input?: Effect.Effect<string, CommandRefused>
  /** What says that the work of an agent is done. */
  readonly until?: Until
  readonly limits: JobLimits | null
  readonly note: JobNote
  /** The id that the caller chose; `None`: one is drawn. */
  readonly named: Option.Option<JobId>
}

/** Refuses a folder in which an agent lives that nobody watches, with `CommandRefused` (spec: behaviour#one-writer). */
export const refuseOccupied = Effect.fnUntraced(function* (project: string) {
  const found = yield* unwatchedIn(project)
  const one = found.find(({ sessionId }) => sessionId !== undefined) ?? found[0]
  if (one !== undefined)
    return yield* bad(`process ${one.pid} is an agent that works in this folder, and nobody watches it`, {
      unwatched: one
    })
})

/**
 * Returns the first launch of a command, and changes nothing. Fails with `CommandRefused` as {@link openCommand} does.
 */
export const firstOf = (
  words: ReadonlyArray<string>,
  literal: Option.Option<LiteralAgent>,
  {
    agent,
    input,
    project,
    pty = false,
    terminal,
    variables
  }: Pick<CommandOrder, "agent" | "input" | "project" | "pty" | "variables"> & {
    readonly terminal: Terminal
  }
) =>
  Option.match(literal, {
    onNone: () => Effect.map(firstOfCommand(words, { project, variables }), (first): First => first),
    onSome: (literal) =>
      pty
        ? bad("an agent has its terminal by LAUNCHER (tmux, kitty): a terminal is for another command")
        : Effect.map(
            firstOfAgent(literal, { agent, project, terminal, ...(input === undefined ? {} : { input }) }),
            (first): First => first
          )
  })

/**
 * Writes the launch, then opens the watch with it, and returns its id. Any souffleur of the watch can thus start the
 * command, and only once. Fails with `CommandRefused` where the words ask for what they may not have, or the session is
 * in use.
 */
export const openCommand = Effect.fn("openCommand")(function* (
  words: ReadonlyArray<string>,
  literal: Option.Option<LiteralAgent>,
  { agent, force = false, input, limits, named, note, pin, project, pty = false, until, variables }: CommandOrder
) {
  const launcher = yield* Launcher
  if (!force) yield* refuseOccupied(project)
  const first = yield* firstOf(words, literal, {
    agent,
    project,
    variables,
    pty,
    terminal: launcher.terminals[0],
    ...(input === undefined ? {} : { input })
  })
  const { kind, requested, sessionId } = first
  const withheld = withheldNote(kind === "agent" ? withheldKeys(variables, first.command.environment) : [])
  if (withheld !== undefined) yield* remark("note", withheld)
  const away = kind === "command" ? awayNote(words) : undefined
  if (away !== undefined) yield* remark("warning", away)
  // The claim comes first, because another folder's souffleur may watch the session that is resumed.
  if (isSessionKnown(sessionId)) yield* (yield* Claims).claim({ session: sessionId })
  const id = Option.isSome(named) ? named.value : yield* newId(project)
  // Of two starts under one id, neither may write or forget the launch of the other.
  const launchId = `${id}-g1-${Option.isSome(named) ? `${yield* freshHex(4)}-` : ""}launch-1`
  const effective = clamp(requested, (yield* Settings).maxExternalPermission)
  const before = { turnBefore: yield* turnBefore(sessionId) }
  // A launch that is not in the log never starts, and it holds an environment. Where that is unknown, a later souffleur
  // sweeps.
  const unopened = Effect.flatMap((yield* EventLog).read(id, 0, 2), (events) =>
    events.some(({ event }) => event._tag === "LaunchPrepared" && event.launchId === launchId)
      ? Effect.void
      : launcher.forget(launchId)
  )
  const terminal = kind === "agent" ? "shared" : pty ? "own" : "none"
  const order = {
    id: launchId,
    command: first.command,
    cwd: project,
    title: first.title,
    terminal,
    words,
    ...(first.prompt === undefined ? {} : { prompt: first.prompt }),
    ...(kind === "command" || until === undefined ? {} : { until }),
    keep: true
  } as const
  yield* prepareLaunch(order, (digest) => {
    const run = { kind, launch: { launchId, digest, requested, effective, pty, ...before } }
    const opened = say(id, {
      _tag: "Open",
      project,
      comms: null,
      pid: 0,
      sessionId,
      observe: false,
      pin,
      limits,
      note,
      run
    })
    return Effect.onError(opened, () => Effect.ignoreCause(unopened))
  })
  return id
})
