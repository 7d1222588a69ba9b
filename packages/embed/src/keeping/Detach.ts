import {
  AlreadyWatched,
  claimedIfPossible,
  Claims,
  claimsOf,
  isOver,
  load,
  Processes,
  type ProcessIdentity,
  Settings,
  startTimeout,
  type Watch
} from "@souffleur/domain"
import { endProcess } from "@souffleur/process"
import { refuseOwned } from "@souffleur/supervisor"
import { Effect, FileSystem, Option, Path, Schedule } from "effect"
import { type CommandLine, NotDetached } from "../world/Installation.ts"
import { Parts } from "../world/Parts.ts"

/** A watch that another process looks after. */
export interface Detached {
  /** The id of the watch. */
  readonly id: string
  /** The process that owns the watch now. */
  readonly pid: number
  /** The file of its output. A process that a guardian brought back uses it too. */
  readonly output: string
  /**
   * Why the first validation failed, in a sentence; `null`: the agent is watched. `undefined`: no verdict came within
   * 30 s, as comms is locked or the agent still begins.
   */
  readonly failure: string | null | undefined
}

/** Releases the claims that this process has taken or would take, for the process that it starts. */
const free = Effect.fnUntraced(function* (watch: Watch) {
  const claims = yield* Claims
  const named = watch.named === null ? [] : [watch.named]
  for (const one of [...named, ...claimsOf(watch)])
    yield* Effect.andThen(claimedIfPossible(claims.claim(one)), claims.release(one))
})

const outputOf = Effect.fnUntraced(function* (id: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const { stateDir } = yield* Settings
  const folder = path.join(stateDir, "guardians")
  yield* fs.makeDirectory(folder, { recursive: true, mode: 0o700 })
  return path.join(folder, `${id}.out`)
})

/** Ends a process that did not come to own its watch in time, and fails with `NotDetached`. */
const endLate = Effect.fnUntraced(function* (id: string, started: ProcessIdentity, output: string) {
  const { stopGrace } = yield* Settings
  const { pid } = started
  const end = yield* Effect.orElseSucceed(endProcess(started, stopGrace, Effect.void), () => undefined)
  const fate = end === undefined ? `does not end: end it by "kill -9 ${pid}"` : "was ended"
  return yield* new NotDetached({
    message: `pid ${pid} did not come to watch within ${startTimeout / 1000} s, and ${fate}: ${output} may say why. To try again, resume watch ${id}`
  })
})

/** The time for the first verdict: an agent that begins takes half of it. */
const verdictTimeout = "30 seconds"

/** Returns the first verdict of the validation, as {@link Detached} has it. */
const verdictOf = Effect.fnUntraced(function* (id: string, before: Watch, process: ProcessIdentity | undefined) {
  const processes = yield* Processes
  const look = Effect.gen(function* () {
    const { failures, phase } = yield* load(id)
    if (failures.length > before.failures.length) return Option.some(failures.at(-1)!.message)
    if (phase !== "Validating") return Option.some(null)
    const over = process === undefined || isOver(yield* processes.condition(process))
    return over ? Option.some("souffleur ended before it had looked") : Option.none()
  })
  const looks = Effect.repeat(look, { until: Option.isSome, schedule: Schedule.spaced("100 millis") })
  return Option.getOrUndefined(Option.flatten(yield* Effect.timeoutOption(looks, verdictTimeout)))
})

/**
 * Starts a process that resumes this watch by its own command line. The process descends neither from this one nor from
 * the agent whose tool this may be. Returns once the process owns the watch and has looked at the agent for the first
 * time. Fails here, with the usual errors, if the watch would be refused.
 */
export const startDetached = Effect.fn("startDetached")(function* (id: string, line: CommandLine) {
  const processes = yield* Processes
  const { apart } = yield* Parts
  const before = yield* load(id)
  yield* refuseOwned(id, before)
  yield* free(before)
  const output = yield* outputOf(id)
  const pid = yield* apart({ line, cwd: before.project, output })
  const started = Option.map(yield* processes.find(pid), ({ identity }) => identity)
  const look = Effect.gen(function* () {
    const now = yield* load(id)
    if (now.fence > before.fence) return Option.some(now)
    const over = Option.isNone(started) || isOver(yield* processes.condition(started.value))
    return over ? Option.some(yield* load(id)) : Option.none()
  })
  const looks = Effect.repeat(look, { until: Option.isSome, schedule: Schedule.spaced("20 millis") })
  const found = Option.flatten(yield* Effect.timeoutOption(looks, startTimeout))
  if (Option.isNone(found) && Option.isSome(started)) return yield* endLate(id, started.value, output)
  const { fence, owner } = Option.getOrElse(found, () => before)
  if (fence === before.fence)
    return yield* new NotDetached({ message: `pid ${pid} ended before it watched: ${output} says why` })
  if (owner !== undefined && owner.process.pid !== pid)
    return yield* new AlreadyWatched({
      owner,
      problem: `souffleur with pid ${owner.process.pid} on ${owner.host} took it in the same moment`
    })
  const failure = yield* verdictOf(id, before, Option.getOrUndefined(started))
  return { id, pid, output, failure } satisfies Detached
})
