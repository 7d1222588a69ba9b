import { Agent, baselineOf, Comms, soloFingerprint, soloSnapshot, unreadBaseline, type Watch } from "@souffleur/domain"
import { Effect } from "effect"
import { commitAt } from "./Commits.ts"

/**
 * Makes the comms of a watch without comms. No tasks are written down there, so tool results of its sessions and the
 * checked-out commit take their place (spec: behaviour#retries). Nothing is known of a command.
 */
export const soloComms = Effect.fnUntraced(function* ({ kind, project, sessions }: Watch) {
  const agent = yield* Agent
  const context = yield* Effect.context<Effect.Services<ReturnType<typeof commitAt>>>()
  if (kind === "command") return Comms.solo(Effect.succeed(soloSnapshot))
  const snapshot = Effect.gen(function* () {
    const taskCount = yield* agent.toolResults(sessions)
    // A commit that cannot be read is unknown. `doctor` reports it.
    const commit = yield* Effect.orElseSucceed(commitAt(project), () => undefined)
    return { ...soloSnapshot, taskCount, taskFingerprint: soloFingerprint(taskCount, commit) }
  })
  return Comms.solo(Effect.provideContext(snapshot, context))
})

/**
 * Reads the state against which the progress of an adopted Conductor is measured later, in the way that its watcher
 * measures. `Comms` is the watch's.
 */
export const adoptedBaseline = Effect.fn("adoptedBaseline")(function* (watch: Watch, sessionId: string) {
  const comms =
    watch.comms === null ? yield* soloComms({ ...watch, sessions: [...watch.sessions, sessionId] }) : yield* Comms
  return yield* Effect.match(comms.snapshot, { onFailure: () => unreadBaseline(watch.baseline), onSuccess: baselineOf })
})
