import {
  Agent,
  AgentNotFound,
  type AgentOrder,
  type AgentSession,
  type Cap,
  type CapNames,
  ExportFailed,
  type HandoffReceipt,
  nothingSpent,
  type Reported,
  SessionNotFound,
  type SessionMode,
  type SessionSigns
} from "@souffleur/domain"
import { joinedAgents } from "@souffleur/process"
import { Clock, Duration, Effect, FileSystem, Layer, Option } from "effect"
import type { FakeProcesses } from "./FakeProcesses.ts"
import { FakeSession } from "./FakeSession.ts"

/** The prompt that makes a session compact. */
export const fakeCompactPrompt = "compact yourself"

/** The content of a pid file. Fields that are missing default to an agent that is busy in `/p`. */
export type FakePidFile = Pick<AgentSession, "pid" | "sessionId"> & Partial<AgentSession>

/** The program of each fake agent, which is the command line of a process with a pid file. */
const program = "/bin/agent"

/** An agent program in memory: the content of its files, and the requests to it. */
export class FakeAgent {
  /** Pid files. A process that was run and is gone has none. */
  sessions: ReadonlyArray<FakePidFile> = []
  /** True if its processes end after their turn. */
  prints = false
  /** The sessions in pid files that killed processes left behind, by pid. */
  readonly left = new Map<number, string>()
  /** The sessions that have a file; `undefined`: each that is not {@link unwritten}. */
  files: Set<string> | undefined
  /** Sessions whose agent died before its first word. */
  readonly unwritten = new Set<string>()
  /** The folder in which a session began, `/p` by default; `undefined`: its file does not say. */
  readonly began = new Map<string, string | undefined>()
  readonly session = new FakeSession()
  /** Reads the signs of a session file at a time (epoch ms); `undefined`: there is nothing to read. */
  signs: (sessionId: string, now: number) => SessionSigns | undefined = () => undefined
  /** The output that alone tells the state of a turn; `undefined`: session files tell it. */
  turnIn: string | undefined
  /** Duration of the next read of a session file, in ms. */
  slow = 0
  /** Reads the answer of a session to its hand-off; `undefined`: there is none yet. */
  taken: (sessionId: string) => HandoffReceipt | undefined = () => undefined
  /** The modes of sessions. */
  readonly modes = new Map<string, SessionMode>()
  /** The last answers, by session. */
  readonly answers = new Map<string, string>()
  /** Tokens of all sessions. */
  spent = 0
  /** Its answers, and the caps of its user. */
  turns = 0
  caps: ReadonlyArray<Cap> = []
  capNames: CapNames = { flags: {} }
  /** Since when its use was asked for last. */
  spentSince = 0
  /** US dollars that its sessions have cost. */
  dollars = 0
  /** Counts of the reads for these. */
  readonly read = { handoff: 0, spent: 0 }
  /** The folders that a living process names, and those in which it looks. */
  folders: ReadonlyArray<string> = []
  looksIn: ReadonlyArray<string> = []
  /** Sessions that lie in such a folder alone. */
  readonly elsewhere = new Map<string, string>()
  /** When its login was written, epoch ms. */
  loginWrittenAt = 0
  /** True if its last turn is finished and its pid file is removed. */
  turnFinished = false
  /** Counts of tool results, by session. */
  readonly results = new Map<string, number>()
  /** The text of the next export. */
  exported = "# Export\nhello\n"
  exportFails = false
  /** Runs while an export is made. It gets the count of the newest characters that are wanted; `undefined`: all. */
  onExport: (newest?: number) => void = () => {}
  /** True if its program is missing. */
  missing = false
  /** Says whether it is missing at a time, epoch ms. */
  lacks: (now: number) => boolean = () => false
  /** True if no launch of it takes a window. */
  windowless = false
  /** See `Agent.stall`. */
  stall = Duration.seconds(361)
  /** The prompt that makes a session compact; `null`: none does. */
  compactPrompt: string | null = fakeCompactPrompt
  /** Reads the session that a process has begun. `undefined`: the agent takes the ids that it is given. */
  reports: ((pid: number, launch: Reported) => string | undefined) | undefined
  /** Other agents beside it, by their programs. Its own program is `agent`. */
  readonly others = new Map<string, FakeAgent>()
  /** See `Agent.outputReader`. */
  outputReader: Agent["Service"]["outputReader"] = () => () => Option.none()
  /** Every order of a launch. */
  readonly orders: Array<AgentOrder> = []

  readonly processes: FakeProcesses
  constructor(processes: FakeProcesses) {
    this.processes = processes
    const others = processes.wordsOf
    processes.wordsOf = (pid) => (this.sessions.some((one) => one.pid === pid) ? [program] : others(pid))
  }

  readonly #tells = (output: string | undefined) => this.turnIn === undefined || this.turnIn === output
  readonly #file = (asked: string) =>
    Effect.suspend(() => {
      // The beginning of an id is enough, as for a real agent.
      const found = [...(this.files ?? [asked])].filter(
        (id) =>
          asked !== "" &&
          id.startsWith(asked) &&
          !this.unwritten.has(id) &&
          (!this.elsewhere.has(id) || this.looksIn.includes(this.elsewhere.get(id)!))
      )
      return found.length === 1
        ? Effect.succeed({ path: `/agent/${found[0]!}.jsonl`, sessionId: found[0]! })
        : Effect.fail(
            new SessionNotFound({
              sessionId: asked,
              reason: found.length === 0 ? "missing" : "ambiguous",
              message: `no session file of ${asked}`
            })
          )
    })

