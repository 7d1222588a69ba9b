import { Result, Schema } from "effect"

/** What cannot be, said so that whoever asked can tell why. Nothing was appended. */
export class Refused extends Schema.TaggedError<Refused>()("Refused", {
  why: Schema.Literals(["ended", "fenced", "exists", "no such watch", "owned", "not now", "never"]),
  detail: Schema.String
}) {}

/** What comes of a command: events, or why not. */
export type Decision<Event> = Result.Result<ReadonlyArray<Event>, Refused>

export const ok = <const Events extends ReadonlyArray<unknown>>(...events: Events): Decision<Events[number]> => Result.succeed(events)
export const no = (why: Refused["why"], detail: string): Decision<never> => Result.fail(new Refused({ why, detail }))
export const notNow = (detail: string): Decision<never> => no("not now", detail)
