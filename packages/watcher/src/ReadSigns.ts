import {
  Agent,
  type Event,
  Hooks,
  ownTurn,
  Processes,
  type Signs,
  type TurnState,
  usedByTool,
  type Watch,
  type WatchRef
} from "@souffleur/domain"
import { agentBeats, Beats } from "@souffleur/eventlog"
import { Clock, Effect, Option } from "effect"
import { agentsBehind } from "./AgentBehind.ts"

/** An agent whose signs are read. A watch is one. */
export type ObservedAgent = Pick<Watch, "conductor" | "print" | "sessionId" | "sessions">

/**
 * Lists the live processes that an agent started, by parent and by the tags of its tools. The agent behind a launcher
 * is none of them.
 */
const childrenOf = Effect.fnUntraced(function* ({ conductor, sessions }: ObservedAgent) {
  const agent = yield* Agent
  const processes = yield* Processes
  if (conductor === undefined) return undefined
  const tags = sessions.flatMap((sessionId) => agent.tags({ pid: conductor.pid, sessionId }))
  const tree = yield* processes.tree(conductor, { tags })
  const behind = yield* agentsBehind(conductor, Effect.succeed(tree))
  return tree.filter((one) => one.condition !== "zombie" && !behind.includes(one))
})

/**
 * Counts the live processes of an agent's tools after its turn. Without tags of tools, each process that it started may
 * be one.
 */
const leftOf = Effect.fnUntraced(function* (observed: ObservedAgent) {
  const agent = yield* Agent
  const processes = yield* Processes
  const { conductor, sessions } = observed
  if (conductor === undefined) return undefined
  const tags = sessions.flatMap((sessionId) => agent.tags({ pid: conductor.pid, sessionId }))
  const found = tags.length === 0 ? yield* childrenOf(observed) : (yield* Effect.forEach(tags, processes.tagged)).flat()
  return found?.filter(({ condition }) => condition !== "zombie").length
})

/**
 * Reads the signs that the agent's program and its processes give, each from its own source (spec: behaviour#signs).
 * `output`: the file of the output of its launch. `turnNow` says which turn a record of its session means. With the
 * signs come the processes of a tool that runs.
 */
export const readAgentSigns = Effect.fn("readAgentSigns")(function* (
  observed: ObservedAgent,
  output: string | undefined,
  turnNow: (turn: TurnState | undefined) => TurnState | undefined
) {
  const agent = yield* Agent
  const { conductor, print, sessionId } = observed
  const read = Option.getOrUndefined(yield* agent.signs(sessionId, output))
  const turn = turnNow(read?.turn)
  const tree = turn?._tag === "Tool" ? yield* childrenOf(observed) : undefined
  const file = (yield* agent.sessions).find(({ pid }) => pid === conductor?.pid)
  const waits = turn?._tag === "Finished" && (print || file?.status === "busy")
  const signs = {
    left: waits ? yield* leftOf(observed) : undefined,
    session: read && { ...read, turn },
    children: turn?._tag === "Tool" && turn.spawns ? tree?.length : undefined,
    pidFile:
      file === undefined ? undefined : { status: file.status, waitingFor: file.waitingFor, writtenAt: file.writtenAt }
  }
  return { signs, tree }
})

/** Reads every sign of the Conductor besides comms (spec: behaviour#signs). `output`: as for its agent's signs. */
export const readSigns = Effect.fnUntraced(function* (
  { id }: WatchRef,
  watch: Watch,
  output: string | undefined,
  known: Pick<Signs, "process" | "turnEnded">
) {
  const beats = yield* Beats
  const hooks = yield* Hooks
  // A tool of the process before ended with it. The launch has asked the model since.
  const { signs: read, tree } = yield* readAgentSigns(watch, output, (turn) =>
    turn?._tag === "Tool" && watch.preparedAt !== 0 && ownTurn(watch, turn) === undefined
      ? { _tag: "Asked", at: turn.at }
      : turn
  )
  const signs = {
    ...known,
    ...read,
    hook: Option.getOrUndefined(yield* hooks.last(watch.sessionId)),
    beat: Option.getOrUndefined(yield* beats.last(agentBeats(id)))?.at
  }
  // The time is read last, so that no sign is from the future unless a clock was set.
  const now = yield* Clock.currentTimeMillis
  return { signs: { ...signs, now } satisfies Omit<Signs, "since" | "stillSince" | "restsSince" | "workedAt">, tree }
})

const sayingOf = (turn: TurnState | undefined): string => {
  switch (turn?._tag) {
    case "Finished":
      return "its last turn is finished"
    case "Asked":
      return "the model was asked"
    case "Tool":
      return `a tool runs: ${turn.name}`
    case "Question":
      return "a person was asked"
    case "Retrying":
      return `the service failed, and try ${turn.attempt} of ${turn.attempts} comes next`
    case "Failed":
      return `its last turn failed: ${turn.reason}`
    case undefined:
      return "nothing about its turn"
  }
}

type LoggedSign = Event.Evidence["signs"][number]

/**
 * Returns the signs for the log: the word of each source and its age in ms. It never returns a word of the
 * conversation.
 */
export const signsToLog = ({
  beat,
  hook,
  now,
  pidFile,
  session,
  stillSince,
  restsSince,
  workedAt
}: Signs): ReadonlyArray<LoggedSign> => {
  const sign = (source: LoggedSign["source"], says: string, at: number): LoggedSign => ({
    source,
    says,
    age: Math.round(now - at)
  })
  return [
    ...(session === undefined
      ? []
      : [sign("session file", sayingOf(session.turn), session.turn?.at ?? session.writtenAt)]),
    ...(pidFile === undefined ? [] : [sign("pid file", pidFile.status, pidFile.writtenAt)]),
    ...(hook === undefined ? [] : [sign("hook", hook.event, hook.at)]),
    ...(beat === undefined ? [] : [sign("agent's beat", "alive", beat)]),
    ...(stillSince !== undefined && stillSince < now
      ? [sign("processor", "not used", stillSince)]
      : restsSince !== undefined && restsSince < now
        ? [sign("processor", "hardly used", restsSince)]
        : []),
    ...(workedAt === undefined ? [] : [sign("processor", usedByTool, workedAt)])
  ]
}