  /** The port; it writes exports to a file system. */
  readonly service: Effect.Effect<Agent["Service"], never, FileSystem.FileSystem> = Effect.gen(
    { self: this as FakeAgent },
    function* () {
      const own = { program: "agent", agent: yield* this.alone }
      if (this.others.size === 0) return own.agent
      const others = Effect.forEach(this.others, ([program, { service }]) =>
        Effect.map(service, (agent) => ({ program, agent }))
      )
      return joinedAgents(own, yield* others)
    }
  )
  /** The port without the others. */
  readonly alone = Effect.map(FileSystem.FileSystem, (fs) =>
    Agent.of({
      name: "agent",
      stall: this.stall,
      caps: this.caps,
      capNames: this.capNames,
      compactPrompt: this.compactPrompt,
      ...(this.reports === undefined
        ? {}
        : { sessionOf: (one) => Effect.sync(() => Option.fromUndefinedOr(this.reports?.(one.process.pid, one))) }),
      sessions: Effect.sync(() =>
        this.sessions
          .filter(({ pid }) => this.processes.table.get(pid)?.condition !== "gone")
          .map((one) => ({ project: "/p", status: "busy", waitingFor: undefined, writtenAt: 0, ...one }))
      ),
      holds: ({ pid, startTime }) =>
        Effect.sync(() => {
          const process = this.processes.table.get(pid)
          const reused = process?.startTime !== undefined && process.startTime !== startTime
          const named = this.left.get(pid) ?? this.sessions.find((one) => one.pid === pid)?.sessionId
          return reused ? Option.none() : Option.fromUndefinedOr(named)
        }),
      lookWhere: () => Effect.sync(() => (this.looksIn = this.folders)),
      lookIn: (folders) =>
        Effect.sync(() => {
          this.looksIn = folders
        }),
      loginWrittenAt: () => Effect.sync(() => this.loginWrittenAt),
      sessionFile: this.#file,
      exportSession: Effect.fnUntraced(
        { self: this as FakeAgent },
        function* (sessionId: string, out: string, newest?: number) {
          if (this.exportFails) return yield* new ExportFailed({ message: "the session file changed meanwhile" })
          this.processes.did.push(`export ${sessionId}`)
          this.onExport(newest)
          yield* Effect.orDie(fs.writeFileString(out, this.exported, { mode: 0o600 }))
          return { path: out, bytes: this.exported.length, records: 1, warnings: [] }
        }
      ),
      projectOf: (asked) =>
        Effect.map(this.#file(asked), ({ sessionId }) =>
          Option.fromUndefinedOr(this.began.has(sessionId) ? this.began.get(sessionId) : "/p")
        ),
      mark: (sessionId) => Effect.map(this.#file(sessionId), ({ path }) => this.session.mark(path)),
      compactedSince: (mark) => Effect.sync(() => this.session.since(mark)),
      toolResults: (sessions) =>
        Effect.sync(() => sessions.reduce((all, one) => all + (this.results.get(one) ?? 0), 0)),
      isAgent: ([word]) => word === program,
      inPrintMode: () => this.prints,
      turnEnded: (_, __, output) => Effect.sync(() => this.turnFinished && this.#tells(output)),
      signs: Effect.fnUntraced({ self: this as FakeAgent }, function* (sessionId: string, output?: string) {
        const slow = this.slow
        this.slow = 0
        if (slow > 0) yield* Effect.sleep(slow)
        const signs = Option.fromUndefinedOr(this.signs(sessionId, yield* Clock.currentTimeMillis))
        return this.#tells(output) ? signs : Option.map(signs, (said) => ({ ...said, turn: undefined }))
      }),
      usedTools: () => Effect.succeed(true),
      mode: (sessionId) => Effect.sync(() => Option.fromUndefinedOr(this.modes.get(sessionId))),
      lastAnswer: (sessionId) => Effect.sync(() => this.answers.get(sessionId) ?? ""),
      outputReader: (into) => this.outputReader(into),
      handoffTaken: (sessionId) =>
        Effect.sync(() => ((this.read.handoff += 1), Option.fromUndefinedOr(this.taken(sessionId)))),
      spent: (_, since) =>
        Effect.sync(
          () => (
            (this.spentSince = since),
            (this.read.spent += 1),
            { ...nothingSpent, tokens: this.spent, dollars: this.dollars, turns: this.turns }
          )
        ),
      tags: ({ pid, sessionId }) => [{ environment: { AGENT_PID: String(pid), AGENT_SESSION_ID: sessionId } }],
      sessionTag: (sessionId) => ({ environment: { AGENT_SESSION_ID: sessionId } }),
      command: (order) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) => {
          this.orders.push(order)
          return this.missing || this.lacks(now)
            ? Effect.fail(new AgentNotFound({ program: "agent", problem: "not found in PATH", missing: true }))
            : Effect.succeed({
                program,
                args: [
                  ...this.caps.flatMap(({ flag, limit }) => [flag, String(limit)]),
                  order.session.sessionId,
                  "--",
                  order.prompt
                ],
                environment: {},
                ...(order.print || this.windowless ? {} : { window: true })
              })
        })
    })
  )
  readonly layer = Layer.effect(Agent, this.service)
}

/**
 * Makes an agent that has only these methods; calling any other is a defect. It has no session, takes any words for its
 * own, ends after its turn, and neither reads outputs nor tags processes.
 */
export const layerPartialAgent = (methods: Partial<Agent["Service"]>): Layer.Layer<Agent> =>
  Layer.mock(Agent)({
    name: "agent",
    stall: Duration.seconds(361),
    compactPrompt: null,
    sessions: Effect.succeed([]),
    isAgent: (words) => words.length > 0,
    inPrintMode: () => true,
    outputReader: () => () => Option.none(),
    tags: () => [],
    sessionTag: () => ({ environment: {} }),
    ...methods
  })
