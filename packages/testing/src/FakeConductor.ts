import { formatPayload, formatTime, type SessionSigns, type Target, type TurnState } from "@souffleur/domain"
import { Clock, Effect } from "effect"
import { fakeCompactPrompt, type FakeAgent } from "./FakeAgent.ts"
import type { FakeComms } from "./FakeComms.ts"
import type { FakeLauncher } from "./FakeLauncher.ts"
import { isOfPlan } from "./plan/FakeMusicians.ts"
import type { FakeProcesses } from "./FakeProcesses.ts"

/** The fakes that a Conductor shows itself in. */
interface Stage {
  readonly agent: FakeAgent
  readonly comms: FakeComms
  readonly launcher: FakeLauncher
  readonly processes: FakeProcesses
}

/** The context window of the model, in tokens. */
const window = 200_000

/**
 * The Conductor of a {@link FakeWorld}: the first process, and after a launch the newest. It works until a test says
 * otherwise. Each method acts on whichever process is the Conductor at that moment.
 *
 * @example
 * ```ts
 * import { FakeWorld, passes, untilEvent } from "@souffleur/testing"
 * import { Effect } from "effect"
 *
 * // A hang, then a successor that answers, in a world whose watch has the id `night`.
 * const hung = Effect.fn("hung")(function* ({ conductor }: FakeWorld) {
 *   yield* passes("10 minutes")
 *   yield* conductor.hangs
 *   yield* untilEvent("night", "ConductorRelaunched")
 *   yield* conductor.answers
 *   return (yield* untilEvent("night", "HandoffTaken")).generation
 * })
 * ```
 */
export class FakeConductor {
  readonly #stage: Stage
  #first: Target | undefined
  /** The turns of processes that do not work, by pid. */
  readonly #turns = new Map<number, TurnState>()
  /** When a successor answered, in epoch ms, by its session. */
  readonly #answers = new Map<string, number>()
  /** Processor ticks of the working process: each look finds more. */
  #ticks = 0

  constructor(stage: Stage) {
    this.#stage = stage
    stage.agent.signs = (sessionId, now) => this.#signs(sessionId, now)
    stage.agent.taken = (sessionId) => {
      const at = this.#answers.get(sessionId)
      return at === undefined ? undefined : { at, context: { tokens: 20_000, window, model: "fake", at } }
    }
  }

