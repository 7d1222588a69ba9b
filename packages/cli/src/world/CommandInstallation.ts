import { Remarks } from "@souffleur/embed"
import { type CommandLine, Installation } from "@souffleur/embed/internal"
import { NoticeProcess } from "@souffleur/node"
import type { ClickOrder, WhenClicked } from "@souffleur/notify"
import { Console, Effect, type FileSystem, Layer, type Path } from "effect"
import { agentKind } from "../agent/Kind.ts"
import { errandWords } from "../SmallEntry.ts"
import { hasWindows } from "../watching/TerminalPane.ts"
import { Environment } from "./CommandEnvironment.ts"

/** Waits for a click in a process of its own, which then shows the window of a watch's agent. */
const clicks = ({ self, variables }: Environment["Service"]): WhenClicked => {
  const leave = NoticeProcess.leaveLast()
  return ({ project, watch }) =>
    watch === undefined || !hasWindows(variables)
      ? null
      : (notice) => {
          const chosen = [...self, "attach", "--window", "--project-dir", project, watch] as const
          const order = JSON.stringify({ notice, chosen } satisfies ClickOrder)
          return leave({ line: [...self, "__click"], environment: variables }, order)
        }
}

const installation = Layer.effect(
  Installation,
  Effect.gen(function* () {
    const surroundings = yield* Environment
    const { platform, self, variables } = surroundings
    const context = yield* Effect.context<Environment | FileSystem.FileSystem | Path.Path>()
    const line = (errand: "guardian" | "launch" | "notify") =>
      Effect.map(errandWords(errand), (words): CommandLine => [...words, `__${errand}`]).pipe(
        Effect.provideContext(context)
      )
    return {
      agent: agentKind,
      variables,
      platform,
      launchLine: line("launch"),
      guardianLine: line("guardian"),
      noticeLine: line("notify"),
      whenClicked: clicks(surroundings),
      hookLine: Effect.provideContext(errandWords("hook"), context),
      detachLine: Effect.succeed<CommandLine>([...self, "__detach"])
    }
  })
)

/** Runs souffleur's own processes by this very program, and prints its remarks on standard error. */
export const layerInstallation = Layer.merge(
  installation,
  Layer.succeed(Remarks, ({ level, text }) => Console.error(level === "info" ? text : `${level}: ${text}`))
)
