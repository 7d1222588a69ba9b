import { Context, type Duration, Effect, type Option, Schedule, Schema } from "effect"

/**
 * Who a process is, for as long as the machine is up and after: a pid alone is reused.
 * `startTime` is field 22 of `/proc/<pid>/stat` (clock ticks since boot), `bootId` the kernel's (spec: behaviour#stop).
 */
export const ProcessIdentity = Schema.Struct({
  pid: Schema.Int,
  startTime: Schema.Int,
  bootId: Schema.String
})
export type ProcessIdentity = typeof ProcessIdentity.Type

/** What the process with an identity is now. `gone` also means that its pid belongs to somebody else. */
export type Condition = "running" | "stopped" | "zombie" | "gone"

/** It does nothing any more: a zombie only waits for its parent. */
export const isOver = (condition: Condition | undefined): boolean => condition === "gone" || condition === "zombie"

export interface ProcessInfo {
  readonly identity: ProcessIdentity
  readonly parent: number
  readonly uid: number
  /** The kernel's name of the program, at most 15 characters. */
  readonly name: string
  readonly condition: Exclude<Condition, "gone">
}

/**
 * Marks in a process's environment by which a re-parented tool is still known to belong to a Conductor (spec:
 * behaviour#stop).
 */
export interface Tag {
  /** Every one of these variables must have this value. */
  readonly environment: Readonly<Record<string, string>>
}

export type Signal = "SIGTERM" | "SIGKILL"

/** The kernel did not let us signal: not our user's process. */
export class NotPermitted extends Schema.TaggedError<NotPermitted>()("NotPermitted", {
  pid: Schema.Int,
  signal: Schema.String
}) {
  override get message(): string {
    return `souffleur may not send ${this.signal} to process ${this.pid}`
  }
}

/** Processes of this host. Nothing here asks who is a child of ours: a watchdog's charges are strangers. */
export class Processes extends Context.Service<
  Processes,
  {
    /** This very process. */
    readonly self: ProcessIdentity
    /**
     * Where `self` can be seen from: an identity of another machine or pid namespace is never provably dead. `machine`:
     * by what it is known from boot to boot, which another one of the same name has not; `null` where it has nothing of
     * the kind.
     */
    readonly host: {
      readonly name: string
      readonly machine: string | null
      readonly pidNamespace: string
      readonly uid: number
    }
    /** `None` where there is no such process. */
    readonly find: (pid: number) => Effect.Effect<Option.Option<ProcessInfo>>
    /** The arguments it was started with, the program first; empty where they cannot be read. */
    readonly commandLine: (pid: number) => Effect.Effect<ReadonlyArray<string>>
    readonly condition: (identity: ProcessIdentity) => Effect.Effect<Condition>
    /** Comes back when it is gone or a zombie, `every` later at most. */
    readonly untilOver: (identity: ProcessIdentity, every: Duration.Input) => Effect.Effect<void>
    /**
     * What it has used of the processor since it began, in clock ticks, all its threads and none of its children: as
     * good as nothing else to see that it does nothing. `undefined` where it is gone.
     */
    readonly processorTime: (identity: ProcessIdentity) => Effect.Effect<number | undefined>
    /** Our own ancestors, nearest first. */
    readonly ancestors: Effect.Effect<ReadonlyArray<number>>
    /** Every process of our user that carries the tag, in no order. */
    readonly tagged: (tag: Tag) => Effect.Effect<ReadonlyArray<ProcessInfo>>
    /**
     * What `root` started: by parent, by any of the tags, and what is `known` to be of it and still is that very
     * process, without `root` itself and without what is protected: souffleur, its ancestors, a terminal server, an
     * agent session of `others`, each with its own subtree (spec: behaviour#stop). Below souffleur is its own launch:
     * who carries a tag there that souffleur does not. Another user's process has no tag, and is not known.
     */
    readonly tree: (
      root: ProcessIdentity,
      tags: ReadonlyArray<Tag>,
      others: ReadonlyArray<number>,
      known?: ReadonlyArray<ProcessIdentity>
    ) => Effect.Effect<ReadonlyArray<ProcessInfo>>
    /** Sent only to that identity, looked at right before; a process that is gone is success. */
    readonly signal: (identity: ProcessIdentity, signal: Signal) => Effect.Effect<void, NotPermitted>
  }
>()("@souffleur/domain/Processes") {}

/** `untilOver` where nobody tells an end: by looking, first at once. */
export const untilSeenOver =
  (condition: Processes["Service"]["condition"]): Processes["Service"]["untilOver"] =>
  (identity, every) =>
    Effect.repeat(condition(identity), { schedule: Schedule.spaced(every), until: isOver }).pipe(Effect.asVoid)
