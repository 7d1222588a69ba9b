import {
  type Condition,
  isOver,
  NotPermitted,
  Processes,
  type ProcessIdentity,
  type ProcessInfo,
  type Signal,
  type Tag
} from "@souffleur/domain"
import { startedBy } from "@souffleur/process"
import { Clock, Duration, Effect, Layer, Option } from "effect"
import { secondsOf } from "./FakeTime.ts"

/** Returns the identity of a pid on the fake machine, with 99 as the usual start time. */
export const identityOf = (pid: number, startTime = 99): ProcessIdentity => ({ pid, startTime, bootId: "boot" })

/** A process of the fake machine. */
export interface FakeProcess {
  readonly pid: number
  /** The pid of the parent, 1 by default. */
  readonly parent?: number
  /** The process group, by default one of its own. */
  readonly group?: number
  /** The start time, 99 by default, as of {@link identityOf}. */
  readonly startTime?: number
  /** The user id, 1000 by default: the user of souffleur. */
  readonly uid?: number
  readonly name?: string
  readonly environment?: Readonly<Record<string, string>>
  readonly condition?: Condition
  /** True if it has a terminal, `false` by default. */
  readonly hasTerminal?: boolean
  /** When it began, epoch ms; by default it is not known. */
  readonly startedAt?: number
  /** Its command line. */
  readonly words?: ReadonlyArray<string>
  /** Reads the processor ticks that it has used; `undefined`: they cannot be read. */
  readonly processor?: () => number | undefined
  /** How it takes a signal: it ends at once (the default) or after some ms, stays, or may not be signalled. */
  readonly on?: { readonly [S in Signal]?: "ends" | "zombie" | "stays" | "not permitted" | number }
  /** True if itself and its subtree are protected, as souffleur, its ancestors and a terminal server are. */
  readonly protected?: boolean
  /** When it ends by itself, epoch ms. */
  readonly endsAt?: number
  /** Reports its end, as the system does for a child of souffleur; by default no end is reported. */
  readonly reported?: Effect.Effect<void>
}
interface Entry extends FakeProcess {
  condition: Condition
  endsAt?: number
}

const parentOf = ({ parent = 1 }: FakeProcess) => parent
const carries = ({ environment: own }: FakeProcess, { environment }: Tag) =>
  Object.entries(environment).every(([key, value]) => own?.[key] === value)

/** A machine in memory whose processes a test begins and ends. */
export class FakeProcesses {
  readonly table = new Map<number, Entry>()
  readonly self = identityOf(10)
  /** The ancestors of souffleur itself, nearest first. */
  ancestors: ReadonlyArray<number> = []
  /** Reads the command line of a process that has no `words`. */
  wordsOf: (pid: number) => ReadonlyArray<string> = () => []
  /** The times at which a condition was read, in seconds. */
  readonly probes: Array<number> = []
  /** The questions for trees: the root, its tags, the pids that are left out, and those that were known. */
  readonly trees: Array<{
    readonly root: number
    readonly tags: ReadonlyArray<Tag>
    readonly others: ReadonlyArray<number>
    readonly known: ReadonlyArray<number>
  }> = []
  /** Runs while a tree is read, which is right before a first signal. */
  onTree: () => void = () => {}
  /** Runs after each signal. */
  onSignal: (pid: number) => void = () => {}
  /** Returns whether a pid may be signalled. Any other signal is a defect of the code under test. */
  maySignal: (pid: number) => boolean = () => true

  /** The acts of the fakes of one world, in order. */
  readonly did: Array<string>
  constructor(did: Array<string> = []) {
    this.did = did
    this.run({ pid: this.self.pid, name: "souffleur" })
  }

  /** Begins processes, or replaces those with the same pids. */
  run(...processes: ReadonlyArray<FakeProcess>): this {
    for (const process of processes) this.table.set(process.pid, { condition: "running", ...process })
    this.#changed()
    return this
  }
  /** Ends a process that was run. */
  end(pid: number) {
    this.become(pid, "gone")
  }
  /** Changes the condition of a process that was run. */
  become(pid: number, condition: Condition) {
    this.table.get(pid)!.condition = condition
    this.#changed()
  }
  /** The pids of running processes besides souffleur itself. */
  get alive(): ReadonlyArray<number> {
    return [...this.table.values()]
      .filter(({ condition, pid }) => condition === "running" && pid !== this.self.pid)
      .map(({ pid }) => pid)
  }
  /** Each signal that was sent, such as `SIGTERM 4711`. */
  get signals(): ReadonlyArray<string> {
    return this.did.filter((what) => what.startsWith("SIG"))
  }
  /** Returns whether that very process exists, be it as a zombie. */
  has({ pid, startTime }: ProcessIdentity): boolean {
    const found = this.table.get(pid)
    return (
      found !== undefined && found.condition !== "gone" && (found.startTime ?? identityOf(pid).startTime) === startTime
    )
  }

