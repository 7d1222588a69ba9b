import {
  Agent,
  type AgentOrder,
  Claims,
  Hashing,
  Launcher,
  LaunchFailed,
  type LaunchOrder,
  type NotPermitted,
  Processes,
  type ResolvedSettings,
  type Settings
} from "@souffleur/domain"
import { TrustedFiles } from "@souffleur/process"
import { FakeClaims, FakeWorld, identityOf, ownerOf, layerSettings } from "@souffleur/testing"
import { hash } from "node:crypto"
import { Clock, Context, Deferred, Duration, Effect, Fiber, FileSystem, Layer, Option, Path } from "effect"
import {
  type Chosen,
  conduct,
  PlanContext,
  conductOn,
  type Git,
  type LaunchWords,
  loadRun,
  ownFiles,
  ownRun,
  type Plan,
  PlanInvalid,
  type Run,
  RunLog,
  dispatchRun,
  termsOf
} from "../src/index.ts"

/** A conductor as a process: once it is dead, none of its fibers goes on. */
const Life = Context.Reference<{ dead: boolean }>("test/Life", { defaultValue: () => ({ dead: false }) })

/** The text that an agent prints at its end; `undefined`: it never ends. */
export type Act<E = unknown, R = never> = (assignment: {
  readonly prompt: string
  readonly resumed: boolean
  readonly session: string
  /** Its folder. */
  readonly cwd: string
}) => Effect.Effect<string | undefined, E, R>

/** Words of launches that can be told from one another. */
export const plainWords = (): LaunchWords => {
  let given = 0
  return { fresh: Effect.sync(() => `word${++given}`), digest: (word) => Effect.succeed(`digest of ${word}`) }
}
/** Puts the word of the prompt behind each header without one, as an agent does. */
const withWord = (said: string, prompt: string) =>
  said.replaceAll(
    /^(?:IMPLEMENTATION_(?:COMPLETE|BLOCKED)|APPROVED|REJECTED)$/gmu,
    (header) => `${header} ${/^(?:IMPLEMENTATION_COMPLETE|APPROVED) (\S+)$/mu.exec(prompt)?.[1] ?? ""}`
  )

/** A digest that waits for no thread, so that a test clock sees every wait. */
const hashing = (bytes: Uint8Array) => Effect.sync(() => hash("sha256", bytes))

export const complete = "IMPLEMENTATION_COMPLETE\ncommits: [x]\nfiles_changed: [y]\ntest_file: none"
export const approves = "APPROVED\nsummary: good"
export const rejects = (n: number) => `REJECTED\nsummary: no ${n}\nissues:\n- issue ${n}`

/** The end of an agent that the service refused: it prints nothing, and its session's records state the refusal. */
export const refusedFor =
  (millis: number): Act =>
  () =>
    Effect.map(Clock.currentTimeMillis, (now) => `refused until ${now + millis}`)

/** The end of an agent whose login the service refused. */
export const loginRefused: Act = () => Effect.succeed("refused login")

export const planOf = (...ids: ReadonlyArray<string>): Plan => ({
  workflowId: "play",
  tasks: ids.map((id) => ({
    id,
    title: `Do ${id}`,
    description: "D",
    acceptanceCriteria: "A",
    referenceDocs: [],
    dependsOn: []
  })),
  finish: { _tag: "None" }
})

export interface Asked {
  readonly role: string
  readonly resumed: boolean
  readonly session: string
}

/**
 * Makes agents that follow a script at once, in this process, assignment by assignment. Its conductor can vanish at any
 * of its moments: before and after each append, and before and after each launch.
 */
