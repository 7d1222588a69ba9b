import {
  AlreadyWatched,
  claimedIfPossible,
  Claims,
  isOver,
  load,
  Processes,
  type ProcessIdentity,
  Settings,
  startTimeout,
  type Variables,
  type Watch,
  claimsOf
} from "@souffleur/domain"
import { encodeDetachOrder } from "@souffleur/node"
import { endProcess, runProgram } from "@souffleur/process"
import { refuseOwned } from "@souffleur/supervisor"
import { Console, Effect, FileSystem, Option, Path, Schedule, Schema } from "effect"
import { agentKind } from "../agent/Kind.ts"
import { Environment } from "../world/CommandEnvironment.ts"
import { BadUsage } from "../Failure.ts"
import { printJson } from "../Printing.ts"

/** Releases the claims that this process has taken or would take, for the souffleur that it starts. */
const free = Effect.fnUntraced(function* (watch: Watch) {
  const claims = yield* Claims
  const named = watch.named === null ? [] : [watch.named]
  for (const one of [...named, ...claimsOf(watch)])
    yield* Effect.andThen(claimedIfPossible(claims.claim(one)), claims.release(one))
})

/** The variables by which a service manager knows its own process. */
const ofManager = new Set(["NOTIFY_SOCKET", "WATCHDOG_PID", "WATCHDOG_USEC"])

/** Removes the variables of an agent's session, a launch or a service, because the new process is to outlive them. */
export const withoutMarks = (variables: Variables): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(variables).filter(
      (entry): entry is [string, string] =>
        entry[1] !== undefined &&
        !agentKind.marks.has(entry[0]) &&
        !ofManager.has(entry[0]) &&
        entry[0] !== "SOUFFLEUR_LAUNCH_ID"
    )
  )

/** Returns the file of its output, which a souffleur that a guardian brought back uses too. */
const outputOf = Effect.fnUntraced(function* (id: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const { stateDir } = yield* Settings
  const folder = path.join(stateDir, "guardians")
  yield* fs.makeDirectory(folder, { recursive: true, mode: 0o700 })
  return path.join(folder, `${id}.out`)
})

/**
 * A detached souffleur ended before it owned its watch, or did not own it in time. `message` names the file that says
 * why. Exit code 1.
 */
export class NotDetached extends Schema.TaggedError<NotDetached>()("NotDetached", { message: Schema.String }) {}

/** Ends a souffleur that did not come to own its watch in time, and fails with `NotDetached`. */
const endLate = Effect.fnUntraced(function* (id: string, started: ProcessIdentity, output: string) {
  const { stopGrace } = yield* Settings
  const { pid } = started
  const end = yield* Effect.orElseSucceed(endProcess(started, stopGrace, Effect.void), () => undefined)
  const fate = end === undefined ? `does not end: end it by "kill -9 ${pid}"` : "was ended"
  return yield* new NotDetached({
    message: `pid ${pid} did not come to watch within ${startTimeout / 1000} s, and ${fate}: ${output} may say why, and "souffleur resume ${id}" tries again`
  })
})

/**
 * Starts a souffleur that goes on with this watch. It descends neither from this process nor from the agent whose tool
 * this may be. Returns once the new souffleur owns the watch. Fails here, with the usual errors, where the watch would
 * be refused. `over`: it counts as a restoration of the dead owner of that fence.
 */
export const startDetached = Effect.fn("startDetached")(function* (id: string, guardian: boolean, over?: number) {
  const { self, variables } = yield* Environment
  const processes = yield* Processes
  const before = yield* load(id)
  yield* refuseOwned(id, before)
  yield* free(before)
  const output = yield* outputOf(id)
  const line = [
    ...self,
    "watch",
    "--resume",
    id,
    "--outlive",
    String(processes.self.pid),
    "--quiet",
    ...(guardian ? ["--guardian"] : []),
    ...(over === undefined ? [] : ["--restored", `died:${over}`])
  ] as const
  const [program, ...first] = self
  const printed = yield* runProgram({
    command: program,
    args: [...first, "__detach", encodeDetachOrder({ line, cwd: before.project, output })],
    stdin: "",
    within: "30 seconds",
    atMost: 100,
    environment: withoutMarks(variables)
  }).pipe(
    Effect.catchTag(
      "ProgramFailed",
      ({ message }) => new BadUsage({ message: `no souffleur can be started: ${message}` })
    )
  )
  const pid = Number(printed)
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
  return { watch: id, pid, output }
})

/** Starts a detached souffleur and tells of it. Returns the exit code 0. Fails as {@link startDetached} does. */
export const detachWatch = Effect.fn("detachWatch")(function* (id: string, guardian: boolean, asJson: boolean) {
  const { output, pid, watch } = yield* startDetached(id, guardian)
  yield* asJson
    ? printJson({ watch, pid, output })
    : Console.log(`souffleur, pid ${pid}, watches ${watch}; it prints to ${output}`)
  return 0
})

/**
 * Waits until the process that started this one is no longer its ancestor. The first process of a container is for ever
 * the ancestor of all, and nothing outlives it.
 */
export const outlived = Effect.fn("Detaching.outlived")(function* (starter: number) {
  const { ancestors } = yield* Processes
  if (starter === 1) return
  yield* Effect.repeat(ancestors, {
    until: (found) => !found.includes(starter),
    schedule: Schedule.spaced("10 millis")
  })
})
