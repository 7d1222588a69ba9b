import { Agent, handoffLine, Launcher, parseSessionId, type Watch } from "@souffleur/domain"
import { Effect, FileSystem, Option, Result } from "effect"

/** Returns the file of an agent's output; `undefined`: no launch is known. An agent in a window has no such file. */
export const launchOutput = Effect.fn("launchOutput")(function* (launchId: string | undefined) {
  const { outputPath } = yield* Launcher
  return launchId === undefined ? undefined : outputPath(launchId)
})

/** Returns the file that says why a launch failed: its standard error, or its standard output where that is empty. */
export const tellingOutput = Effect.fn("tellingOutput")(function* (launchId: string) {
  const { outputPath } = yield* Launcher
  const fs = yield* FileSystem.FileSystem
  const errors = outputPath(launchId, "stderr")
  const found = yield* Effect.option(fs.stat(errors))
  return Option.exists(found, ({ size }) => size > 0n) ? errors : outputPath(launchId)
})

/**
 * Returns the words that a launch has as its prompt. The prompt of a successor has a line that names its launch. The
 * first launch has a user's words among its arguments.
 */
const promptOf = Effect.fnUntraced(function* (launchId: string | undefined, first: Watch["firstLaunch"]) {
  if (launchId === undefined) return () => false
  const ownLine = handoffLine(launchId)
  const isSuccessors = (prompt: string) => prompt.split("\n").some((line) => line.trim() === ownLine)
  if (launchId !== first?.launchId) return isSuccessors
  const kept = yield* Effect.option((yield* Launcher).kept(launchId, first.digest))
  return (prompt: string) =>
    Option.exists(kept, ({ command }) => command.args.some((word) => word.trim() === prompt.trim()))
})

/**
 * Returns the session that a launch began, by the agent's own report, or by what the ended launch left. `None`: not
 * yet, or the agent does not choose its ids. A report that cannot be a session id does not count.
 */
export const reportedSession = Effect.fn("reportedSession")(function* ({
  conductor,
  firstLaunch,
  launchId,
  preparedAt,
  project
}: Pick<Watch, "conductor" | "firstLaunch" | "launchId" | "preparedAt" | "project">) {
  const { sessionOf } = yield* Agent
  if (sessionOf === undefined || conductor === undefined) return Option.none<string>()
  const reported = yield* sessionOf({
    process: conductor,
    output: yield* launchOutput(launchId),
    folder: project,
    since: firstLaunch !== undefined && launchId === firstLaunch.launchId ? firstLaunch.at : preparedAt,
    asked: yield* promptOf(launchId, firstLaunch)
  })
  return Option.filter(reported, (sessionId) => Result.isSuccess(parseSessionId(sessionId)))
})
