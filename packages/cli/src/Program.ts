import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { HostServices } from "@souffleur/node"
import { Cause, Console, Effect, Exit, Layer, Logger, Runtime } from "effect"
import { cli } from "./Cli.ts"
import { Environment } from "./Environment.ts"
import { type Mark, makeMark, printing } from "./Printing.ts"

const { argv, env, execPath, platform, stdin, stdout } = process
const [, script = ""] = argv

const environment = Layer.unwrap(
  Effect.map(makeMark, (mark) => {
    const colour: Mark = stdout.isTTY === true && (env["NO_COLOR"] ?? "") === "" ? mark : false
    const surroundings = Layer.sync(Environment, () => ({
      variables: env,
      cwd: process.cwd(),
      platform,
      colour,
      interactive: stdin.isTTY === true && stdout.isTTY === true,
      self: [execPath, script] as const
    }))
    return Layer.merge(surroundings, Layer.succeed(Console.Console, printing(colour)))
  })
)

/** Facts go to standard output; what the program says of itself does not. */
const logging = Layer.succeed(Logger.LogToStderr, true)

/** Ended by a signal: 128 and its number, as a shell says it. */
const codeOf = { SIGINT: 130, SIGTERM: 143 } as const

/** The command line as a process: arguments, streams, signals, exit code. */
export const runProgram = (): void => {
  let interrupted: number = codeOf.SIGINT
  process.once("SIGTERM", () => (interrupted = codeOf.SIGTERM))
  const teardown: Runtime.Teardown = (exit, onExit) =>
    Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause) ? onExit(interrupted) : Runtime.defaultTeardown(exit, onExit)
  cli(argv.slice(2)).pipe(Effect.provide([environment, HostServices.layer, logging]), NodeRuntime.runMain({ teardown }))
}
