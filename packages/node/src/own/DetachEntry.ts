import { Schema } from "effect"
import { detached } from "./Detached.ts"

/** What is to be started so that nobody is its parent but the machine's first process, and where it prints. */
export const DetachOrder = Schema.Struct({
  line: Schema.NonEmptyArray(Schema.String),
  cwd: Schema.String,
  output: Schema.String
})
export type DetachOrder = typeof DetachOrder.Type

const OrderJson = Schema.fromJsonString(DetachOrder)
/** As the one argument of the process in between. */
export const encodeDetachOrder = Schema.encodeSync(OrderJson)

/**
 * The process in between: it starts that one in a session of its own, prints its pid, and ends. Who is left is nobody's
 * descendant: neither of the agent that asked for it, nor of anything that is ended with that agent.
 */
export const detach = (order: string): void => {
  const { cwd, line, output } = Schema.decodeSync(OrderJson)(order)
  const child = detached({ line, environment: process.env }, cwd, output)
  child.on("error", () => (process.exitCode = 1))
  child.on("spawn", () => process.stdout.write(`${child.pid}\n`))
}
