#!/usr/bin/env node
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { becomeAgent } from "@souffleur/node"
import { Effect, Layer, Logger } from "effect"
import { cli } from "./Cli.ts"
import { runStandIn } from "./demo/StandIn.ts"
import { Environment } from "./Environment.ts"

const { argv, env, execPath, stdin, stdout } = process
const [, script = "", first, ...rest] = argv

const environment = Layer.sync(Environment, () => ({
  variables: env,
  cwd: process.cwd(),
  colour: stdout.isTTY === true && (env["NO_COLOR"] ?? "") === "",
  interactive: stdin.isTTY === true && stdout.isTTY === true,
  self: [execPath, script] as const
}))

/** Facts go to standard output; what the program says of itself does not. */
const logging = Layer.succeed(Logger.LogToStderr, true)

// Node 22 warns of its SQLite at every start. What else Node warns of is still told.
process.removeAllListeners("warning")
process.on("warning", ({ message, name }) => {
  if (!/SQLite is an experimental feature/.test(message)) process.stderr.write(`${name}: ${message}\n`)
})

switch (first) {
  // Two errands that the program runs for itself: a launch, and the demonstration's agent.
  case "__launch":
    process.exitCode = becomeAgent(rest[0] ?? "")
    break
  case "__stand-in":
    runStandIn(rest)
    break
  default:
    cli(argv.slice(2)).pipe(Effect.provide([environment, NodeServices.layer, logging]), NodeRuntime.runMain)
}
