import { Clock, Effect, Schedule } from "effect"
import * as fs from "node:fs"
import { dirname } from "node:path"
import { bundle } from "../cli/CliStage.ts"

/** A process of souffleur as seen from outside. Times are epoch milliseconds. */
export interface Seen {
  readonly pid: number
  readonly errand: "souffleur" | "guardian"
  readonly from: number
  /** The last moment when it was there, stopped or not. */
  readonly to: number
  readonly now: "running" | "stopped" | "gone"
}

const read = (path: string): string => {
  try {
    return fs.readFileSync(path, "utf8")
  } catch {
    // It ended meanwhile.
    return ""
  }
}

const errandOf = (home: string, pid: number): Seen["errand"] | undefined => {
  const words = read(`/proc/${pid}/cmdline`).split("\0")
  if (
    !words.some((word) => dirname(word) === dirname(bundle)) ||
    !read(`/proc/${pid}/environ`).split("\0").includes(`HOME=${home}`)
  )
    return undefined
  return words.includes("__guardian") ? "guardian" : words.includes("watch") ? "souffleur" : undefined
}

/** Reads the state of a process. R, S and D are running, T is stopped, and a zombie has ended. */
const nowOf = (pid: number): Seen["now"] => {
  const state = /\) (\S)/u.exec(read(`/proc/${pid}/stat`))?.[1] ?? "Z"
  return state === "T" ? "stopped" : "ZX".includes(state) ? "gone" : "running"
}

/**
 * Time that a new guardian and an old one may both be there, ms. The old one needs two looks to notice, and the machine
 * may be busy.
 */
const handOver = 5000

/** Finds owners that were still there when the next one had taken the watch. */
export const outlived = (
  seen: ReadonlyArray<Pick<Seen, "pid" | "to">>,
  owners: ReadonlyArray<{ readonly pid: number; readonly at: number }>
): ReadonlyArray<string> =>
  owners.slice(1).flatMap(({ at, pid }, n) => {
    const before = owners[n]!.pid
    const to = seen.find((one) => one.pid === before)?.to ?? 0
    return before !== pid && to > at
      ? [`souffleur ${before} was there until ${to}, ${pid} has owned the watch since ${at}`]
      : []
  })

/** Looks at every souffleur and guardian of a home, every 50 ms, while the scope is open. */
export const souffleursOf = Effect.fnUntraced(function* (home: string) {
  const seen = new Map<number, Seen>()
  let [two, maxTwo] = [0, 0]
  const look = Effect.map(Clock.currentTimeMillis, (at) => {
    const there = fs.readdirSync("/proc").filter((name) => /^\d+$/u.test(name))
    for (const pid of new Set([...seen.keys(), ...there.map(Number)])) {
      const before = seen.get(pid)
      if (before?.now === "gone") continue
      // Between fork and exec, a process has its parent's command line. So each look asks for it again.
      const errand = errandOf(home, pid)
      const now = errand === undefined ? "gone" : nowOf(pid)
      if (errand !== undefined && now !== "gone") seen.set(pid, { pid, errand, from: before?.from ?? at, to: at, now })
      else if (before !== undefined) seen.set(pid, { ...before, now: "gone" })
    }
    const guardians = [...seen.values()].filter(({ errand, now }) => errand === "guardian" && now === "running")
    two = guardians.length > 1 ? (two === 0 ? at : two) : 0
    maxTwo = Math.max(maxTwo, two === 0 ? 0 : at - two)
  })
  yield* look
  yield* Effect.forkScoped(Effect.repeat(look, Schedule.spaced("50 millis")))
  const all = () => [...seen.values()]
  return {
    all,
    there: (errand?: Seen["errand"]) =>
      all().filter((one) => one.now !== "gone" && (errand === undefined || one.errand === errand)),
    /** Souffleurs, or guardians, that acted at once. */
    rivals: (owners: ReadonlyArray<{ readonly pid: number; readonly at: number }>): ReadonlyArray<string> => [
      ...outlived(all(), owners),
      ...(maxTwo > handOver ? [`two guardians for ${maxTwo} ms`] : [])
    ]
  }
})
