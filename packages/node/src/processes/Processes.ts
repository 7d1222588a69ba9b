import * as os from "node:os"
import {
  NotPermitted,
  type ProcessIdentity,
  type ProcessInfo,
  Processes,
  type Signal,
  type Tag,
  untilSeenOver
} from "@souffleur/domain"
import { startedBy } from "@souffleur/process"
import { Effect, Layer, Option, Runtime, Schema } from "effect"
import { hasCode, meansGone } from "../files/SystemError.ts"
import * as ChildEnds from "./ChildEnds.ts"
import { sourceOn } from "./HostSource.ts"
import { conditionOf, type ProcessSource, type Stat } from "./ProcessSource.ts"
import { makeSharedLook } from "./SharedLook.ts"
import { carriersOf, stillThose } from "./Tags.ts"
import { isTerminal } from "./TerminalServer.ts"

/** The processes of this machine cannot be seen: its platform is not built, or too few files may be open. */
export class ProcessesUnavailable extends Schema.TaggedError<ProcessesUnavailable>()("ProcessesUnavailable", {
  platform: Schema.String,
  message: Schema.String
}) {
  override readonly [Runtime.errorExitCode] = 2
}

/** Descriptors that the cache keeps: enough for 10,000 watched sessions, and at most half of those that may be open. */
const maxKeptFiles = (limit: number): number => Math.min(16_384, Math.floor(limit / 2))

/**
 * Files that souffleur needs at least. An idle watch has some thirty open. A recovery reads the whole of `/proc` and
 * starts programs.
 */
const minOpenFiles = 64

