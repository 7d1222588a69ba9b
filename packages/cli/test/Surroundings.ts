import { Effect, Layer } from "effect"
import { Environment, type Surroundings } from "../src/world/CommandEnvironment.ts"
import { layerInstallation } from "../src/world/CommandInstallation.ts"

/** Returns the surroundings of a command in a folder: Linux, these variables, and neither a terminal nor colours. */
export const surroundingsIn = (
  cwd: string,
  variables: Surroundings["variables"],
  other: Partial<Surroundings> = {}
): Surroundings => ({
  variables,
  cwd,
  platform: "linux",
  colour: false,
  columns: undefined,
  interactive: false,
  self: [process.execPath],
  published: undefined,
  ...other
})

/** Gives an effect these surroundings, and souffleur as the command line installs it. */
export const installedIn = (surroundings: Surroundings) =>
  Effect.provide(Layer.provideMerge(layerInstallation, Layer.succeed(Environment, surroundings)))
