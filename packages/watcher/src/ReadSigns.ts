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

/**
 * Lists the live processes that a Conductor started, by parent and by the tags of its tools. The agent behind a
 * launcher is none of them.
 */
const childrenOf = Effect.fnUntraced(function* ({ conductor, sessions }: Watch) {
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
const leftOf = Effect.fnUntraced(function* (watch: Watch) {
  const agent = yield* Agent
  const processes = yield* Processes
  const { conductor, sessions } = watch
  if (conductor === undefined) return undefined
  const tags = sessions.flatMap((sessionId) => agent.tags({ pid: conductor.pid, sessionId }))
  const found = tags.length === 0 ? yield* childrenOf(watch) : (yield* Effect.forEach(tags, processes.tagged)).flat()
  return found?.filter(({ condition }) => condition !== "zombie").length
})

/**
 * Reads every sign of the Conductor besides comms, each from its own source (spec: behaviour#signs). `output`: the file
 * of the output of its launch. With them come the processes of a tool that runs.
 */
export const readSigns = Effect.fnUntraced(function* (
  { id }: WatchRef,
  watch: Watch,
  output: string | undefined,
  known: Pick<Signs, "process" | "turnEnded">
) {
  const agent = yield* Agent
  const beats = yield* Beats
  const hooks = yield* Hooks
  const { conductor, sessionId } = watch
  const read = Option.getOrUndefined(yield* agent.signs(sessionId, output))
  // A tool of the process before ended with it. The launch has asked the model since.
  const isLost = read?.turn?._tag === "Tool" && watch.preparedAt !== 0 && ownTurn(watch, read.turn) === undefined
  const turn: TurnState | undefined = isLost ? { _tag: "Asked", at: read.turn.at } : read?.turn
  const session = read && { ...read, turn }
  const tree = turn?._tag === "Tool" ? yield* childrenOf(watch) : undefined
  const file = (yield* agent.sessions).find(({ pid }) => pid === conductor?.pid)
  const waits = turn?._tag === "Finished" && (watch.print || file?.status === "busy")
  const signs = {
    ...known,
    left: waits ? yield* leftOf(watch) : undefined,
    session,
    children: turn?._tag === "Tool" && turn.spawns ? tree?.length : undefined,
    pidFile:
      file === undefined ? undefined : { status: file.status, waitingFor: file.waitingFor, writtenAt: file.writtenAt },
    hook: Option.getOrUndefined(yield* hooks.last(sessionId)),
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