const make = Effect.fnUntraced(function* (source: ProcessSource) {
  const files = source.openFilesLimit()
  if (files < minOpenFiles) {
    const message = `only ${files} files may be open at once, and ${minOpenFiles} are needed: raise it (ulimit -n 1024)`
    return yield* new ProcessesUnavailable({ platform: process.platform, message })
  }
  const bootId = source.bootId()
  const identify = (stat: Stat): ProcessIdentity => ({ pid: stat.pid, startTime: stat.startTime, bootId })
  const own = source.stat(process.pid)
  if (own === undefined) return yield* Effect.die(new Error("the system does not show this process"))
  const self = identify(own)
  const uid = process.getuid?.() ?? 0
  const kept = yield* Effect.acquireRelease(
    Effect.sync(() => source.reader(maxKeptFiles(files))),
    (kept) => Effect.sync(() => kept.close())
  )

  /** Describes a process. `undefined`: it ended meanwhile. */
  const inform = (stat: Stat): ProcessInfo | undefined => {
    const uid = source.uid(stat)
    if (uid === undefined) return undefined
    const { hasTerminal = false, name, ofChildren = 0, parent } = stat
    const processor = stat.processor + ofChildren
    const startedAt = Math.round(performance.timeOrigin + (stat.startTime - own.startTime) * source.tickMillis)
    return {
      identity: identify(stat),
      parent,
      uid,
      name,
      condition: conditionOf(stat),
      hasTerminal,
      processor,
      startedAt
    }
  }
  const informAll = (stats: Iterable<Stat>) => Array.from(stats, inform).filter((info) => info !== undefined)

  const ancestors = Effect.sync(() => {
    const found: Array<number> = []
    for (let at = source.stat(self.pid); at !== undefined && at.parent > 0; at = source.stat(at.parent))
      found.push(at.parent)
    return found
  })

  const lockers = (path: string) =>
    Effect.sync(() => informAll(source.lockers(path).flatMap((pid) => source.stat(pid) ?? [])))

  const looked = makeSharedLook(source)

  const tagged = Effect.fn("Processes.tagged")((tag: Tag) =>
    Effect.map(looked, ({ carries, table }) => {
      const carriers = carriersOf(table.values(), [tag], uid, { carries, uid: source.uid })
      return informAll([...table.values()].filter(({ pid }) => carriers.has(pid)))
    })
  )

  const carriers = Effect.fn("Processes.carriers")((name: string) =>
    Effect.map(looked, ({ table }) => {
      const valueOf = source.variable(name)
      return [...table.values()].flatMap((stat) => {
        const value = valueOf(stat.pid)
        const info = value === undefined ? undefined : inform(stat)
        return value === undefined || info?.uid !== uid ? [] : [{ ...info, value }]
      })
    })
  )

  const tree: Processes["Service"]["tree"] = Effect.fn("Processes.tree")(
    (root, { known = [], others = [], own = [], tags = [] }) =>
      Effect.map(looked, ({ carries, table }) => {
        const carriers = (tags: ReadonlyArray<Tag>) =>
          carriersOf(table.values(), tags, uid, { carries, uid: source.uid })
        const seen = new Set(stillThose(table, known, { bootId, ours: uid }, source.uid))
        const marked = carriers(tags)
        const notOurOwn = tags.filter((tag) => !carries(self.pid, [tag.environment]))
        const launched = notOurOwn.length === tags.length ? marked : carriers(notOurOwn)
        const started = startedBy(table, {
          // A root of an earlier boot is no process's parent.
          root: root.bootId === bootId ? root : { ...root, pid: 0 },
          self: self.pid,
          others: new Set(others),
          own: new Set(own),
          tagged: (pid) => marked.has(pid) || seen.has(pid),
          launched: (pid) => launched.has(pid),
          terminal: isTerminal(uid, source.executable)
        })
        return informAll(started).filter((info) => info.condition !== "zombie")
      })
  )

  const signal = Effect.fn("Processes.signal")(function* (identity: ProcessIdentity, signal: Signal) {
    if (identity.pid <= 1 || identity.pid === self.pid) return yield* new NotPermitted({ pid: identity.pid, signal })
    if (identity.bootId !== bootId) return
    yield* Effect.suspend(() => {
      if (source.stat(identity.pid)?.startTime !== identity.startTime) return Effect.void
      try {
        process.kill(identity.pid, signal)
        return Effect.void
      } catch (error) {
        if (meansGone(error)) return Effect.void
        return hasCode(error, "EPERM")
          ? Effect.fail(new NotPermitted({ pid: identity.pid, signal }))
          : Effect.die(error)
      }
    })
  })

  /** Reads a stat from its open descriptor. A process of an earlier boot has none. */
  const keptOf = (identity: ProcessIdentity) =>
    identity.bootId === bootId && identity.pid > 0 ? kept.read(identity) : undefined

  const condition = (identity: ProcessIdentity) =>
    Effect.sync(() => {
      const stat = keptOf(identity)
      return stat === undefined ? ("gone" as const) : conditionOf(stat)
    })

  let machine: string | null | undefined

  return Processes.of({
    self,
    host: {
      name: os.hostname(),
      // Only a claim needs it. Its hash loads a part of Node for half of bare Node's start.
      get machine() {
        return machine === undefined ? (machine = source.machine()) : machine
      },
      pidNamespace: source.pidNamespace(),
      uid
    },
    // These run many thousand times a second: a span would cost more than the answer.
    find: (pid) =>
      Effect.sync(() => {
        const stat = pid > 0 ? source.stat(pid) : undefined
        return Option.fromUndefinedOr(stat && inform(stat))
      }),
    commandLine: (pid) => Effect.sync(() => source.commandLine(pid)),
    condition,
    untilOver: untilSeenOver(condition, ChildEnds.reported),
    processorTime: (identity) => Effect.sync(() => keptOf(identity)?.processor),
    ancestors,
    lockers,
    tagged,
    carriers,
    tree,
    signal
  })
})

/** {@link Processes} as a source shows them. Fails with `ProcessesUnavailable` where too few files may be open. */
export const layerOf = (source: ProcessSource): Layer.Layer<Processes, ProcessesUnavailable> =>
  Layer.effect(Processes, make(source))

/**
 * {@link Processes} of a platform, which has Node's name: by `/proc` on Linux, by `ps` on macOS. Fails with
 * `ProcessesUnavailable` on any other.
 */
export const layerOn = (platform: string): Layer.Layer<Processes, ProcessesUnavailable> => {
  const source = sourceOn(platform)
  const message = `souffleur sees the processes of Linux and macOS, and not those of ${platform}`
  return source === undefined
    ? Layer.effect(Processes, Effect.fail(new ProcessesUnavailable({ platform, message })))
    : layerOf(source)
}

/**
 * {@link Processes} of this machine.
 *
 * @example
 * ```ts
 * import { Processes as ProcessesPort } from "@souffleur/domain"
 * import { Processes } from "@souffleur/node"
 * import { Effect, Option } from "effect"
 *
 * // A pid may be reused. Its start time and the boot of the machine make it one process.
 * const parent = ProcessesPort.use(({ find }) => find(process.ppid)).pipe(
 *   Effect.map(Option.map(({ identity }) => identity)),
 *   Effect.provide(Processes.layer)
 * )
 * ```
 */
export const layer: Layer.Layer<Processes, ProcessesUnavailable> = layerOn(process.platform)
