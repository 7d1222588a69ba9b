import {
  Agent,
  type AgentCommand,
  Claims,
  clamp,
  EventLog,
  Launcher,
  leastPermission,
  type LiteralAgent,
  load,
  parseSessionId,
  type Permission,
  type Pin,
  Settings
} from "@souffleur/domain"
import { freshSessionId, prepareLaunch, resolveProgram } from "@souffleur/process"
import { command, release } from "@souffleur/supervisor"
import { Console, Effect, Option, Path } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { agentKind } from "../agent/Kind.ts"
import {
  goingOn,
  type LaunchOverrides,
  launchOverridesOf,
  layerStore,
  layerWorld,
  type NamedWatch,
  newId,
  opening,
  unfinished,
  unfinishedWatches
} from "@souffleur/embed"
import { Environment } from "../world/CommandEnvironment.ts"
import { BadUsage, Ended } from "../Failure.ts"
import { ready } from "../service/Watchdog.ts"
import { watching } from "../watching/WatchSession.ts"
import { json, projectDir } from "./Options.ts"
import { Project, withSettings } from "./ProjectCommand.ts"
import { watch } from "./WatchCommand.ts"

/** The first launch, and its entry in the log. */
interface First {
  readonly kind: "agent" | "command"
  readonly sessionId: string
  readonly command: AgentCommand
  readonly title: string
  readonly requested: Permission
}

const example = `souffleur run -- ${agentKind.program} "do it"`

const bad = (message: string) => Effect.fail(new BadUsage({ message }))

/**
 * Returns the session of the command: a new one, or an existing one without a process. Fails with `BadUsage` where the
 * session is in use or missing.
 */
const sessionOf = Effect.fnUntraced(function* ({ session }: LiteralAgent) {
  if (session === undefined) return { _tag: "Fresh" as const, sessionId: yield* freshSessionId }
  const sessionId = yield* Effect.fromResult(parseSessionId(session.sessionId))
  const agent = yield* Agent
  const file = yield* Effect.option(agent.sessionFile(sessionId))
  if (session._tag === "Fresh") {
    return Option.isNone(file)
      ? { ...session, sessionId }
      : yield* bad(
          `session ${sessionId} is there already: go on with it by souffleur run -- ${agentKind.goOn(sessionId)}`
        )
  }
  if (Option.isNone(file)) return yield* bad(`there is no session ${sessionId} to resume`)
  const holder = (yield* agent.sessions).find((one) => one.sessionId === file.value.sessionId)
  if (holder !== undefined)
    return yield* bad(`process ${holder.pid} holds session ${sessionId}: watch it with "souffleur watch"`)
  const known = yield* unfinished({ sessionId: file.value.sessionId })
  if (Option.isSome(known))
    return yield* bad(`watch ${known.value.id} looks after session ${sessionId}: end it first with "souffleur release"`)
  return { ...session, sessionId: file.value.sessionId }
})

/** Returns the first launch of a known agent, with session, permission and prompt as in every launch. */
const firstOfAgent = Effect.fnUntraced(function* (literal: LiteralAgent) {
  const { maxExternalPermission } = yield* Settings
  const agent = yield* Agent
  const { terminal } = yield* Launcher
  const { prompt, requested } = literal
  const effective = clamp(requested, maxExternalPermission)
  if (effective !== requested)
    return yield* bad(
      `the command asks for ${requested}, which is above MAX_EXTERNAL_PERMISSION (${maxExternalPermission}): raise that in the config file ("souffleur config --trust" accepts it), or ask for less`
    )
  if (prompt === "" && terminal === "headless")
    return yield* bad("the command has no prompt, and without a terminal no one can type it")
  const session = yield* sessionOf(literal)
  const print = literal.print || terminal === "headless"
  const line = yield* agent.command({ session, permission: effective, prompt, print, window: terminal !== "headless" })
  return {
    kind: "agent",
    sessionId: session.sessionId,
    command: line,
    title: "Conductor (S1)",
    requested
  } satisfies First
})

/** Returns the first launch of another command, with its own words and the caller's environment. */
const firstOfCommand = Effect.fnUntraced(function* ([name = "", ...args]: ReadonlyArray<string>) {
  const { variables } = yield* Environment
  const path = yield* Path.Path
  const program = yield* resolveProgram(name, variables["PATH"] ?? "")
  const environment = Object.fromEntries(
    Object.entries(variables).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]]))
  )
  const title = path.basename(program)
  return {
    kind: "command",
    sessionId: "",
    command: { program, args, environment },
    title,
    requested: leastPermission
  } satisfies First
})

/**
 * Writes the launch, then opens the watch with it. Any souffleur of the watch can thus start the command, and only
 * once.
 */
