import { Effect, FileSystem, Path, Schema, type Scope } from "effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"
import { swept } from "../claude/AgentProcesses.ts"
import { headless } from "../claude/ClaudeStage.ts"
import { type Logged, until } from "../claude/Lab.ts"
import { only } from "../claude/Watched.ts"
import { compiledOf } from "../cli/Build.ts"
import { bundle } from "../cli/Built.ts"
import type { Answer, Asked, Shell } from "./ModelTalk.ts"
import { scriptedModel } from "./ScriptedModel.ts"

/** Seconds in place of minutes (spec: settings#keys). */
const timings = {
  SOUFFLEUR_WATCHER_INITIAL_WAIT: "1 second",
  SOUFFLEUR_WATCHER_INTERVAL: "500 millis",
  SOUFFLEUR_MONITOR_INITIAL_WAIT: "5 seconds",
  SOUFFLEUR_MONITOR_INTERVAL: "5 seconds",
  // Qwen Code takes ten seconds to its first record on a busy machine.
  SOUFFLEUR_MONITOR_STALE_AFTER: "30 seconds",
  SOUFFLEUR_STOP_GRACE: "1 second",
  SOUFFLEUR_LAUNCH_SPACING: "0 seconds",
  SOUFFLEUR_LIMIT_MARGIN: "0 seconds",
  // Its start may wait for half a minute there, and use no processor.
  SOUFFLEUR_STALL_AFTER: "15 seconds"
}

type Needed = ChildProcessSpawner.ChildProcessSpawner | FileSystem.FileSystem

/** The home of a real agent, and how its programs are started there. */
export interface AgentHome {
  readonly home: string
  readonly project: string
  readonly options: { readonly cwd: string; readonly env: Readonly<Record<string, string>>; readonly extendEnv: false }
}

/** A real agent program, and how it is set up in a home of its own. */
export interface RealAgent {
  /** Its name for a person. */
  readonly title: string
  /** A command of it, up to its prompt. */
  readonly words: ReadonlyArray<string>
  /** The words that go on with a session, up to the prompt. */
  readonly resume: (sessionId: string) => ReadonlyArray<string>
  /** A prompt that looks like one of its flags. */
  readonly flag: string
  readonly shell: Shell
  /** Its own settings for a model at that address: texts by their paths in the home. */
  readonly files: (url: string) => Readonly<Record<string, string>>
  readonly environment: (url: string) => Readonly<Record<string, string>>
  /** souffleur's settings of the project. */
  readonly config: string
  /** True if its first process waits for the agent behind it. */
  readonly launcher?: boolean
  /** True if SIGTERM ends it with exit code 0, whatever it does. */
  readonly endsWellAtTerm?: boolean
  /**
   * A time for which it uses no processor while its model is silent, again and again. Absent: it always uses some, and
   * its call is left to it.
   */
  readonly stillInCalls?: string
  /** True if its records do not have the end of a usage limit. */
  readonly limitWithoutEnd?: boolean
  /** Its hooks, where souffleur installs some: the word of a start, the event before a tool, and a person's approval. */
  readonly hooks?: {
    readonly began: string
    readonly tool: string
    readonly approved?: (program: string, lab: AgentHome) => Effect.Effect<void, unknown, Scope.Scope | Needed>
  }
  /** True if it waits for the end of a usage limit by itself, and has no record of it. */
  readonly waitsByItself?: boolean
}

const decodeLogged = Schema.decodeUnknownEffect(
  Schema.fromJsonString(
    Schema.StructWithRest(Schema.Struct({ _tag: Schema.String, revision: Schema.Int }), [
      Schema.Record(Schema.String, Schema.Unknown)
    ])
  )
)

/** The end of the first turn of a conversation: only it knows the word. */
export const word = "quinquereme"
/** Goes on until somebody ends it. The shell of the sandbox has pids of its own, so that it writes none. */
export const rehearsal = "touch tool; sleep 300"

/** The session of an event. An agent that chooses its ids may report one later. */
export const sessionIn = (log: ReadonlyArray<Logged>, { sessionId }: Logged): string =>
  String(sessionId === "" ? only(log, "SessionIdFound")["sessionId"] : sessionId)

/** A home and a project of a user's own, a model on loopback, and souffleur for a real agent. */
export const agentLab = Effect.fn("AgentLab")(function* (
  agent: RealAgent,
  program: string,
  part: (asked: Asked) => Effect.Effect<Answer>,
  /** The programs of other agents, which are found too. */
  others: ReadonlyArray<string> = [],
  /** In place of the timings. */
  settings: Readonly<Record<string, string>> = {}
) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
  const root = yield* fs.realPath(yield* fs.makeTempDirectoryScoped({ prefix: "souffleur-agent-" }))
  const [home, project] = [path.join(root, "home"), path.join(root, "opera")]
  const write = Effect.fnUntraced(function* (file: string, text: string) {
    yield* fs.makeDirectory(path.dirname(file), { recursive: true, mode: 0o700 })
    yield* fs.writeFileString(file, text, { mode: 0o600 })
  })
  yield* Effect.addFinalizer(() => swept(home))
  const model = yield* scriptedModel(agent.shell, part)
  for (const [file, text] of Object.entries(agent.files(model.url))) yield* write(path.join(home, file), text)
  for (const folder of [home, project]) yield* write(path.join(folder, ".orchestra_configs", "souffleur"), agent.config)
  const own = agent.environment(model.url)
  const environment = {
    ...timings,
    ...settings,
    ...own,
    PATH: `${[program, ...others].map((one) => path.dirname(one)).join(":")}:${path.dirname(process.execPath)}:${process.env["PATH"] ?? "/usr/bin:/bin"}`,
    HOME: home,
    NODE_COMPILE_CACHE: compiledOf(bundle),
    LANG: "C.UTF-8",
    TERM: "dumb",
    SOUFFLEUR_AGENT_ENVIRONMENT: Object.keys(own).join(","),
    SOUFFLEUR_STATE_DIR: path.join(home, "state")
  }
  const options = { cwd: project, env: environment, extendEnv: false, stdin: "ignore" } as const
  const souffleur = [process.execPath, bundle] as const
  const stage = yield* headless({ claude: program, options, souffleur: ["env", ...souffleur] } as never)
  const saidIn = (cwd: string, ...args: ReadonlyArray<string>) =>
    spawner.string(ChildProcess.make(souffleur[0], [bundle, ...args], { ...options, cwd }), { includeStderr: true })
  const said = (...args: ReadonlyArray<string>) => saidIn(project, ...args)
  // As a person does who has written them.
  if (agent.config !== "") for (const folder of [home, project]) yield* saidIn(folder, "config", "--trust")
  const log = Effect.flatMap(said("log", "--json"), (text) =>
    Effect.forEach(text.trim().split("\n"), (line): Effect.Effect<Logged, unknown> => decodeLogged(line))
  )
  return {
    home,
    project,
    options,
    asked: model.asked,
    rests: model.rests,
    said,
    saidIn,
    log,
    start: (...args: ReadonlyArray<string>) => stage.souffleur(args),
    run: (prompt: string) => stage.souffleur(["run", "--json", "--", ...agent.words, "--", prompt]),
    /** Waits for a tool of the agent, and forgets it. */
    tool: Effect.andThen(
      until("a tool call", fs.exists(path.join(project, "tool"))),
      Effect.orDie(fs.remove(path.join(project, "tool")))
    ),
    read: (file: string) => fs.readFileString(path.resolve(project, file))
  }
})