  readonly #presentBy = (clock: Clock.Clock) => {
    const now = clock.currentTimeMillisUnsafe()
    for (const entry of this.table.values())
      if (entry.endsAt !== undefined && entry.endsAt <= now) entry.condition = "gone"
    return [...this.table.values()].filter(({ condition }) => condition !== "gone")
  }
  readonly #present = Effect.map(Clock.Clock, this.#presentBy)
  readonly #infoOf = ({
    condition,
    hasTerminal = false,
    name = "agent",
    parent = 1,
    pid,
    processor,
    startTime,
    startedAt,
    uid = 1000
  }: Entry): ProcessInfo => ({
    identity: identityOf(pid, startTime),
    parent,
    uid,
    name,
    condition: condition as ProcessInfo["condition"],
    hasTerminal,
    ...(processor === undefined ? {} : { processor: processor() ?? 0 }),
    ...(startedAt === undefined ? {} : { startedAt })
  })
  readonly #find = (pid: number) => Effect.map(this.#present, (all) => all.find((entry) => entry.pid === pid))
  readonly #condition = (identity: ProcessIdentity) =>
    Effect.map(Clock.Clock, (clock) => {
      this.probes.push(secondsOf(clock))
      this.#presentBy(clock)
      return this.has(identity) ? this.table.get(identity.pid)!.condition : ("gone" as const)
    })

  #awaiting = new Set<() => void>()
  /** Returns once a process has begun, ended or been signalled. */
  readonly changes = Effect.callback<void>((resume) => {
    const tell = () => resume(Effect.void)
    this.#awaiting.add(tell)
    return Effect.sync(() => this.#awaiting.delete(tell))
  })
  #changed() {
    const told = this.#awaiting
    this.#awaiting = new Set()
    for (const tell of told) tell()
  }
  /** Looks at a process when it would be looked at next, once something has changed: no look before would see it. */
  readonly #seenOver = Effect.fnUntraced(
    { self: this as FakeProcesses },
    function* (identity: ProcessIdentity, every: number) {
      const since = yield* Clock.currentTimeMillis
      while (!isOver(yield* this.#condition(identity))) {
        if (this.table.get(identity.pid)?.endsAt === undefined) yield* this.changes
        yield* Effect.sleep(every - (((yield* Clock.currentTimeMillis) - since) % every))
      }
    }
  )

  /** The port. */
  readonly service = Processes.of({
    self: this.self,
    host: { name: "here", machine: "m", pidNamespace: "pid:[1]", uid: 1000 },
    find: (pid) => Effect.map(this.#find(pid), (entry) => Option.map(Option.fromUndefinedOr(entry), this.#infoOf)),
    commandLine: (pid) => Effect.map(this.#find(pid), (entry) => entry?.words ?? this.wordsOf(pid)),
    processorTime: ({ pid }) => Effect.map(this.#find(pid), (entry) => entry?.processor?.()),
    condition: this.#condition,
    untilOver: (identity, pollInterval) => {
      const seen = this.#seenOver(identity, Duration.toMillis(pollInterval))
      const reported = Effect.suspend(() => this.table.get(identity.pid)?.reported ?? Effect.never)
      return Effect.raceFirst(Effect.andThen(reported, seen), seen)
    },
    ancestors: Effect.sync(() => this.ancestors),
    lockers: () => Effect.succeed([]),
    tagged: (tag) => Effect.map(this.#present, (all) => all.filter((entry) => carries(entry, tag)).map(this.#infoOf)),
    carriers: (name) =>
      Effect.map(this.#present, (all) =>
        all.flatMap((entry) => {
          const value = entry.environment?.[name]
          return value === undefined ? [] : [{ ...this.#infoOf(entry), value }]
        })
      ),
    tree: (root, { known = [], others = [], own = [], tags = [] }) =>
      Effect.map(this.#present, (all) => {
        this.trees.push({ root: root.pid, tags, others, known: known.map(({ pid }) => pid) })
        this.onTree()
        const table = new Map(
          all.map((entry) => {
            const { group = entry.pid, pid, startTime = identityOf(pid).startTime } = entry
            return [pid, { entry, pid, parent: parentOf(entry), group, startTime }]
          })
        )
        const bears = (pid: number, some: ReadonlyArray<Tag>) => some.some((tag) => carries(table.get(pid)!.entry, tag))
        const foreign = tags.filter((tag) => !bears(this.self.pid, [tag]))
        return startedBy(table, {
          root,
          self: this.self.pid,
          others: new Set(others),
          own: new Set(own),
          tagged: (pid) => bears(pid, tags) || known.some((one) => one.pid === pid && this.has(one)),
          launched: (pid) => bears(pid, foreign),
          terminal: ({ entry }) => entry.protected === true
        }).map(({ entry }) => this.#infoOf(entry))
      }),
    signal: Effect.fnUntraced({ self: this as FakeProcesses }, function* (identity: ProcessIdentity, signal: Signal) {
      const { pid } = identity
      if (!this.maySignal(pid)) return yield* Effect.die(`no signal is to be sent to ${pid}`)
      const entry = yield* this.#find(pid)
      if (entry === undefined || !this.has(identity)) return
      const how = entry.on?.[signal] ?? "ends"
      if (how === "not permitted") return yield* new NotPermitted({ pid, signal })
      this.did.push(`${signal} ${pid}`)
      if (how === "ends") entry.condition = "gone"
      if (how === "zombie") entry.condition = "zombie"
      if (typeof how === "number") entry.endsAt = (yield* Clock.currentTimeMillis) + how
      this.#changed()
      this.onSignal(pid)
    })
  })
  readonly layer = Layer.succeed(Processes, this.service)
}