  /** Begins the first process, with a session and a row in comms. Souffleur's launches follow by themselves. */
  begin(first: Target): this {
    const { agent, comms, processes } = this.#stage
    this.#first = first
    const processor = () => (this.#turns.has(first.pid) ? this.#ticks : ++this.#ticks)
    processes.run({ pid: first.pid, name: "agent", words: ["agent"], processor })
    agent.sessions = [...agent.sessions, first]
    const current = () => this.sessionId
    comms.conductor = {
      state: "working",
      heartbeat: (now) => formatTime(this.#turns.get(this.pid)?.at ?? now),
      get sessionId() {
        return current()
      }
    }
    return this
  }

  get #newest(): Target {
    const launched = this.#stage.launcher.launches.findLast(
      ({ id, order }) => order?.prompt !== fakeCompactPrompt && !isOfPlan(id)
    )
    if (launched !== undefined) return { pid: launched.pid, sessionId: launched.order?.session.sessionId ?? "" }
    if (this.#first === undefined) throw new Error("no process of the Conductor was begun or launched")
    return this.#first
  }
  get pid(): number {
    return this.#newest.pid
  }
  /** The id of the session; empty for a plain command. */
  get sessionId(): string {
    return this.#newest.sessionId
  }

  #signs(sessionId: string, now: number): SessionSigns | undefined {
    const { launches } = this.#stage.launcher
    const known = [
      ...(this.#first === undefined ? [] : [this.#first]),
      ...launches.map(({ order, pid }) => ({ pid, sessionId: order?.session.sessionId }))
    ].findLast((one) => one.sessionId === sessionId)
    if (known === undefined) return undefined
    const turn = this.#turns.get(known.pid) ?? { _tag: "Asked", at: now }
    const full = turn._tag === "Failed" && turn.reason === "prompt-too-long"
    return {
      writtenAt: turn.at,
      turn,
      context: { tokens: full ? window : 50_000, window, model: "fake", at: turn.at }
    }
  }
  readonly #turn = (of: (now: number) => TurnState) =>
    Effect.map(Clock.currentTimeMillis, (now) => void this.#turns.set(this.pid, of(now)))

  /** Works on: each look finds a newer sign. */
  readonly works = Effect.sync(() => void this.#turns.delete(this.pid))
  /** Ends its process in the middle of a turn, as by SIGKILL. */
  readonly dies = Effect.andThen(
    this.#turn((at) => ({ _tag: "Asked", at })),
    Effect.sync(() => {
      this.#stage.processes.end(this.pid)
      if (this.sessionId === "") this.#stage.launcher.ended = "SIGKILL"
    })
  )
  /** Hangs: its process lives, waits for the model, and gives no sign any more. */
  readonly hangs = this.#turn((at) => ({ _tag: "Asked", at }))
  /** Fills its context: the service refuses its last turn as too long. */
  readonly fillsContext = this.#turn((at) => ({
    _tag: "Failed",
    at,
    reason: "prompt-too-long",
    resetsAt: undefined
  }))
  /** Meets its usage limit, which ends at `resetsAt` (epoch ms). */
  readonly meetsLimit = (resetsAt: number) =>
    this.#turn((at) => ({ _tag: "Failed", at, reason: "usage-limit", resetsAt }))
  /** Is refused by its service, since its login has expired. In print mode its process ends with that. */
  readonly losesLogin = Effect.andThen(
    this.#turn((at) => ({ _tag: "Failed", at, reason: "login", resetsAt: undefined })),
    Effect.sync(() => {
      const { launcher, processes } = this.#stage
      if (launcher.launches.at(-1)?.order?.print === true) processes.end(this.pid)
    })
  )
  /** Does something that counts as progress: a tool that changes a file gives a result. */
  readonly progresses = Effect.andThen(
    Effect.sync(() => {
      const { results } = this.#stage.agent
      results.set(this.sessionId, (results.get(this.sessionId) ?? 0) + 1)
    }),
    Effect.suspend(() => this.works)
  )
  /** Asks for a successor with a fresh context through comms, which is to begin with this prompt. */
  readonly asksForSuccessor = (resumePrompt: string) =>
    Effect.sync(() => {
      const { comms } = this.#stage
      comms.payload = { id: ++comms.lastMessageId, text: formatPayload({ permissionMode: undefined, resumePrompt }) }
      comms.conductor.state = "context_recovery"
    })
  /** Answers the prompt of its launch: the hand-off is taken, and it works. */
  readonly answers = Effect.andThen(
    Effect.map(Clock.currentTimeMillis, (now) => void this.#answers.set(this.sessionId, now)),
    Effect.suspend(() => ((this.#stage.comms.conductor.state = "working"), this.works))
  )
  /** Finishes its turn, but its process does not end, as one that waits for what never comes. */
  readonly lingers = Effect.andThen(
    this.#turn((at) => ({ _tag: "Finished", at })),
    Effect.sync(() => {
      const { agent, processes } = this.#stage
      agent.turnFinished = true
      agent.sessions = agent.sessions.map((one) => (one.pid === this.pid ? { ...one, status: "idle" } : one))
      processes.run({ ...processes.table.get(this.pid)!, processor: () => this.#ticks })
    })
  )
  /**
   * Completes its work: a tool gives a result, and it ends after a finished turn. In comms it says so. A plain command
   * ends with exit code 0.
   */
  readonly completes = Effect.andThen(
    this.#turn((at) => ({ _tag: "Finished", at })),
    Effect.sync(() => {
      const { agent, comms, launcher, processes } = this.#stage
      if (this.sessionId === "") launcher.ended = 0
      agent.results.set(this.sessionId, (agent.results.get(this.sessionId) ?? 0) + 1)
      agent.turnFinished = true
      comms.conductor.state = "complete"
      processes.end(this.pid)
    })
  )
}
