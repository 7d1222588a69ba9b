import { latest } from "@souffleur/eventlog"
import { Context, Effect, Layer, Option, Schema } from "effect"
import { Pid, sessionIdLength, StartTime, words } from "../Bounds.ts"

/** UTF-16 units of a word of the agent's own. */
const wordLength = 100

/** What one call of a hook says, without a word of the conversation. */
export interface HookCall {
  /** The agent's own word for it. */
  readonly event: string
  readonly sessionId: string
  /** The agent's own word for why. */
  readonly kind?: string
  /** What it says of the holding of its session; absent: nothing. */
  readonly holding?: "began" | "goes on" | "ended"
}

/** How the hooks of an agent are read. A call of the agent waits for it, so that no module of it loads Effect. */
export interface HookReader {
  /** Reads the beginning of a hook's input; `undefined`: it is no event of a session. */
  readonly call: (input: string) => HookCall | undefined
  /** The agent's process by a hook's environment; `undefined`: it is not named. */
  readonly pid: (variables: Readonly<Record<string, string | undefined>>) => number | undefined
}

/**
 * What an agent's hook said as something happened in it. A hook that did not fire says nothing: evidence of life, never
 * of death. There is no word of the conversation in it.
 */
export const HookSign = Schema.Struct({
  /** The agent's own word for it. */
  event: words(wordLength),
  /** Epoch milliseconds: when the hook began. */
  at: Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: latest })),
  sessionId: words(sessionIdLength),
  /** The agent's process; `null` where the hook was not told. */
  pid: Schema.NullOr(Pid),
  /** Field 22 of that process's `/proc/<pid>/stat`, which tells a reused pid; `null` where it could not be read. */
  startTime: Schema.NullOr(StartTime),
  /** Why: a start's source, a compaction's trigger, an end's reason, what is waited for, a failure's kind. */
  kind: Schema.optionalKey(words(wordLength)),
  /**
   * The process began to hold the session, holds it as before, or holds it no more; absent: the event says nothing of
   * that.
   */
  holding: Schema.optionalKey(Schema.Literals(["began", "goes on", "ended"]))
})
export type HookSign = typeof HookSign.Type

/** A process that held a session, as its hooks told it. */
export interface Held {
  readonly sessionId: string
  readonly pid: number
  readonly startTime: number
  /** Epoch milliseconds of the first and the newest sign that are kept. */
  readonly since: number
  readonly until: number
  /**
   * How it came to hold it: `startup`, `resume`, `clear`, …; `null` where that is not known any more. A compaction is
   * no other holding.
   */
  readonly source: string | null
  /** Why it holds it no more, such as `clear`; `null` while it does, or ended without a word. */
  readonly ended: string | null
}

/** A process by what a reused pid does not share. */
export interface HookedProcess {
  readonly pid: number
  readonly startTime: number
}

/** Who held what, by what the signs of any number of sessions say, in no order; oldest first. */
export const holdings = (signs: ReadonlyArray<HookSign>): ReadonlyArray<Held> => {
  const found = new Map<string, Held>()
  for (const { at, holding, kind, pid, sessionId, startTime } of signs.toSorted((a, b) => a.at - b.at)) {
    if (pid === null || startTime === null) continue
    const key = `${pid} ${startTime} ${sessionId}`
    const held = found.get(key) ?? { sessionId, pid, startTime, since: at, until: at, source: null, ended: null }
    const source = holding === "began" ? (kind ?? held.source) : held.source
    // Only a start ends an end: what is said late changes nothing.
    const ended = holding === "ended" ? (kind ?? "other") : holding === undefined ? held.ended : null
    found.set(key, { ...held, until: at, source, ended })
  }
  return [...found.values()].toSorted((a, b) => a.since - b.since)
}

/** The session that a process holds now: of those that it did not end, what its newest sign is of. */
export const heldNow = (held: ReadonlyArray<Held>, { pid, startTime }: HookedProcess): Option.Option<string> => {
  const its = held.filter((one) => one.pid === pid && one.startTime === startTime && one.ended === null)
  return Option.map(
    Option.fromUndefinedOr(its.toSorted((a, b) => a.until - b.until).at(-1)),
    ({ sessionId }) => sessionId
  )
}

/** What each process holds now, at most one session each. That the process lives is for whoever asks to see. */
export const heldByAll = (held: ReadonlyArray<Held>): ReadonlyArray<Held> =>
  held.filter((one) => one.ended === null && Option.contains(heldNow(held, one), one.sessionId))

/**
 * What the agent's hooks have told of its sessions. They may not be installed, or not fire: `None` and nothing are
 * answers.
 */
export class Hooks extends Context.Service<
  Hooks,
  {
    /** The newest sign of a session. */
    readonly last: (sessionId: string) => Effect.Effect<Option.Option<HookSign>>
    /**
     * All that the processes held that ever held this session, oldest first: what it was resumed from and cleared to.
     */
    readonly lineage: (sessionId: string) => Effect.Effect<ReadonlyArray<Held>>
    /** The session that a process holds now: after `/clear` another one than it began with. */
    readonly holds: (process: HookedProcess) => Effect.Effect<Option.Option<string>>
    /** What each process holds that said so and has not taken it back: also one that was killed since. */
    readonly held: Effect.Effect<ReadonlyArray<Held>>
  }
>()("@souffleur/domain/Hooks") {
  /** For an agent that has no hooks. */
  static readonly layerNone = Layer.succeed(Hooks, {
    last: () => Effect.succeedNone,
    lineage: () => Effect.succeed([]),
    holds: () => Effect.succeedNone,
    held: Effect.succeed([])
  })
}
