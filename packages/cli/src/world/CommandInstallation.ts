import { Remarks } from "@souffleur/embed"
import { type CommandLine, Installation } from "@souffleur/embed/internal"
import { Console, Effect, type FileSystem, Layer, type Path } from "effect"
import { agentKind } from "../agent/Kind.ts"
import { errandWords } from "../SmallEntry.ts"
import { Environment } from "./CommandEnvironment.ts"

const installation = Layer.effect(
  Installation,
  Effect.gen(function* () {
    const { platform, self, variables } = yield* Environment
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
      detachLine: Effect.succeed<CommandLine>([...self, "__detach"])
    }
  })
)

/** Runs souffleur's own processes by this very program, and prints its remarks on standard error. */
export const layerInstallation = Layer.merge(
  installation,
  Layer.succeed(Remarks, ({ level, text }) => Console.error(level === "info" ? text : `${level}: ${text}`))
)