const open = Effect.fn("Run.open")(function* (
  words: ReadonlyArray<string>,
  literal: Option.Option<LiteralAgent>,
  { pin, project }: { readonly pin: Pin; readonly project: string }
) {
  const first: First = yield* Option.match(literal, {
    onNone: () => firstOfCommand(words),
    onSome: firstOfAgent
  })
  const { kind, requested, sessionId } = first
  // The claim comes first, because another folder's souffleur may watch the session that is resumed.
  if (sessionId !== "") yield* (yield* Claims).claim({ session: sessionId })
  const id = yield* newId(project)
  const launchId = `${id}-g1-launch-1`
  const effective = clamp(requested, (yield* Settings).maxExternalPermission)
  const launcher = yield* Launcher
  // A watch that is not in the log starts nothing, ever: its launch holds an environment. Where that is unknown, a
  // later souffleur sweeps.
  const unopened = Effect.flatMap((yield* EventLog).read(id, 0), (events) =>
    events.length === 0 ? launcher.forget(launchId) : Effect.void
  )
  const order = { id: launchId, command: first.command, cwd: project, title: first.title, keep: true }
  yield* prepareLaunch(order, (digest) => {
    const run = { kind, launch: { launchId, digest, requested, effective } }
    const opened = command(id, { _tag: "Open", project, comms: null, pid: 0, sessionId, observe: false, pin, run })
    return Effect.onError(opened, () => Effect.ignoreCause(unopened))
  })
  return id
})

/**
 * Returns the first of two watches that were started at once in one folder. The second starts nothing, and goes on with
 * the first.
 */
const oldest = (watches: ReadonlyArray<NamedWatch>, project: string) =>
  watches.find(({ watch }) => watch.project === project)

export const runCommand = Command.make(
  "run",
  {
    words: Argument.String("command").pipe(
      Argument.withDescription("Behind --: the command and its arguments, as they are"),
      Argument.variadic()
    ),
    projectDir,
    guardian: Flag.Boolean("guardian").pipe(
      Flag.withDescription(
        "Keep a second small process that brings souffleur back when it dies or hangs (the default)"
      ),
      Flag.withDefault(true)
    ),
    json
  },
  Effect.fnUntraced(function* (flags) {
    const project = yield* Project
    const settings = yield* Settings
    const goOn = Effect.fnUntraced(function* (known: NamedWatch) {
      const { id, watch: state } = known
      yield* Console.error(
        `watch ${id} of this folder is not finished: it goes on, and nothing else is started ("souffleur release ${id}" ends it)`
      )
      const guarding = { guardian: flags.guardian, restored: Option.none() }
      const settings = yield* goingOn(project, state.pin)
      const resumed = watch({
        project,
        comms: state.comms,
        known: Option.some(known),
        target: Option.none(),
        said: { observe: false, forced: false, detaching: false },
        guarding,
        asJson: flags.json
      })
      return yield* Effect.provide(
        resumed,
        layerWorld(settings, project, state.comms, yield* launchOverridesOf(settings, Option.some(known)))
      )
    })
    const begin = Effect.gen(function* () {
      if (flags.words.length === 0) return yield* bad(`which command? ${example}`)
      const { pin, settings } = yield* opening(project)
      const literal = yield* Effect.fromResult(
        agentKind.takeApart(flags.words, yield* Effect.fromResult(agentKind.parseCommand(settings.agentCommand)))
      )
      const overrides: LaunchOverrides = Option.match(literal, {
        onNone: () => ({ terminal: "headless" }),
        onSome: ({ agentCommand }) => ({ agent: agentCommand })
      })
      const running = Effect.gen(function* () {
        const id = yield* open(flags.words, literal, { pin, project })
        const before = oldest(yield* unfinishedWatches, project)
        if (before !== undefined && before.id !== id) {
          yield* release(id)
          return before
        }
        yield* ready
        return yield* watching(id, {
          project,
          comms: null,
          from: 0,
          guardian: flags.guardian,
          asJson: flags.json
        })
      })
      return yield* Effect.provide(running, layerWorld(settings, project, null, overrides))
    })
    /** `undefined`: the watch was the second of two and has ended, so the folder is looked at again. */
    const attempt = Effect.gen(function* () {
      const known = yield* Effect.provide(unfinished({ project }), layerStore(settings))
      const begun = Option.isSome(known) ? known.value : yield* begin
      if (typeof begun === "number") return begun
      const code = yield* goOn(begun)
      const { end, generation } = yield* Effect.provide(load(begun.id), layerStore(settings))
      return end === "released" && generation === 0 ? undefined : code
    })
    const code = yield* Effect.repeat(attempt, { until: (code) => code !== undefined })
    if (code !== 0) return yield* new Ended({ code })
  })
).pipe(
  withSettings,
  Command.withDescription(
    "Start a command and watch it, without comms: an agent is recovered with its conversation, any other command is run again"
  ),
  Command.withExamples([{ command: example, description: "An agent for the night" }])
)
