import { Schema } from "effect"
import { detached } from "./Detached.ts"

/** Command to start as a child of the machine's first process alone, and the file for its output. */
export const DetachOrder = Schema.Struct({
  line: Schema.NonEmptyArray(Schema.String),
  cwd: Schema.String,
  output: Schema.String
})
export type DetachOrder = typeof DetachOrder.Type

const OrderJson = Schema.fromJsonString(DetachOrder)
/** Encodes an order as the one argument of the process in between. */
export const encodeDetachOrder = Schema.encodeSync(OrderJson)

/**
 * Runs as the process in between: starts the command in its own session, prints its pid, and ends. The command is then
 * no descendant of the agent that asked for it. So it outlives whatever is ended with that agent.
 */
export const detach = (order: string): void => {
  const { cwd, line, output } = Schema.decodeSync(OrderJson)(order)
  const child = detached({ line, environment: process.env }, cwd, { output })
  child.on("error", () => (process.exitCode = 1))
  child.on("spawn", () => process.stdout.write(`${child.pid}\n`))
}
