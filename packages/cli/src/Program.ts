import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect, Layer, Logger } from "effect"
import { cli } from "./Cli.ts"
import { Environment } from "./Environment.ts"

const { argv, env, execPath, platform, stdin, stdout } = process
const [, script = ""] = argv

const environment = Layer.sync(Environment, () => ({
  variables: env,
  cwd: process.cwd(),
  platform,
  colour: stdout.isTTY === true && (env["NO_COLOR"] ?? "") === "",
  interactive: stdin.isTTY === true && stdout.isTTY === true,
  self: [execPath, script] as const
}))

/** Facts go to standard output; what the program says of itself does not. */
const logging = Layer.succeed(Logger.LogToStderr, true)

/** The command line as a process: arguments, streams, signals, exit code. */
export const runProgram = (): void =>
  cli(argv.slice(2)).pipe(Effect.provide([environment, NodeServices.layer, logging]), NodeRuntime.runMain)
