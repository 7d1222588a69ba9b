import {
  Comms,
  type CommsRefusal,
  type CommsReply,
  type CommsTask,
  CommsUnavailable,
  type MessageKind,
  type SouffleurState
} from "@souffleur/domain"
import { Clock, Effect, Hash, Layer, Option } from "effect"
import { secondsNow } from "./FakeTime.ts"

const path = "/p/comms.db"

/** Makes the digest of a payload in {@link FakeComms}: a short text, without an Effect. */
export const fakeDigest = (text: string): string => `digest ${Hash.string(text)}`

/** A message that souffleur posted. */
export interface FakeMessage {
  readonly key: string
  readonly kind: MessageKind
  readonly text: string
  readonly at: number
}

/**
 * The database of a project in memory. A test writes for the Conductor and for others, and reads the words of
 * souffleur.
 */
export class FakeComms {
  /** The row `task-00`; its heartbeat is text, or a function of the time (epoch ms). */
  conductor: {
    state: string
    heartbeat: string | null | ((now: number) => string | null)
    sessionId: string | null
  } = { state: "working", heartbeat: null, sessionId: null }
  /** The state of the row `souffleur`; `undefined`: there is none. */
  souffleur: string | undefined = "confirmed"
  lastError: string | undefined
  /** Rows of other tasks. */
  taskCount = 2
  /** Rows of tasks that it lists. */
  tasks: ReadonlyArray<CommsTask> = []
  /** The reason why it cannot be used now; `undefined`: it works. */
  out: CommsUnavailable["reason"] | undefined
  /** Count of the next uses for which it is locked. */
  lockedUses = 0
  /** True if it refuses each beat. */
  beatFails = false
  /** Duration of the next snapshot, in ms. */
  slow = 0
  /** The id of the newest message that is neither a payload nor a reply. */
  lastMessageId = 0
  payload: CommsReply | undefined
  readonly replies: Array<CommsReply> = []
  /** The newest message of a sender that is not allowed to send it. */
  refused: CommsRefusal | undefined
  readonly messages: Array<FakeMessage> = []
  /** States and keys of messages that it took, in order. */
  readonly taken: Array<string> = []
  /** The times of snapshots, in seconds. */
  readonly looks: Array<number> = []
  /** The beats that it took, with their times in seconds. */
  readonly beats: Array<{ readonly at: number; readonly second: number }> = []

  readonly #use = <A>(what: () => A) =>
    Effect.suspend(() => {
      const reason = this.lockedUses-- > 0 ? ("locked" as const) : this.out
      return reason === undefined
        ? Effect.sync(what)
        : Effect.fail(new CommsUnavailable({ path, reason, problem: `the database is ${reason}` }))
    })

  /** The port. */
  readonly service = Comms.of({
    path,
    snapshot: Effect.gen({ self: this as FakeComms }, function* () {
      this.looks.push(yield* secondsNow)
      const slow = this.slow
      this.slow = 0
      yield* Effect.sleep(slow)
      const now = yield* Clock.currentTimeMillis
      return yield* this.#use(() => {
        const { heartbeat, sessionId, state } = this.conductor
        return {
          conductor: Option.some({
            state,
            lastHeartbeat: typeof heartbeat === "function" ? heartbeat(now) : heartbeat,
            sessionId
          }),
          souffleur: Option.fromUndefinedOr(this.souffleur),
          taskCount: this.taskCount,
          taskFingerprint: `${this.taskCount} tasks`,
          lastMessageId: Math.max(this.lastMessageId, ...this.replies.map(({ id }) => id))
        }
      })
    }),
    tasks: Effect.suspend(() => this.#use(() => this.tasks)),
    payload: ({ after }) =>
      this.#use(() => ({
        heard: Option.fromUndefinedOr(this.payload).pipe(
          Option.filter(({ id }) => id > after),
          Option.map((one) => ({ ...one, digest: fakeDigest(one.text) }))
        ),
        refused: Option.fromUndefinedOr(this.refused)
      })),
    replies: ({ after }) =>
      this.#use(() => ({
        heard: this.replies.filter(({ id }) => id > after),
        refused: Option.fromUndefinedOr(this.refused)
      })),
    setState: (state: SouffleurState, _, lastError) =>
      Effect.suspend(() =>
        this.out === undefined && this.souffleur === undefined
          ? Effect.fail(new CommsUnavailable({ path, reason: "row", problem: "the row souffleur is missing" }))
          : this.#use(() => {
              Object.assign(this, { souffleur: state, lastError })
              this.taken.push(state)
            })
      ),
    beat: Effect.fnUntraced({ self: this as FakeComms }, function* (at: number) {
      const second = yield* secondsNow
      if (this.beatFails)
        return yield* new CommsUnavailable({ path, reason: "locked", problem: "the database is locked" })
      yield* this.#use(() => void this.beats.push({ at, second }))
    }),
    post: (message) =>
      this.#use(() => {
        if (this.messages.some(({ key }) => key === message.key)) return
        this.messages.push(message)
        this.taken.push(message.key)
      })
  })
  readonly layer = Layer.succeed(Comms, this.service)
}
