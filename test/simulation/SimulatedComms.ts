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
 * The orchestration database of a simulated project: times in whole seconds, locked or gone whenever its owners like.
 */
export class Board {
  readonly path = "/project/comms.db"
  /** `undefined`: it can be used. */
  trouble: CommsUnavailable["reason"] | undefined = undefined
  /** What souffleur writes is written, and it is told that it is not. */
  lies = false
  readonly tasks = new Map<string, string>()
  conductor: Row | undefined = undefined
  souffleur: { state: string; lastHeartbeat: string | null; lastError: string } | undefined = {
    state: "watching",
    lastHeartbeat: null,
    lastError: ""
  }
  messages: Array<Message> = []
  /** What was written to files that another one has replaced. */
  readonly lost: Array<Message> = []
  /** Counted from 0, by the file that is there. */
  file = 0
  /** When somebody wrote over a completion, or put another file in its place, monotonic. */
  completeUntil = -Infinity
  /** The most tasks that any file held. */
  maxTasks = 0
  /** The row is its maker's, or was written from another state folder, until souffleur's state changes again. */
  isForeign = false
  readonly #timeline: Timeline

  constructor(timeline: Timeline) {
    this.#timeline = timeline
  }

  /** Its owners put another file in its place, as `souffleur init` makes it. */
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

  /** What the Conductor writes: its state and its heartbeat; `false` where the database did not take it. */
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

  /** Souffleur's side of it. */
  #use<A>(act: () => A): Effect.Effect<A, CommsUnavailable> {
    return Effect.suspend(() =>
      this.trouble === undefined
        ? Effect.sync(act)
        : Effect.fail(new CommsUnavailable({ path: this.path, reason: this.trouble, problem: "the world says so" }))
    )
  }

  readonly snapshot: Effect.Effect<CommsSnapshot, CommsUnavailable> = this.#use(() => ({
    conductor: Option.map(Option.fromUndefinedOr(this.conductor), (row) => ({ ...row })),
    souffleur: Option.map(Option.fromUndefinedOr(this.souffleur), ({ state }) => state),
    taskCount: this.tasks.size,
    taskFingerprint: this.fingerprint,
    lastMessageId: this.messages.length
  }))

  get fingerprint(): string {
    return [...this.tasks].map(([task, state]) => `${task}=${state}`).join(" ")
  }

  /** Whoever is no stranger is the Conductor, or the person who writes for it. */
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

  #useRow(act: (row: NonNullable<Board["souffleur"]>) => void) {
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
