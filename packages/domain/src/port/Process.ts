import { Count, Text } from "@souffleur/eventlog"
import { Clock, Context, Duration, Effect, type Option, Schema } from "effect"
import { type Condition, isOver } from "./Condition.ts"

/**
 * The identity of a process, which its pid alone is not, because pids are reused. `startTime` is its start as the
 * system counts it: clock ticks since boot on Linux, Unix seconds on macOS. `bootId` is the kernel's (spec:
 * behaviour#stop).
 */
export const ProcessIdentity = Schema.Struct({
  pid: Schema.Int,
  startTime: Schema.Int,
  bootId: Schema.String
})
export type ProcessIdentity = typeof ProcessIdentity.Type

/** Returns whether two identities name one process. `undefined` names none. */
export const isSameProcess = (one: ProcessIdentity | undefined, other: ProcessIdentity | undefined): boolean =>
  one !== undefined && one.pid === other?.pid && one.startTime === other.startTime && one.bootId === other.bootId

/** How a process ended, as its parent learnt it: with an exit code, or by a signal, such as `SIGKILL`. */
export const ProcessEnd = Schema.Union([
  Schema.TaggedStruct("Exited", { code: Count }),
  Schema.TaggedStruct("Killed", { signal: Text })
])
export type ProcessEnd = typeof ProcessEnd.Type

/** Returns whether a process ended with exit code 0. An unknown end did not. */
export const endedWell = (end: ProcessEnd | null | undefined): boolean => end?._tag === "Exited" && end.code === 0

/** A process as the kernel's table has it. */
export interface ProcessInfo {
  readonly identity: ProcessIdentity
  readonly parent: number
  readonly uid: number
  /** The kernel's name of the program, at most 15 characters. */
  readonly name: string
  readonly condition: Exclude<Condition, "gone">
  /** True if it has a terminal, where a person may type to it. Absent: it is not known. */
  readonly hasTerminal?: boolean
  /**
   * Processor time since its start, in hundredths of a second, with its children that have ended. Absent: it is not
   * known.
   */
  readonly processor?: number
  /** When it began, epoch ms. Absent: it is not known. */
  readonly startedAt?: number
}

/**
 * Marks in a process's environment by which a re-parented tool is still known to belong to a Conductor (spec:
 * behaviour#stop).
 */
export interface Tag {
  /** Every one of these variables must have this value. */
  readonly environment: Readonly<Record<string, string>>
}

/** A process with the value of one of its environment variables. */
export interface Carrier extends ProcessInfo {
  readonly value: string
}

/** The signals that end a process. souffleur sends no other. */
export type Signal = "SIGTERM" | "SIGKILL"

/** The kernel refused the signal: the process belongs to another user. */
export class NotPermitted extends Schema.TaggedError<NotPermitted>()("NotPermitted", {
  pid: Schema.Int,
  signal: Schema.String
}) {
  override get message(): string {
    return `souffleur may not send ${this.signal} to process ${this.pid}`
  }
}

/** By what the processes of a tree are told from others. */
export interface TreeMarks {
  readonly tags?: ReadonlyArray<Tag>
  /** Processes that were seen in the tree before. One of another user is not known. */
  readonly known?: ReadonlyArray<ProcessIdentity>
  /** Pids of other agents. */
  readonly others?: ReadonlyArray<number>
  /** Pids of agents below the root that are its own, though they may be between the root and another agent. */
  readonly own?: ReadonlyArray<number>
}

/** The processes of this host. No method relies on children of souffleur: a watched process is usually no child. */
export class Processes extends Context.Service<
  Processes,
  {
    /** This very process. */
    readonly self: ProcessIdentity
    /**
     * The machine and pid namespace of `self`. An identity from elsewhere is never provably dead. `machine` stays from
     * boot to boot and differs between machines of one name; `null`: there is none.
     */
    readonly host: {
      readonly name: string
      readonly machine: string | null
      readonly pidNamespace: string
      readonly uid: number
    }
    /** Returns the process with that pid; `None` where there is none. */
    readonly find: (pid: number) => Effect.Effect<Option.Option<ProcessInfo>>
    /** Returns the arguments of a process, the program first; empty where they cannot be read. */
    readonly commandLine: (pid: number) => Effect.Effect<ReadonlyArray<string>>
    readonly condition: (identity: ProcessIdentity) => Effect.Effect<Condition>
    /**
     * Returns once the process is gone or a zombie, at most `pollInterval` later, or sooner if the system reports the
     * end.
     */
    readonly untilOver: (identity: ProcessIdentity, pollInterval: Duration.Input) => Effect.Effect<void>
    /**
     * Returns the processor time since the start of the process, in hundredths of a second, of all threads and no
     * children; `undefined` if it is gone. Few other signs show that a process does nothing.
     */
    readonly processorTime: (identity: ProcessIdentity) => Effect.Effect<number | undefined>
    /** Returns souffleur's own ancestors, nearest first. */
    readonly ancestors: Effect.Effect<ReadonlyArray<number>>
    /** Returns the processes that have this file open and hold a lock on the whole of it (flock). */
    readonly lockers: (path: string) => Effect.Effect<ReadonlyArray<ProcessInfo>>
    /** Returns every process of this user that carries the tag, in no order. */
    readonly tagged: (tag: Tag) => Effect.Effect<ReadonlyArray<ProcessInfo>>
    /** Returns every process of this user that was started with this environment variable, in no order. */
    readonly carriers: (name: string) => Effect.Effect<ReadonlyArray<Carrier>>
    /**
     * Returns the processes that `root` started, by parent, by any of the tags, or known with the same identity. Left
     * out are `root` itself and, with their subtrees, souffleur, its ancestors, a terminal server and the other agents.
     * Left out, too, are what is between the root and another agent, and that agent's process group (spec:
     * behaviour#stop). A process below souffleur is its own launch if it carries a tag that souffleur lacks. A process
     * of another user has no tag.
     */
    readonly tree: (root: ProcessIdentity, marks: TreeMarks) => Effect.Effect<ReadonlyArray<ProcessInfo>>
    /**
     * Signals exactly that identity, checked right before. Succeeds if the process is gone. Fails with `NotPermitted`
     * if the kernel refuses.
     */
    readonly signal: (identity: ProcessIdentity, signal: Signal) => Effect.Effect<void, NotPermitted>
  }
>()("@souffleur/domain/Processes") {}

/** Waits for the next look of an interval. The looks of all watches come at the same moments: a process wakes once. */
const nextLook = (interval: Duration.Input) =>
  Effect.flatMap(Clock.currentTimeMillis, (now) => {
    const millis = Duration.toMillis(interval)
    return Effect.sleep(millis - (now % millis))
  })

/**
 * Waits for an end by polling, with a first look at once. `reported` returns when the system reports the end of the
 * process with that pid. A report is only a hint, after which the process is looked at again.
 */
export const untilSeenOver =
  (
    condition: Processes["Service"]["condition"],
    reported: (pid: number) => Effect.Effect<void> = () => Effect.never
  ): Processes["Service"]["untilOver"] =>
  (identity, pollInterval) => {
    const seen = Effect.gen(function* () {
      while (!isOver(yield* condition(identity))) yield* nextLook(pollInterval)
    })
    return Effect.raceFirst(Effect.andThen(reported(identity.pid), seen), seen)
  }
