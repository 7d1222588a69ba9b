import { Agent, Launcher, type ProcessIdentity } from "@souffleur/domain"
import { Effect, Option } from "effect"

/**
 * Returns the session that a launch began, by the agent's own report. `None`: not yet, or the agent does not choose its
 * ids. A window keeps no output.
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
  return yield* sessionOf({ process: conductor, output: hasOutput ? launcher.outputPath(launchId) : undefined })
})
