import {
  Agent,
  heldByLiving,
  holdingOf,
  namesSession,
  Processes,
  type ProcessIdentity,
  Settings,
  untraced
} from "@souffleur/domain"
import { endProcess } from "@souffleur/process"
import { Effect, Option } from "effect"
import { successorPoll, successorTimeout } from "../RecoverySchedule.ts"

/** What tells a successor that the user's program launched. */
interface Sought {
  readonly sessionId: string
  /** The program has it in its environment, and so has what it starts. */
  readonly launchId: string
  /** The process that the program named. */
  readonly pid?: number | undefined
}

const tagOf = (launchId: string) => ({ environment: { SOUFFLEUR_LAUNCH_ID: launchId } })

/** Lists the processes of a launch, the oldest first: a launcher comes before the agent behind it. */
const taggedBy = Effect.fnUntraced(function* (launchId: string) {
  const tagged = yield* (yield* Processes).tagged(tagOf(launchId))
  return tagged.toSorted((one, other) => one.identity.startTime - other.identity.startTime)
})

/**
 * Finds a living agent of this user that holds the session, or is about to: it carries the launch, or its command line
 * names the session. The pid that the program named is no more than a hint. `undefined`: there is none.
 */
const findSuccessor = Effect.fnUntraced(function* ({ launchId, pid, sessionId }: Sought) {
  const agent = yield* Agent
  const processes = yield* Processes
  const own = new Set([processes.self.pid, ...(yield* processes.ancestors)])
  const tagged = (yield* taggedBy(launchId)).map(({ identity }) => identity.pid)
  const holders = [...(yield* heldByLiving()), ...(yield* agent.sessions)]
    .filter((held) => held.sessionId === sessionId)
    .map((held) => held.pid)
  for (const one of new Set([...holders, ...(pid === undefined ? [] : [pid]), ...tagged])) {
    const found = own.has(one) ? undefined : Option.getOrUndefined(yield* processes.find(one))
    if (found === undefined || found.condition === "zombie" || found.uid !== processes.host.uid) continue
    const words = yield* processes.commandLine(one)
    // A session that only compacts is no Conductor.
    if (!agent.isAgent(words) || words.at(-1) === agent.compactPrompt) continue
    const { _tag: holding } = yield* holdingOf(found.identity, sessionId)
    const isMeant = tagged.includes(one) || namesSession(words, sessionId)
    if (holding === "Holds" || (holding === "Unknown" && isMeant)) return { conductor: found.identity, words }
  }
  return undefined
})

/** Looks for the successor, which may need a moment until it can be told. `undefined`: there is none. */
export const awaitSuccessor = Effect.fn("Recovery.awaitSuccessor")(function* (sought: Sought) {
  const found = yield* Effect.repeat(untraced(findSuccessor(sought)), {
    until: (found) => found !== undefined,
    schedule: successorPoll
  }).pipe(Effect.timeoutOption(successorTimeout))
  return Option.getOrUndefined(found)
})

/** No real process: only the tag finds the others. */
const noProcess: ProcessIdentity = { pid: 0, startTime: 0, bootId: "" }

/** Lists what runs of a launch besides agents: the program, and what it started. */
const leftOf = Effect.fnUntraced(function* (launchId: string) {
  const agent = yield* Agent
  const processes = yield* Processes
  const [own, others]: [Array<number>, Array<number>] = [[], []]
  for (const { identity } of yield* taggedBy(launchId))
    (agent.isAgent(yield* processes.commandLine(identity.pid)) ? others : own).push(identity.pid)
  // The program itself counts, though it may be what an agent runs in.
  return yield* processes.tree(noProcess, { tags: [tagOf(launchId)], others, own })
})

/**
 * Lets a program that outlived its souffleur end, or launch. After the time of one compaction it is ended, under
 * `granted`.
 */
export const outwaitProgram = Effect.fn("Recovery.outwaitProgram")(function* <E, R>(
  sought: Sought,
  granted: Effect.Effect<void, E, R>
) {
  const { compactTimeout, stopGrace } = yield* Settings
  const isOver = Effect.gen(function* () {
    return (yield* findSuccessor(sought)) !== undefined || (yield* leftOf(sought.launchId)).length === 0
  })
  const over = yield* Effect.repeat(untraced(isOver), { until: (over) => over, schedule: successorPoll }).pipe(
    Effect.timeoutOption(compactTimeout)
  )
  if (Option.isSome(over)) return
  for (const { identity } of yield* leftOf(sought.launchId))
    yield* Effect.catchTag(endProcess(identity, stopGrace, granted), "StopFailed", () => Effect.void)
})

/** Finds a living agent that an earlier launch of the user's program left, whatever session it holds. */
export const agentLeftBy = Effect.fn("Recovery.agentLeftBy")(function* (launchId: string) {
  const agent = yield* Agent
  const processes = yield* Processes
  for (const { identity } of yield* taggedBy(launchId))
    if (agent.isAgent(yield* processes.commandLine(identity.pid))) return identity
  return undefined
})
