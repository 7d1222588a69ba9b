import { Result, Runtime, Schema } from "effect"

/** A command that the rules refuse. `message` says why, and nothing was appended. */
export class Refused extends Schema.TaggedError<Refused>()("Refused", {
  reason: Schema.Literals(["ended", "fenced", "exists", "no such watch", "owned", "not now", "never"]),
  message: Schema.String
}) {
  override readonly [Runtime.errorExitCode] = this.reason === "fenced" || this.reason === "owned" ? 3 : 2
}

/** The result of a command: its events, or the reason for a refusal. */
export type Decision<Event> = Result.Result<ReadonlyArray<Event>, Refused>

/** Grants a command, with its events. None: there is nothing to record. */
export const ok = <const Events extends ReadonlyArray<unknown>>(...events: Events): Decision<Events[number]> =>
  Result.succeed(events)
/** Refuses a command. `message` tells a person why. */
export const no = (reason: Refused["reason"], message: string): Decision<never> =>
  Result.fail(new Refused({ reason, message }))
/** Refuses a command that another state would grant. */
export const notNow = (message: string): Decision<never> => no("not now", message)
