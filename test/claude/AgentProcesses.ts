import * as fs from "node:fs"
import { Effect, Ref, Schedule } from "effect"

/** A process of the real agent that lives. */
export interface AgentProcess {
  readonly pid: number
  readonly argv: ReadonlyArray<string>
  /** `NAME=value` */
  readonly environment: ReadonlyArray<string>
}

const quietly = <A>(otherwise: A, look: () => A): A => {
  try {
    return look()
  } catch {
    // It ended, or is not ours to look at.
    return otherwise
  }
}
const listOf = (pid: string, file: "cmdline" | "environ"): ReadonlyArray<string> =>
  quietly([], () => fs.readFileSync(`/proc/${pid}/${file}`, "utf8").split("\0").slice(0, -1))
const pids = () => fs.readdirSync("/proc").filter((name) => /^\d+$/.test(name))
/** State and parent; a program's name may hold spaces and parentheses. */
const stat = (pid: string): readonly [state: string, parent: string] =>
  quietly(["X", "0"], () => {
    const text = fs.readFileSync(`/proc/${pid}/stat`, "utf8")
    const [state = "X", parent = "0"] = text.slice(text.lastIndexOf(")") + 2).split(" ")
    return [state, parent]
  })

const lives = (pid: number | string) => !["Z", "X"].includes(stat(String(pid))[0])

/** Returns the arguments of a process; none where it has ended. */
export const argumentsOf = (pid: number): ReadonlyArray<string> => listOf(String(pid), "cmdline")

export const alive = (pid: number) => Effect.sync(() => lives(pid))

/** Every process that lives and was started with that home folder. */
export const processesIn = (home: string) =>
  pids()
    .filter((pid) => lives(pid))
    .map((pid) => ({
      pid: Number(pid),
      parent: Number(stat(pid)[1]),
      stopped: stat(pid)[0] === "T",
      program: quietly("", () => fs.readlinkSync(`/proc/${pid}/exe`)),
      argv: listOf(pid, "cmdline"),
      environment: listOf(pid, "environ")
    }))
    .filter(({ environment }) => environment.includes(`HOME=${home}`))

/** The agent's processes of one home folder: its sessions, not what they run. */
const sessionsIn = (program: string, home: string): ReadonlyArray<AgentProcess> => {
  const found = pids()
    .filter((pid) => quietly("", () => fs.readlinkSync(`/proc/${pid}/exe`)) === program && lives(pid))
    .map((pid) => ({ pid: Number(pid), argv: listOf(pid, "cmdline"), environment: listOf(pid, "environ") }))
    .filter(({ argv, environment }) => argv.includes("--permission-mode") && environment.includes(`HOME=${home}`))
  const these = new Set(found.map(({ pid }) => pid))
  // A child that is about to become a tool looks like its parent until then.
  return found.filter(({ pid }) => !these.has(Number(stat(String(pid))[1])))
}

/** Looks at the agent's processes from outside, all the time. Keeps all of them, and the most that lived at once. */
export const sampler = Effect.fn("AgentProcesses.sampler")(function* (program: string, home: string) {
  const seen = yield* Ref.make({ most: 0, all: new Map<number, AgentProcess>() })
  const look = Ref.update(seen, (before) => {
    const { all, most } = before
    const now = sessionsIn(program, home)
    // Where one has ended meanwhile, its child has lost its parent, and not all of them lived at once.
    if (!now.every(({ pid }) => lives(pid))) return before
    return { most: Math.max(most, now.length), all: new Map([...all, ...now.map((one) => [one.pid, one] as const)]) }
  })
  yield* Effect.forkScoped(Effect.repeat(look, Schedule.spaced("60 millis")))
  return Ref.get(seen)
})

/** Ends, by its pid, each process that was started with this home folder. No other process has that folder. */
export const swept = (home: string) =>
  Effect.sync(() => {
    for (const pid of pids()) {
      if (listOf(pid, "environ").includes(`HOME=${home}`)) quietly(false, () => process.kill(Number(pid), "SIGKILL"))
    }
  })

/** Returns a process that this process started. */
export const childOf = (pid: number): Effect.Effect<number> =>
  Effect.sync(() => Number(pids().find((one) => stat(one)[1] === String(pid))))

/** Returns a process with all that it started, and what these started. */
export const treeOf = (pid: number): Effect.Effect<ReadonlyArray<number>> =>
  Effect.sync(() => {
    const all = pids()
    const below = (one: number): ReadonlyArray<number> => [
      one,
      ...all.filter((other) => stat(other)[1] === String(one)).flatMap((other) => below(Number(other)))
    ]
    return below(pid)
  })
