import { Agent, isLaunchOf, isSameProcess, Processes } from "@souffleur/domain"
import { Effect, FileSystem, Option } from "effect"
import { liveSessions } from "../watching/LiveSessions.ts"
import { type Logged, livingLogged } from "./JobList.ts"

/**
 * Makes the question whether a process is an agent of these watches and runs, or was started by one. A launch that is
 * not confirmed yet is known by its mark: a window is started by its terminal.
 */
export const conductedBy = Effect.fnUntraced(function* ({ runs, watches }: Logged) {
  const processes = yield* Processes
  const launched = (yield* processes.carriers("SOUFFLEUR_LAUNCH_ID")).filter(({ value }) =>
    watches.some(({ id }) => isLaunchOf(id, value))
  )
  const conductors = [
    ...watches.flatMap(({ watch }) => watch.conductor ?? []),
    ...runs.flatMap(({ run }) => run.assignments.flatMap(({ launch }) => launch?.process ?? [])),
    ...launched.map(({ identity }) => identity)
  ]
  return Effect.fnUntraced(function* (pid: number) {
    for (let found = yield* processes.find(pid); Option.isSome(found);) {
      const { identity, parent } = found.value
      if (conductors.some((one) => isSameProcess(identity, one))) return true
      found = yield* processes.find(parent)
    }
    return false
  })
})

/** Programs that run an agent's own file, which is then their first word without a dash. */
const interpreter = /(?:^|\/)(?:node|nodejs|bun|deno|bash|sh)$/u

/** Returns whether a process is an agent by its front alone: a program may have an agent's name among its arguments. */
const runsAgent = ({ isAgent }: Pick<Agent["Service"], "isAgent">, words: ReadonlyArray<string>): boolean => {
  const [program = "", ...args] = words
  const file = interpreter.test(program) ? args.find((word) => !word.startsWith("-")) : undefined
  return isAgent(words) && (isAgent([program]) || (file !== undefined && isAgent([file])))
}

/** An agent that lives in a folder. `sessionId`: `undefined` where nothing names its session. */
export interface UnwatchedAgent {
  readonly pid: number
  readonly sessionId: string | undefined
}

/**
 * Returns the agents of this user that were started in a folder, or have a session there, and that no living watch or
 * run follows. The ancestors of this process are left out.
 */
export const unwatchedIn = Effect.fn("unwatchedIn")(function* (project: string) {
  const agent = yield* Agent
  const fs = yield* FileSystem.FileSystem
  const processes = yield* Processes
  const real = (folder: string) => Effect.orElseSucceed(fs.realPath(folder), () => folder)
  const here = yield* real(project)
  const isHere = (folder: string) => Effect.map(real(folder), (one) => one === here)
  const sessions = yield* liveSessions()
  const held = yield* Effect.filter(sessions, (one) =>
    one.unwatchable === undefined && one.project !== "" ? isHere(one.project) : Effect.succeed(false)
  )
  const started = yield* Effect.filter(yield* processes.carriers("PWD"), ({ condition, identity, value }) =>
    condition === "zombie"
      ? Effect.succeed(false)
      : Effect.flatMap(processes.commandLine(identity.pid), (words) =>
          runsAgent(agent, words) ? isHere(value) : Effect.succeed(false)
        )
  )
  const pids = new Set([...held.map(({ pid }) => pid), ...started.map(({ identity }) => identity.pid)])
  if (pids.size === 0) return []
  // The log comes last: a launch that began meanwhile has its watch there.
  const logged = yield* livingLogged
  const followed = new Set(logged.watches.flatMap(({ watch }) => watch.sessions))
  const isConducted = yield* conductedBy(logged)
  const ancestors = yield* processes.ancestors
  const sessionOf = (pid: number) => sessions.find((one) => one.pid === pid)?.sessionId
  return (yield* Effect.filter([...pids], (pid) =>
    ancestors.includes(pid) || followed.has(sessionOf(pid) ?? "")
      ? Effect.succeed(false)
      : Effect.map(isConducted(pid), (is) => !is)
  )).map((pid): UnwatchedAgent => ({ pid, sessionId: sessionOf(pid) }))
})
