import { hasPrompt, isSessionKnown, Launcher, ownTurn, type Signs, type Watch } from "@souffleur/domain"
import { Effect } from "effect"

/**
 * Makes the test whether an agent in a window has a prompt and has not begun its turn. It may wait for trust in its
 * folder or in a server of tools, for a login or a theme. A person types the first prompt where a launch has none.
 */
export const makeAsksFirst = Effect.fn("makeAsksFirst")(function* (watch: Watch) {
  const { firstLaunch, generation, launchedAt, preparedAt, sessionId } = watch
  const since = preparedAt === 0 ? launchedAt : preparedAt
  const isPrompted =
    generation > 1 || firstLaunch === undefined
      ? true
      : yield* (yield* Launcher).kept(firstLaunch.launchId, firstLaunch.digest).pipe(
          Effect.map(({ prompt }) => prompt !== undefined),
          Effect.orElseSucceed(() => false)
        )
  return ({ process, session }: Pick<Signs, "process" | "session">, taken: boolean) => {
    if (!hasPrompt(watch) || process !== "running") return false
    if (!isSessionKnown(sessionId)) return true
    if (!isPrompted || (generation > 1 && taken)) return false
    // The file of a resumed session has what came before its launch.
    return session === undefined || (session.writtenAt < since && ownTurn(watch, session.turn) === undefined)
  }
})
