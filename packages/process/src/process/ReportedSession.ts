import { Agent, Launcher, parseSessionId, type ProcessIdentity } from "@souffleur/domain"
import { Effect, Option, Result } from "effect"

/**
 * Returns the session that a launch began, by the agent's own report. `None`: not yet, or the agent does not choose its
 * ids. A window keeps no output. A report that cannot be a session id does not count.
 */
export const reportedSession = Effect.fn("reportedSession")(function* ({
  conductor,
  launchId
}: {
  readonly conductor?: ProcessIdentity | undefined
  readonly launchId?: string | undefined
}) {
  const { sessionOf } = yield* Agent
  const launcher = yield* Launcher
  if (sessionOf === undefined || conductor === undefined) return Option.none<string>()
  const hasOutput = launchId !== undefined && launcher.terminal === "headless"
  const output = hasOutput ? launcher.outputPath(launchId) : undefined
  const reported = yield* sessionOf({ process: conductor, output })
  return Option.filter(reported, (sessionId) => Result.isSuccess(parseSessionId(sessionId)))
})
