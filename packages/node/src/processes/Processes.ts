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
import { Effect, Layer, Option, Runtime, Schema } from "effect"
import { StatCache } from "../files/StatCache.ts"
import * as ChildEnds from "./ChildEnds.ts"
import { lockersOf } from "./Locks.ts"
import { machineIdentity } from "./Machine.ts"
import * as Proc from "./Proc.ts"
import { startedBy } from "./ProcessTree.ts"
import { carriersOf, stillThose } from "./Tags.ts"
import { isTerminal } from "./TerminalServer.ts"

/** The processes of this machine cannot be seen. Linux is built; macOS is not yet. */
export class ProcessesUnavailable extends Schema.TaggedError<ProcessesUnavailable>()("ProcessesUnavailable", {
  platform: Schema.String,
  message: Schema.String
}) {
  override readonly [Runtime.errorExitCode] = 2
}

/** Descriptors that the cache keeps: enough for 10,000 watched sessions, and at most half of those that may be open. */
const maxKeptFiles = (): number => Math.min(16_384, Math.floor(Proc.openFilesLimit() / 2))

/**
 * Files that souffleur needs at least. An idle watch has some thirty open. A recovery reads the whole of `/proc` and
 * starts programs.
 */
const minOpenFiles = 64

const make = Effect.gen(function* () {
  const files = Proc.openFilesLimit()
  if (files < minOpenFiles) {
    const message = `only ${files} files may be open at once, and ${minOpenFiles} are needed: raise it (ulimit -n 1024)`
    return yield* new ProcessesUnavailable({ platform: process.platform, message })
  }
  const bootId = Proc.bootId()
  const identify = (stat: Proc.Stat): ProcessIdentity => ({ pid: stat.pid, startTime: stat.startTime, bootId })
  const own = Proc.stat(process.pid)
  if (own === undefined) return yield* Effect.die(new Error("/proc does not show this process"))
  const self = identify(own)
  const uid = process.getuid?.() ?? 0
  const kept = yield* Effect.acquireRelease(
    Effect.sync(() => new StatCache(maxKeptFiles())),
    (kept) => Effect.sync(() => kept.close())
  )

  /** Describes a process. `undefined`: it ended meanwhile. */
  const inform = (stat: Proc.Stat): ProcessInfo | undefined => {
    const uid = Proc.uid(stat.pid)
    if (uid === undefined) return undefined
    return { identity: identify(stat), parent: stat.parent, uid, name: stat.name, condition: Proc.conditionOf(stat) }
  }
  const informAll = (stats: Iterable<Proc.Stat>) => Array.from(stats, inform).filter((info) => info !== undefined)

  const ancestors = Effect.sync(() => {
    const found: Array<number> = []
    for (let at = Proc.stat(self.pid); at !== undefined && at.parent > 0; at = Proc.stat(at.parent))
      found.push(at.parent)
    return found
  })

  const lockers = (path: string) => Effect.sync(() => informAll(lockersOf(path).flatMap((pid) => Proc.stat(pid) ?? [])))

  const tagged = Effect.fn("Processes.tagged")((tag: Tag) =>
    Effect.sync(() => {
      const table = Proc.table()
      const carriers = carriersOf(table.keys(), [tag], uid)
      return informAll([...table.values()].filter(({ pid }) => carriers.has(pid)))
    })
  )

  const tree: Processes["Service"]["tree"] = Effect.fn("Processes.tree")((root, tags, others, known = []) =>
    Effect.sync(() => {
      const table = Proc.table()
      const seen = new Set(stillThose(table, known, { bootId, ours: uid }))
      const marked = carriersOf(table.keys(), tags, uid)
      const notOurOwn = tags.filter((tag) => !Proc.carries(self.pid, [tag.environment]))
      const launched = notOurOwn.length === tags.length ? marked : carriersOf(marked, notOurOwn, uid)
      const started = startedBy(table, {
        // A root of an earlier boot is no process's parent.
        root: root.bootId === bootId ? root : { ...root, pid: 0 },
        self: self.pid,
        others: new Set(others),
        tagged: (pid) => marked.has(pid) || seen.has(pid),
        launched: (pid) => launched.has(pid),
        terminal: isTerminal(uid)
      })
      return informAll(started).filter((info) => info.condition !== "zombie")
    })
  )

  const signal = Effect.fn("Processes.signal")(function* (identity: ProcessIdentity, signal: Signal) {
    if (identity.pid <= 1 || identity.pid === self.pid) return yield* new NotPermitted({ pid: identity.pid, signal })
    if (identity.bootId !== bootId) return
    yield* Effect.suspend(() => {
      if (Proc.stat(identity.pid)?.startTime !== identity.startTime) return Effect.void
      try {
        process.kill(identity.pid, signal)
        return Effect.void
      } catch (error) {
        if (Proc.meansGone(error)) return Effect.void
        return Proc.hasCode(error, "EPERM")
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
      return stat === undefined ? ("gone" as const) : Proc.conditionOf(stat)
    })

  return Processes.of({
    self,
    host: { name: os.hostname(), machine: machineIdentity(), pidNamespace: Proc.pidNamespace(), uid },
    // These run many thousand times a second: a span would cost more than the answer.
    find: (pid) =>
      Effect.sync(() => {
        const stat = pid > 0 ? Proc.stat(pid) : undefined
        return Option.fromUndefinedOr(stat && inform(stat))
      }),
    commandLine: (pid) => Effect.sync(() => Proc.commandLine(pid)),
    condition,
    untilOver: untilSeenOver(condition, ChildEnds.reported),
    processorTime: (identity) => Effect.sync(() => keptOf(identity)?.processor),
    ancestors,
    lockers,
    tagged,
    tree,
    signal
  })
})

/**
 * {@link Processes} of a platform, which has Node's name. Fails with `ProcessesUnavailable` on any other than Linux.
 */
export const layerOn = (platform: string): Layer.Layer<Processes, ProcessesUnavailable> =>
  Layer.effect(
    Processes,
    platform === "linux"
      ? make
      : Effect.fail(
          new ProcessesUnavailable({ platform, message: "only Linux is built so far: processes are read from /proc" })
        )
  )

/**
 * {@link Processes} of this machine, read from `/proc`.
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
