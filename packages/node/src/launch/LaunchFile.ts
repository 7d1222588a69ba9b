import { basename } from "node:path"
import { Option, Schema } from "effect"
import { readTrustedText } from "../files/TrustedFile.ts"

const whole = { onExcessProperty: "error" } as const

/** A text that the kernel accepts as an argument or a variable. */
const Text = Schema.String.check(Schema.isPattern(/^[^\0]*$/))
const AbsolutePath = Schema.String.check(Schema.isPattern(/^\/[^\0]*$/))

/** An idempotency token that is also the name of a file. */
export const LaunchId = Schema.String.check(Schema.isPattern(/^[A-Za-z0-9-]{1,128}$/))

/** Content of `launches/<id>.json`: one whole launch (spec: behaviour#launch-at-most-once). */
export const Launch = Schema.Struct({
  version: Schema.Literal(1),
  id: LaunchId,
  program: AbsolutePath,
  args: Schema.Array(Text),
  /**
   * Text that the agent reads on standard input; `null`: nothing. The launcher is started with it, and `execve` keeps
   * it.
   */
  input: Schema.NullOr(Schema.String),
  /** The agent's whole environment, except {@link launchVariable}. */
  environment: Schema.Record(Schema.String.check(Schema.isPattern(/^[^=\0]+$/)), Text),
  cwd: AbsolutePath,
  /** File that a headless agent's output is appended to; `null` in a terminal. */
  output: Schema.NullOr(AbsolutePath),
  title: Text
})
export type Launch = typeof Launch.Type

const LaunchJson = Schema.fromJsonString(Launch)
export const encodeLaunch = Schema.encodeSync(LaunchJson)
const decodeLaunch = Schema.decodeUnknownOption(LaunchJson, whole)
export const checkLaunch = Schema.decodeUnknownOption(Launch, whole)

/** Variable that every process of a launch has in its environment, with the launch's id. */
export const launchVariable = "SOUFFLEUR_LAUNCH_ID"

/** Bytes at most: more than the kernel accepts as arguments and environment. */
const maxBytes = 16_000_000

/**
 * Reads a launch file. `None`: it is missing, damaged, written by others, or has another id than its name or `id`. The
 * reason is not given, because the file may hold secrets.
 */
export const readLaunch = (path: string, id = basename(path, ".json")): Option.Option<Launch> => {
  const read = readTrustedText(path, { own: true, others: "nothing", atMost: maxBytes })
  return "text" in read ? Option.filter(decodeLaunch(read.text), (launch) => launch.id === id) : Option.none()
}
