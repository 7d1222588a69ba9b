import { type ResolvedSettings, Settings } from "@souffleur/domain"
import { Context, Effect, Layer } from "effect"
import { Command } from "effect/cli"
import { settingsOf } from "@souffleur/embed/internal"
import { projectOfTree } from "@souffleur/plan"
import { realProject } from "./Options.ts"

/** The real path of the project folder that a command is about. */
export class Project extends Context.Service<Project, string>()("@souffleur/cli/Project") {}

/** Has the flag `projectDir` of `Options.ts`. */
interface InFolder {
  readonly projectDir: string
}

/** Returns the real path of a folder, which for the work tree of a task is the project of its run. */
const projectAt = Effect.fnUntraced(function* (folder: string) {
  const there = yield* realProject(folder)
  // The settings of a folder are read for this alone.
  return there.includes("/trees/") ? yield* projectOfTree(there, (yield* settingsOf(there)).stateDir) : there
})

/** Gives a command its {@link Project}. Fails with `BadUsage` where the folder cannot be read. */
export const withProject = <const Name extends string, Input extends InFolder, Context, E, R>(
  command: Command.Command<Name, Input, Context, E, R>
) => Command.provideEffect(command, Project, ({ projectDir }: Input) => projectAt(projectDir))

/**
 * Gives a command its {@link Project}, the `Settings` of that folder, and layers of these settings. All of them are
 * built before its handler begins. Each call makes its own layers: two settings never share a memoized one.
 */
export const withLayers =
  <A, E2, R2>(layers: (settings: ResolvedSettings) => Layer.Layer<A, E2, R2>) =>
  <const Name extends string, Input extends InFolder, Context, E, R>(
    command: Command.Command<Name, Input, Context, E, R>
  ) =>
    command.pipe(
      Command.provide(
        Layer.unwrap(
          Effect.gen(function* () {
            const settings = yield* settingsOf(yield* Project)
            return Layer.merge(layers(settings), Layer.succeed(Settings, settings))
          })
        )
      ),
      withProject
    )

/** Gives a command its {@link Project} and the `Settings` of that folder. The handler opens the layers itself. */
export const withSettings = withLayers(() => Layer.empty)
