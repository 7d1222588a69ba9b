import { Comms, type CommsTask, heartbeatAge, iso, parseTime, see, type Watch, Words } from "@souffleur/domain"
import { windowPidOf } from "@souffleur/process"
import { Clock, Effect, Option } from "effect"

/** A task of comms as its row says it now. Its words are of others. */
export interface TaskNow extends CommsTask {
  /** The age of its heartbeat in milliseconds; `null`: it has none, or none that can be read. */
  readonly heartbeatAge: number | null
  /** The pid of its window, as the file in `temp` of the project says it. `null`: there is no such file. */
  readonly windowPid: number | null
}

/** Lists the tasks in the comms of a watch that lives; none while comms is out (spec: behaviour#silent-tasks). */
export const tasksNow = Effect.fn("tasksNow")(function* ({ comms, phase, project }: Watch) {
  if (comms === null || phase === "Exited") return []
  const tasks = yield* Effect.orElseSucceed(
    Comms.use(({ tasks }) => tasks),
    () => []
  )
  const now = yield* Clock.currentTimeMillis
  return yield* Effect.forEach(
    tasks,
    Effect.fnUntraced(function* (task) {
      return {
        ...task,
        heartbeatAge: heartbeatAge(see(undefined, task.lastHeartbeat, now), now, 0) ?? null,
        windowPid: yield* windowPidOf(project, task.id)
      } satisfies TaskNow
    })
  )
})

/** Returns the cells of a task in a table: its name, its state, its heartbeat, its window and its session. */
export const taskCells = ({ heartbeatAge, id, sessionId, state, windowPid }: TaskNow): ReadonlyArray<string> => [
  id,
  state,
  heartbeatAge === null ? "no heartbeat" : `heartbeat ${Words.duration(heartbeatAge)} ago`,
  windowPid === null ? "" : `window pid ${windowPid}`,
  sessionId === null ? "" : `session ${sessionId}`
]

/** Returns a task as a program reads it. */
export const taskJson = ({ heartbeatAge, id, lastHeartbeat, sessionId, state, windowPid }: TaskNow) => ({
  task: id,
  state,
  session_id: sessionId,
  last_heartbeat: Option.match(parseTime(lastHeartbeat), { onNone: () => null, onSome: iso }),
  heartbeat_age_ms: heartbeatAge,
  window_pid: windowPid
})
