import { dirname } from "node:path"
import { Departure } from "@souffleur/embed/internal"
import { CommsErrand } from "@souffleur/comms"
import { HostServices, SqliteClient } from "@souffleur/node"
import { ConfigProvider, Console, Effect, Layer, Logger } from "effect"
import { cli } from "../../packages/cli/src/Cli.ts"
import { printing } from "../../packages/cli/src/Printing.ts"
import { Environment } from "../../packages/cli/src/world/CommandEnvironment.ts"

const services = CommsErrand.layerHere.pipe(
  Layer.provideMerge(SqliteClient.layerSqlite),
  Layer.provideMerge(HostServices.layer),
  Layer.merge(Layer.succeed(Logger.LogToStderr, true))
)

/** Surroundings of a command. */
interface Around {
  readonly bundle: string
  readonly cwd: string
  readonly variables: Readonly<Record<string, string>>
}

/**
 * Runs the command line in this process, and returns what a process would leave. A start of the program takes 0.2 s of
 * processor. So this is for commands that read, or write one word into the log. A program that such a command starts
 * has the variables of this process.
 */
export const inProcess = Effect.fnUntraced(function* (args: ReadonlyArray<string>, { bundle, cwd, variables }: Around) {
  const lines: Array<string> = []
  const errors: Array<string> = []
  const console = printing(false, {
    log: (line: string) => void lines.push(...line.split("\n")),
    error: (line: string) => void errors.push(`${line}\n`)
  })
  const code = yield* Effect.match(cli(args), { onFailure: (ended) => ended.code, onSuccess: () => 0 }).pipe(
    Effect.provide(services),
    Effect.provideService(Departure, Effect.never),
    Effect.provideService(Console.Console, console),
    Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromEnv({ env: variables })),
    Effect.provideService(Environment, {
      variables,
      cwd,
      platform: process.platform,
      colour: false,
      columns: undefined,
      interactive: false,
      self: [process.execPath, bundle],
      published: dirname(bundle)
    })
  )
  return { code, lines, errors: errors.join("") }
})
