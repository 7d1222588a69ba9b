import { Agent, baselineOf, Comms, soloSnapshot, unreadBaseline, type Watch } from "@souffleur/domain"
import { Effect } from "effect"
import { headOf } from "./Commits.ts"

/**
 * The comms of a watch that has none: nobody writes tasks down there, so the results of tools in its sessions and the
 * commit that is checked out stand for them (spec: behaviour#retries). Of a command nothing is known.
 */
export const soloComms = Effect.fnUntraced(function* ({ kind, project, sessions }: Watch) {
  const agent = yield* Agent
  const context = yield* Effect.context<Effect.Services<ReturnType<typeof headOf>>>()
  if (kind === "command") return Comms.solo(Effect.succeed(soloSnapshot))
  const snapshot = Effect.gen(function* () {
    const taskCount = yield* agent.toolResults(sessions)
    return { ...soloSnapshot, taskCount, taskFingerprint: `${taskCount} ${yield* headOf(project)}` }
  })
  return Comms.solo(Effect.provideContext(snapshot, context))
})

/**
 * What a Conductor that is adopted now is measured against later, as its watcher will measure it; comms is the watch's
 * own.
 */
export const adoptedBaseline = Effect.fn("adoptedBaseline")(function* (watch: Watch, sessionId: string) {
  const comms =
    watch.comms === null ? yield* soloComms({ ...watch, sessions: [...watch.sessions, sessionId] }) : yield* Comms
  return yield* Effect.match(comms.snapshot, { onFailure: () => unreadBaseline(watch.baseline), onSuccess: baselineOf })
})
