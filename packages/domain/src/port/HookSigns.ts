import { latest } from "@souffleur/eventlog"
import { Context, Effect, Layer, Option, Schema } from "effect"
import { Pid, sessionIdLength, StartTime, words } from "../Bounds.ts"

/** The longest word of the agent's own, in UTF-16 units. */
const wordLength = 100

/** The content of one hook call, without a word of the conversation. */
export interface HookCall {
  /** The agent's own word for the event. */
  readonly event: string
  readonly sessionId: string
  /** The agent's own word for the reason. */
  readonly kind?: string
  /** Whether the process takes its session, keeps it, or leaves it. Absent if the event does not tell. */
  readonly holding?: "began" | "goes on" | "ended"
}

/** Reads the hooks of an agent. The agent waits for the hook, so no module of it loads Effect. */
export interface HookReader {
  /** Reads the beginning of a hook's input; `undefined`: it is no event of a session. */
  readonly call: (input: string) => HookCall | undefined
  /** Returns the agent's process by a hook's environment; `undefined`: it is not named. */
  readonly pid: (variables: Readonly<Record<string, string | undefined>>) => number | undefined
}

/**
 * One report of an agent's hook, without a word of the conversation. A missing report means nothing: a hook is evidence
 * of life, never of death.
 */
export const HookSign = Schema.Struct({
  /** The agent's own word for the event. */
  event: words(wordLength),
  /** Epoch milliseconds: when the hook began. */
  at: Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: latest })),
  sessionId: words(sessionIdLength),
  /** The agent's process; `null` where the hook was not told. */
  pid: Schema.NullOr(Pid),
  /** The start of that process, which tells a reused pid; `null` where it could not be read. */
  startTime: Schema.NullOr(StartTime),
  /**
   * The reason: a start's source, a compaction's trigger, an end's reason, the subject of a wait, or a failure's kind.
   */
  kind: Schema.optionalKey(words(wordLength)),
  /**
   * Whether the process began to hold the session, still holds it, or ended that. Absent if the event does not tell.
   */
  holding: Schema.optionalKey(Schema.Literals(["began", "goes on", "ended"]))
})
export type HookSign = typeof HookSign.Type

/** A process that held a session, by the reports of its hooks. */
export interface Held {
  readonly sessionId: string
  readonly pid: number
  readonly startTime: number
  /** Epoch milliseconds of the first and the newest kept sign. */
  readonly since: number
  readonly until: number
  /**
   * How the process came to the session: `startup`, `resume`, `clear`, …; `null` where that is no longer known. A
   * compaction begins no new holding.
   */
  readonly source: string | null
  /** Why the process left the session, such as `clear`; `null` while it holds it, or where no reason was given. */
  readonly ended: string | null
}

/** A process, told from a later one with the same pid. */
export interface HookedProcess {
  readonly pid: number
  readonly startTime: number
}

/** Returns the holdings by the signs of any number of sessions, oldest first. The signs may be in any order. */
export const holdings = (signs: ReadonlyArray<HookSign>): ReadonlyArray<Held> => {
  const found = new Map<string, Held>()
  for (const { at, holding, kind, pid, sessionId, startTime } of signs.toSorted((a, b) => a.at - b.at)) {
    if (pid === null || startTime === null) continue
    const key = `${pid} ${startTime} ${sessionId}`
    const held = found.get(key) ?? { sessionId, pid, startTime, since: at, until: at, source: null, ended: null }
    const source = holding === "began" ? (kind ?? held.source) : held.source
    // Only a start cancels an end. A late report of another kind changes nothing.
    const ended = holding === "ended" ? (kind ?? "other") : holding === undefined ? held.ended : null
    found.set(key, { ...held, until: at, source, ended })
  }
  return [...found.values()].toSorted((a, b) => a.since - b.since)
}

/** Returns the session that a process holds now: the session of its newest sign, unless it ended that. */
export const heldNow = (held: ReadonlyArray<Held>, { pid, startTime }: HookedProcess): Option.Option<string> => {
  const its = held.filter((holding) => holding.pid === pid && holding.startTime === startTime && holding.ended === null)
  return Option.map(
    Option.fromUndefinedOr(its.toSorted((a, b) => a.until - b.until).at(-1)),
    ({ sessionId }) => sessionId
  )
}

/** Returns the current holding of each process, at most one each. The caller checks that the process lives. */
export const heldByAll = (held: ReadonlyArray<Held>): ReadonlyArray<Held> =>
  held.filter((holding) => holding.ended === null && Option.contains(heldNow(held, holding), holding.sessionId))

/** The reports of the agent's hooks. Hooks may be missing or fail to run, so `None` and empty are valid answers. */
export class Hooks extends Context.Service<
  Hooks,
  {
    /** The newest sign of a session. */
    readonly last: (sessionId: string) => Effect.Effect<Option.Option<HookSign>>
    /**
     * Returns all holdings of the processes that ever held this session, oldest first. They show where it was resumed
     * from and cleared to.
     */
    readonly lineage: (sessionId: string) => Effect.Effect<ReadonlyArray<Held>>
    /** Returns the session that a process holds now. After `/clear` it differs from its first session. */
    readonly holds: (process: HookedProcess) => Effect.Effect<Option.Option<string>>
    /** Returns the current holding of each process, including a process that was killed since. */
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
