import { agentOfLaunch, type AgentProgram } from "@souffleur/claude"
import { initial, Launcher, type ResolvedSettings, type Terminal } from "@souffleur/domain"
import { Console, Effect, Option } from "effect"
import { launches } from "./App.ts"
import type { Named } from "./Watches.ts"

/** What a watch is launched with in place of what the settings say. */
export interface Kept {
  readonly agent?: AgentProgram
  readonly terminal?: Terminal
}

const lost = "warning: what this watch was started with is lost: the configured agent command is used"

/**
 * What `souffleur run` was given for a watch that goes on: the agent's program and the user's own flags, as its first launch file
 * keeps them. A command runs where its exit code is told.
 */
export const keptOf = Effect.fn("Kept.of")(function* (settings: ResolvedSettings, known: Option.Option<Named>) {
  const { firstLaunch, kind } = Option.match(known, { onNone: () => initial, onSome: ({ watch }) => watch })
  if (kind === "command") return { terminal: "headless" } satisfies Kept
  if (firstLaunch === undefined) return {}
  const { digest, launchId, sessionId } = firstLaunch
  const file = Launcher.use((launcher) => launcher.kept(launchId, digest))
  const agent = yield* Effect.option(file).pipe(
    Effect.map(Option.flatMap(({ command }) => agentOfLaunch(command, sessionId))),
    Effect.provide(launches(settings))
  )
  if (Option.isNone(agent)) yield* Console.error(lost)
  return Option.match(agent, { onNone: (): Kept => ({}), onSome: (agent) => ({ agent }) })
})
