import { basename } from "node:path"
import { Option, Schema } from "effect"
import { readTrustedText } from "../files/TrustedFile.ts"

const whole = { onExcessProperty: "error" } as const

/** What the kernel takes as one argument or variable. */
const Text = Schema.String.check(Schema.isPattern(/^[^\0]*$/))
const AbsolutePath = Schema.String.check(Schema.isPattern(/^\/[^\0]*$/))

/** An idempotency token that is also a file's name. */
export const LaunchId = Schema.String.check(Schema.isPattern(/^[A-Za-z0-9-]{1,128}$/))

/** `launches/<id>.json`: all that a launch is (spec: behaviour#launch-at-most-once). */
export const Launch = Schema.Struct({
  version: Schema.Literal(1),
  id: LaunchId,
  program: AbsolutePath,
  args: Schema.Array(Text),
  /**
   * What the agent reads on standard input; `null`: nothing. Whoever starts the launcher gives it: `execve` keeps it.
   */
  input: Schema.NullOr(Schema.String),
  /** The whole environment of the agent, but for {@link launchVariable}. */
  environment: Schema.Record(Schema.String.check(Schema.isPattern(/^[^=\0]+$/)), Text),
  cwd: AbsolutePath,
  /** Where a headless agent's output is appended; `null` in a terminal. */
  output: Schema.NullOr(AbsolutePath),
  title: Text
})
export type Launch = typeof Launch.Type

const LaunchJson = Schema.fromJsonString(Launch)
export const encodeLaunch = Schema.encodeSync(LaunchJson)
const decodeLaunch = Schema.decodeUnknownOption(LaunchJson, whole)
export const checkLaunch = Schema.decodeUnknownOption(Launch, whole)

/** Every process of a launch has it in its environment, with the launch's id. */
export const launchVariable = "SOUFFLEUR_LAUNCH_ID"

/** Bytes: more than the kernel takes as arguments and environment. */
const largest = 16_000_000

/**
 * `None`: missing, damaged, written by others, or not the launch that its name, or `id`, says. Says no more: it may
 * hold secrets.
 */
export const readLaunch = (path: string, id = basename(path, ".json")): Option.Option<Launch> => {
  const read = readTrustedText(path, { own: true, others: "nothing", atMost: largest })
  return "text" in read ? Option.filter(decodeLaunch(read.text), (launch) => launch.id === id) : Option.none()
}
