import {
  type CommsQuery,
  type CommsSnapshot,
  CommsUnavailable,
  formatTime,
  type MessageKind,
  payloadHeader,
  type SouffleurState
} from "@souffleur/domain"
import { Effect, Hash, Option } from "effect"
import type { Timeline } from "./Timeline.ts"

interface Row {
  state: string
  lastHeartbeat: string | null
  sessionId: string | null
}

export interface Message {
  readonly id: number
  readonly from: "souffleur" | "conductor" | "person" | "stranger"
  readonly kind: MessageKind | "instruction"
  readonly text: string
}

/**
 * The comms database of a simulated project. Its times are in whole seconds, and its owners lock or remove it
 * whenever they like.
 */
export class SimulatedComms {
  readonly path = "/project/comms.db"
  /** The reason why it cannot be used; `undefined`: it can. */
  trouble: CommsUnavailable["reason"] | undefined = undefined
  /** True if souffleur was not told all the tasks since a recovery began. */
  isUntold = false
  /** True if a write of souffleur is done, and is said to have failed. */
  lies = false
  readonly tasks = new Map<string, string>()
  /** The sessions of agents that tasks name. A Musician names itself in any file. */
  readonly musicians = new Set<string>()
  conductor: Row | undefined = undefined
  souffleur: { state: string; lastHeartbeat: string | null; lastError: string } | undefined = {
    state: "watching",
    lastHeartbeat: null,
    lastError: ""
  }
  messages: Array<Message> = []
  /** The messages in files that were replaced. */
  readonly lost: Array<Message> = []
  /** The number of the file that is there, from 0. */
  file = 0
  /** The time at which somebody wrote over a completion, or put another file in its place, monotonic. */
  completeUntil = -Infinity
  /** The most tasks that any file held. */
  maxTasks = 0
  /**
   * True if the row is its maker's, or was written from another state folder. It ends when souffleur's state changes
   * again.
   */
  isForeign = false
  readonly #timeline: Timeline

  constructor(timeline: Timeline) {
    this.#timeline = timeline
  }

  /** Puts another file in its place, as its owners do and as `souffleur init` makes it. */
  replace(): void {
    if (this.conductor?.state === "complete") this.completeUntil = this.#timeline.monotonic
    this.lost.push(...this.messages)
    this.maxTasks = Math.max(this.maxTasks, this.tasks.size)
    this.messages = []
    this.tasks.clear()
    this.conductor = undefined
    this.souffleur = { state: "watching", lastHeartbeat: null, lastError: "" }
    this.file++
    this.isForeign = true
  }

  /** Writes the Conductor's state and heartbeat; `false` where the database did not take it. */
  write(change: Partial<Row>): boolean {
    if (this.trouble !== undefined) return false
    if (this.conductor?.state === "complete" && change.state !== undefined && change.state !== "complete")
      this.completeUntil = this.#timeline.monotonic
    const before = this.conductor ?? { state: "working", lastHeartbeat: null, sessionId: null }
    this.conductor = { ...before, lastHeartbeat: formatTime(this.#timeline.wall), ...change }
    return true
  }

  say(from: Message["from"], kind: Message["kind"], text: string): void {
    this.messages.push({ id: this.messages.length + 1, from, kind, text })
  }

  /** Uses the comms from souffleur's side. */
  #use<A>(act: () => A): Effect.Effect<A, CommsUnavailable> {
    return Effect.suspend(() => {
      if (this.trouble === undefined) return Effect.sync(act)
      this.isUntold = true
      return Effect.fail(new CommsUnavailable({ path: this.path, reason: this.trouble, problem: "the world says so" }))
    })
  }

  readonly snapshot: Effect.Effect<CommsSnapshot, CommsUnavailable> = this.#use(() => ({
    conductor: Option.map(Option.fromUndefinedOr(this.conductor), (row) => ({ ...row })),
    souffleur: Option.map(Option.fromUndefinedOr(this.souffleur), ({ state }) => state),
    taskCount: this.tasks.size,
    taskFingerprint: this.fingerprint,
    lastMessageId: this.messages.length
  }))

  /** The tasks, and those of Musicians. Of a hundred or more, not all are known. */
  readonly listed = this.#use(() => {
    const all = [
      ...[...this.tasks].map(([id, state]) => ({ id, state, sessionId: null, lastHeartbeat: null })),
      ...[...this.musicians].map((sessionId) => ({ id: sessionId, state: "working", sessionId, lastHeartbeat: null }))
    ]
    if (all.length >= 100) this.isUntold = true
    return all.slice(0, 100)
  })

  get fingerprint(): string {
    return [...this.tasks].map(([task, state]) => `${task}=${state}`).join(" ")
  }

  /**
   * Finds the words of the Conductor, or of the person who writes for it. Every author that is no stranger is one of
   * them.
   */
  #heard(after: number, is: (message: Message) => boolean) {
    const said = this.messages.filter((message) => message.id > after && message.from !== "souffleur" && is(message))
    const refused = Option.fromUndefinedOr(said.findLast(({ from }) => from === "stranger"))
    return {
      heard: said.filter(({ from }) => from !== "stranger").map(({ id, text }) => ({ id, text })),
      refused: Option.map(refused, ({ id }) => ({ id, from: "stranger" }))
    }
  }

  payload({ after }: CommsQuery) {
    return this.#use(() => {
      const { heard, refused } = this.#heard(after, ({ text }) => text.startsWith(payloadHeader))
      return {
        heard: Option.map(Option.fromUndefinedOr(heard.at(-1)), (one) => ({
          ...one,
          digest: String(Hash.string(one.text))
        })),
        refused
      }
    })
  }

  replies({ after }: CommsQuery) {
    return this.#use(() => this.#heard(after, ({ kind }) => kind === "instruction"))
  }

  #written<A>(effect: Effect.Effect<A, CommsUnavailable>): Effect.Effect<A, CommsUnavailable> {
    const failed = Effect.fail(
      new CommsUnavailable({ path: this.path, reason: "failed", problem: "the world says so" })
    )
    return Effect.flatMap(effect, (done) => (this.lies ? failed : Effect.succeed(done)))
  }

  #useRow(act: (row: NonNullable<SimulatedComms["souffleur"]>) => void) {
    const used = this.#use(() => this.souffleur).pipe(
      Effect.flatMap((row) =>
        row === undefined
          ? Effect.fail(
              new CommsUnavailable({ path: this.path, reason: "schema", problem: "the row souffleur is missing" })
            )
          : Effect.sync(() => act(row))
      )
    )
    return this.#written(used)
  }

  setState(state: SouffleurState, at: number, lastError?: string) {
    return this.#useRow((row) =>
      Object.assign(row, { state, lastHeartbeat: formatTime(at), lastError: lastError ?? row.lastError })
    )
  }

  beat(at: number) {
    return this.#useRow((row) => void (row.lastHeartbeat = formatTime(at)))
  }

  post({ key, kind, text }: { readonly key: string; readonly kind: MessageKind; readonly text: string }) {
    const used = this.#use(() => {
      const told = (message: Message) =>
        message.from === "souffleur" && message.kind === kind && message.text === `[${key}] ${text}`
      if (!this.messages.some(told)) this.say("souffleur", kind, `[${key}] ${text}`)
    })
    return this.#written(used)
  }
}
