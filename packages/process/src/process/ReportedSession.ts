import { Agent, Launcher, parseSessionId, type ProcessIdentity } from "@souffleur/domain"
import { Effect, Option, Result } from "effect"

/** Returns the file of an agent's output; `undefined`: a window has it, or no launch is known. */
export const launchOutput = Effect.fn("launchOutput")(function* (launchId: string | undefined) {
  const { outputPath, terminal } = yield* Launcher
  return launchId !== undefined && terminal === "headless" ? outputPath(launchId) : undefined
})

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
  if (sessionOf === undefined || conductor === undefined) return Option.none<string>()
  const output = yield* launchOutput(launchId)
  const reported = yield* sessionOf({ process: conductor, output })
  return Option.filter(reported, (sessionId) => Result.isSuccess(parseSessionId(sessionId)))
})
