import { agentsOwn, Comms, type Watch } from "@souffleur/domain"
import { Effect, Option, Path } from "effect"
import { readTrusted } from "../file/TrustedFiles.ts"

/** The agents that tasks of comms name. They are Musicians, and work for themselves. */
export interface TaskAgents {
  readonly sessions: ReadonlySet<string>
  /** The pids of their windows, or of processes above them. */
  readonly pids: ReadonlySet<number>
}

/** The tasks that comms lists at most. Of further ones nothing is known. */
const maxTasks = 100

/** Returns the pid of the window in which the agent of a task sits; `null`: no file of the project names it. */
export const windowPidOf = Effect.fn("windowPidOf")(function* (project: string, task: string) {
  // A name of others must not lead out of the folder.
  if (!/^[\w-]+$/u.test(task)) return null
  const file = (yield* Path.Path).join(project, "temp", `musician-${task}.pid`)
  const bytes = yield* Effect.option(readTrusted(file, { ...agentsOwn, atMost: 32 }))
  const pid = Option.match(bytes, { onNone: () => "", onSome: (one) => new TextDecoder().decode(one).trim() })
  return /^[1-9]\d{0,9}$/u.test(pid) ? Number(pid) : null
})

/**
 * Returns the agents that the tasks of a watch name; `null`: comms does not tell them all. `undefined`: the watch has
 * no comms.
 */
export const taskAgentsOf = Effect.fn("taskAgentsOf")(function* ({ comms, project }: Pick<Watch, "comms" | "project">) {
  if (comms === null) return undefined
  const tasks = Option.getOrUndefined(yield* Effect.option(Comms.use(({ tasks }) => tasks)))
  if (tasks === undefined || tasks.length >= maxTasks) return null
  const pids = yield* Effect.forEach(tasks, ({ id }) => windowPidOf(project, id))
  return {
    sessions: new Set(tasks.flatMap(({ sessionId }) => (sessionId === null ? [] : [sessionId]))),
    pids: new Set(pids.filter((pid) => pid !== null))
  } satisfies TaskAgents
})
