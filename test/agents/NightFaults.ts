import { Effect, Random } from "effect"

/**
 * What strikes processes: souffleur with its guardian are `both`, and `all` is what a power cut takes. SIGCONT wakes
 * what was stopped some seconds before.
 */
export const strikes = [
  ["SIGKILL", "agent"],
  ["SIGTERM", "agent"],
  ["SIGINT", "agent"],
  ["SIGSTOP", "agent"],
  ["SIGKILL", "souffleur"],
  ["SIGTERM", "souffleur"],
  ["SIGSTOP", "souffleur"],
  ["SIGKILL", "guardian"],
  ["SIGSTOP", "guardian"],
  ["SIGKILL", "both"],
  ["SIGKILL", "all"],
  ["SIGCONT", "agent"],
  ["SIGCONT", "souffleur"],
  ["SIGCONT", "all"]
] as const
export interface Strike {
  readonly what: "strike"
  readonly signal: (typeof strikes)[number][0]
  readonly who: (typeof strikes)[number][1]
  /** Milliseconds that it is stopped, where it is woken. */
  readonly stopped: number
}

/** What becomes of the session's file, once its agent was killed. */
export interface Session {
  readonly what: "session torn" | "session deleted"
  /** Bytes that are missing at its end. */
  readonly bytes: number
}

/** What the model does, in place of its answer. Only a person mends a `login`. */
export interface Trouble {
  readonly what:
    | "errors"
    | "outage"
    | "usage limit"
    | "torn answers"
    | "full context"
    | "login"
    | "slow"
    | "server stops"
    | "log held"
  /** Errors and torn answers; else seconds. */
  readonly count: number
}

export interface Fault {
  /** The task that it strikes: the first is 1. */
  readonly task: number
  /** While the model is asked for that task, or while its tool runs. A trouble of the model has no tool. */
  readonly moment: "asked" | "tool"
  /** Milliseconds after that moment. */
  readonly after: number
  readonly one: Strike | Session | Trouble
  /** Milliseconds after it, a strike into what it led to. */
  readonly then?: { readonly after: number; readonly one: Strike }
}

export interface Plan {
  readonly agent: "claude" | "codex"
  readonly tasks: number
  /** Tenths of a second that each task takes. */
  readonly pace: number
  /** No export fits, so that a conversation that cannot be resumed is compacted. */
  readonly gate: boolean
  readonly faults: ReadonlyArray<Fault>
}

const troubles = [
  "errors",
  "outage",
  "usage limit",
  "torn answers",
  "full context",
  "login",
  "slow",
  "server stops",
  "log held"
] as const

const strike = Effect.gen(function* () {
  const [signal, who] = yield* Random.choice(strikes)
  return { what: "strike", signal, who, stopped: yield* Random.nextIntBetween(500, 12_000) } satisfies Strike
})

const fault = Effect.fnUntraced(function* (task: number) {
  const lot = yield* Random.nextIntBetween(1, 20)
  const one: Fault["one"] =
    lot <= 10
      ? yield* strike
      : lot <= 12
        ? {
            what: yield* Random.choice(["session torn", "session deleted"] as const),
            bytes: yield* Random.nextIntBetween(1, 60)
          }
        : { what: yield* Random.choice(troubles), count: yield* Random.nextIntBetween(1, 3) }
  const moment = yield* Random.choice(["asked", "tool"] as const)
  const after = yield* Random.nextIntBetween(0, 1200)
  const again = (yield* Random.nextIntBetween(1, 3)) === 1
  const then = again ? { after: yield* Random.nextIntBetween(100, 6000), one: yield* strike } : undefined
  return { task, moment, after, one, ...(then === undefined ? {} : { then }) } satisfies Fault
})

/** The night of a seed: its agent, its tasks, and one fault for some of them. */
export const planned = (seed: number): Effect.Effect<Plan> =>
  Effect.gen(function* () {
    const tasks = yield* Random.nextIntBetween(4, 6)
    const pace = yield* Random.nextIntBetween(3, 25)
    const gate = (yield* Random.nextIntBetween(1, 5)) === 1
    const faults: Array<Fault> = []
    for (let task = 1; task <= tasks; task++)
      if ((yield* Random.nextIntBetween(1, 2)) === 1) faults.push(yield* fault(task))
    if (faults.length === 0) faults.push(yield* fault(2))
    return { agent: seed % 2 === 0 ? "claude" : "codex", tasks, pace, gate, faults } satisfies Plan
  }).pipe(Random.withSeed(`night ${seed}`))

const worded = (one: Fault["one"]): string =>
  one.what === "strike"
    ? `${one.signal} of ${one.who}${one.signal === "SIGCONT" ? ` stopped for ${one.stopped} ms` : ""}`
    : "bytes" in one
      ? `${one.what}${one.what === "session torn" ? ` by ${one.bytes} bytes` : ""}`
      : `${one.what} (${one.count})`

/** One line of it, for a person. */
export const sentence = ({ agent, faults, gate, pace, tasks }: Plan): string =>
  `${agent}, ${tasks} tasks of ${pace / 10} s${gate ? ", no export fits" : ""}: ${faults
    .map(
      ({ after, moment, one, task, then }) =>
        `${worded(one)} at ${task}${"count" in one ? "" : ` ${moment} +${after} ms`}${then === undefined ? "" : `, then ${worded(then.one)} +${then.after} ms`}`
    )
    .join("; ")}`