export const stage = Effect.fnUntraced(function* (
  plan: Plan,
  git: Git,
  project: string,
  acts: {
    readonly implementer: ReadonlyArray<Act>
    readonly reviewer: ReadonlyArray<Act>
    /** How many processes the first agent, or the first of that role, leaves running at its end. */
    readonly leaves?: number
    readonly leaver?: string
    /** True if a person is there. */
    readonly attended?: boolean
    /** True if implementers use tools, so that a turn which left something undone is gone on with. */
    readonly works?: boolean
    /** True if each agent chooses the id of its session, and tells it once it has ended. */
    readonly chooses?: boolean
    /** Returns whether a signal ends its process. By default each signal does. */
    readonly ends?: (signal: string) => Effect.Effect<boolean, NotPermitted>
  },
  settings: Partial<ResolvedSettings> = {},
  lazy = false
) {
  const files = yield* TrustedFiles
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const outputs = yield* fs.makeTempDirectoryScoped()
  const statePath = path.join(project, "state.json")
  const log = Context.get(yield* Layer.build(RunLog.layerMemory), RunLog)
  const gate = { passed: 0, at: Infinity, crashed: yield* Deferred.make<void>() }
  const pass = Effect.flatMap(Life, (life) => {
    if (!life.dead && ++gate.passed !== gate.at) return Effect.void
    const crashes = life.dead ? Effect.void : Deferred.succeed(gate.crashed, undefined)
    life.dead = true
    return Effect.andThen(crashes, Effect.never)
  })
  const world = new FakeWorld()
  const { processes } = world
  /** The sessions that agents chose, by their processes. */
  const sessionsOf = new Map<number, string>()
  if (acts.chooses === true) world.agent.reports = (pid) => sessionsOf.get(pid)
  const { prepared, receipts } = world.launcher
  /** True if an agent has left processes behind. */
  let left = false
  const refusals = new Map<string, { readonly at: number; readonly resetsAt: number | undefined }>()
  const finished = new Map<string, number>()
  const asked: Array<Asked> = []
  const reviewers = new Set<string>()
  const signals: Array<string> = []
  const assignments = { implementer: 0, reviewer: 0, finisher: 0 }
  let pids = 1000

  const act = Effect.fnUntraced(function* (order: LaunchOrder, pid: number) {
    const [named = "", resumed, prompt = ""] = order.command.args
    const session = named === "" ? `chosen-${pid}` : named
    const role = prompt.startsWith("## Implementation Task")
      ? "implementer"
      : prompt.startsWith("## Code Review")
        ? "reviewer"
        : "finisher"
    if (role === "reviewer") reviewers.add(session)
    asked.push({ role, resumed: resumed === "Resume", session })
    sessionsOf.set(pid, session)
    const list = role === "finisher" ? [() => Effect.succeed("bye")] : acts[role]
    const chosen = list[Math.min(assignments[role]++, list.length - 1)]!
    const said = yield* Effect.orDie(chosen({ prompt, resumed: resumed === "Resume", session, cwd: order.cwd }))
    const refused = /^refused (?:until (\d+)|login)$/u.exec(said ?? "")
    if (refused === null) {
      if (said === undefined) return said
      finished.set(session, yield* Clock.currentTimeMillis)
      refusals.delete(session)
      return withWord(said, prompt)
    }
    refusals.set(session, {
      at: yield* Clock.currentTimeMillis,
      resetsAt: refused[1] === undefined ? undefined : Number(refused[1])
    })
    return ""
  })

  const launcher = Launcher.of({
    ...(yield* world.launcher.service),
    launch: Effect.fnUntraced(function* (id) {
      yield* pass
      if (receipts.has(id)) return yield* new LaunchFailed({ message: "taken" })
      const process = identityOf(++pids)
      receipts.set(id, process)
      processes.run(process)
      const said = yield* act(prepared.get(id)!, process.pid)
      const leaver = !left && asked.at(-1)?.role === (acts.leaver ?? asked[0]?.role)
      const leaves = leaver ? (acts.leaves ?? 0) : 0
      left ||= leaves > 0
      for (let n = 1; n <= leaves; n += 1) processes.run({ pid: 2000 + n, environment: { SOUFFLEUR_LAUNCH_ID: id } })
      if (said !== undefined) {
        yield* Effect.orDie(fs.writeFileString(path.join(outputs, id), said))
        processes.end(process.pid)
      }
      yield* pass
      return process
    }),
    endOf: () =>
      plan.finish._tag === "Command"
        ? Effect.succeedSome({ end: { _tag: "Exited", code: 0 } as const, at: 0 })
        : Effect.succeedNone,
    outputPath: (id) => path.join(outputs, id)
  })
  const signalling = Processes.of({
    ...processes.service,
    signal: Effect.fnUntraced(function* (process, signal) {
      yield* pass
      if (!processes.has(process)) return
      signals.push(process.pid > 2000 ? `${signal} to what it left` : signal)
      if (acts.ends === undefined || (yield* acts.ends(signal))) processes.end(process.pid)
      yield* pass
    })
  })
  const agent = Agent.of({
    ...(yield* world.agent.service),
    signs: (session) =>
      Effect.sync(() => {
        const [ended, refusal] = [finished.get(session), refusals.get(session)]
        if (refusal !== undefined) {
          const { at, resetsAt } = refusal
          return Option.some({
            writtenAt: at,
            turn: { _tag: "Failed", at, reason: resetsAt === undefined ? "login" : "usage-limit", resetsAt },
            context: undefined
          })
        }
        if (ended === undefined) return Option.none()
        return Option.some({ writtenAt: ended, turn: { _tag: "Finished", at: ended }, context: undefined })
      }),
    usedTools: (session) => Effect.sync(() => !lazy && (acts.works === true || reviewers.has(session))),
    command: ({ prompt, session }: AgentOrder) =>
      Effect.succeed({ program: "/agent", args: [session.sessionId, session._tag, prompt], environment: {} })
  })
  const words = plainWords()
  let incarnation = 0
  /** Each conductor is a process of its own; those before it are dead. */
  const claims = Effect.map(new FakeClaims(processes).service, (service) =>
    Claims.of({ ...service, self: ownerOf(++incarnation) })
  )
  const resolved = layerSettings({
    limitMargin: Duration.zero,
    implementerTimeout: Duration.hours(1),
    reviewerTimeout: Duration.hours(1),
    stopGrace: Duration.millis(10),
    ...settings
  })
  const fragile = RunLog.of({
    ...log,
    append: (stream, revision, events) =>
      events.length === 0
        ? log.append(stream, revision, events)
        : pass.pipe(Effect.andThen(log.append(stream, revision, events)), Effect.tap(pass))
  })
  /** The plan as its file has it now; `undefined`: there is no file. */
  const file: { plan: Plan | undefined } = { plan }
  const read = Effect.suspend(() =>
    file.plan === undefined
      ? new PlanInvalid({ path: "/plan.yaml", problems: ["it is not there"] })
      : Effect.succeed({
          plan: file.plan,
          finishing: file.plan.finish._tag === "Command" ? { program: "/finish", args: [], environment: {} } : null
        })
  )
  yield* dispatchRun(
    "r",
    {
      _tag: "Open",
      workflowId: plan.workflowId,
      project,
      plan: "/plan.yaml",
      digest: "d",
      ...(yield* termsOf(plan)),
      progress: null,
      found: null,
      questions: plan.questions === true
    },
    { _tag: "Operator" }
  ).pipe(Effect.provideService(RunLog, log))

  const anyone = { implementer: null, reviewer: null, permission: "acceptEdits" } as const
  let chosen: Chosen | undefined
  /** A process that conducts, from its beginning to its end. */
  const conducting = (waiting?: (run: Run) => Effect.Effect<void>) =>
    Effect.scoped(
      Effect.gen(function* () {
        const ref = yield* ownRun("r", chosen)
        return yield* Effect.provideService(waiting === undefined ? conduct() : conductOn(waiting), PlanContext, {
          ref,
          ...(yield* read),
          read,
          git,
          words,
          statePath,
          attended: acts.attended ?? false,
          requested: "acceptEdits",
          agents: {},
          commitSetting: "it commits where COMMIT is set"
        })
      })
    )
  const conducts = conducting()
  const process = <A, E>(
    effect: Effect.Effect<
      A,
      E,
      Launcher | Processes | Agent | Claims | RunLog | Settings | FileSystem.FileSystem | Path.Path | TrustedFiles
    >
  ) =>
    Effect.suspend(() =>
      effect.pipe(
        Effect.provideService(Life, { dead: false }),
        Effect.provideService(Launcher, launcher),
        Effect.provideService(Processes, signalling),
        Effect.provideService(Agent, agent),
        Effect.provideServiceEffect(Claims, claims),
        Effect.provideService(Hashing, hashing),
        Effect.provideService(RunLog, fragile),
        Effect.provide(resolved),
        Effect.provideService(FileSystem.FileSystem, fs),
        Effect.provideService(Path.Path, path),
        Effect.provideService(TrustedFiles, files)
      )
    )
  const events = Effect.orDie(Effect.map(log.read("run/r", 0), (all) => all.map(({ event }) => event)))
  return {
    statePath,
    asked,
    signals,
    file,
    /** The agent's login is written now. */
    /** Each session has used as many tokens from now on. */
    spends: (tokens: number) => Effect.sync(() => void (world.agent.spent = tokens)),
    /** The next conductors are to begin no further task from then on; `undefined`: they have no deadline. */
    until: (deadline: number | undefined) =>
      Effect.sync(() => void (chosen = deadline === undefined ? anyone : { ...anyone, deadline })),
    logsIn: Effect.map(Clock.currentTimeMillis, (now) => void (world.agent.loginWrittenAt = now)),
    /** A person takes the plan as its file has it now. */
    takesPlan: Effect.suspend(() =>
      Effect.flatMap(termsOf(file.plan ?? plan), (terms) =>
        dispatchRun("r", { _tag: "RevisePlan", digest: "e", ...terms }, { _tag: "Operator" })
      )
    ).pipe(Effect.provideService(RunLog, log)),
    /** Ends each process that still runs, as it would by itself or by a person. */
    vanish: Effect.sync(() => processes.alive.forEach((pid) => processes.end(pid))),
    conducts: process(conducts),
    /** The same, to its end: `waiting` is told where a person is needed. */
    conductsOn: (waiting: (run: Run) => Effect.Effect<void>) => process(conducting(waiting)),
    run: Effect.provideService(loadRun("r"), RunLog, log) as Effect.Effect<Run>,
    events,
    /** The events of the run, as they come. */
    changes: log.changes("run/r", 0),
    tags: Effect.map(events, (all) => all.map(({ _tag }) => _tag)),
    dispatch: (intent: Parameters<typeof dispatchRun>[1]) =>
      Effect.provideService(dispatchRun("r", intent, { _tag: "Operator" }), RunLog, log),
    /**
     * Runs until that moment and abandons it there: no interruption, no finalizer, as after SIGKILL. `false`: it ended
     * before.
     */
    abandonedAt: Effect.fnUntraced(function* (moment: number) {
      Object.assign(gate, { passed: 0, at: moment, crashed: yield* Deferred.make<void>() })
      const fiber = yield* Effect.forkDetach(process(conducts))
      const crashed = yield* Effect.raceFirst(
        Effect.as(Deferred.await(gate.crashed), true),
        Effect.as(Fiber.await(fiber), false)
      )
      gate.at = Infinity
      return crashed
    })
  }
})

export const own = ownFiles
