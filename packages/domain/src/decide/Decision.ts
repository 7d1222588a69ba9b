import { Result, Schema } from "effect"
import type { WatchEvent } from "../event/WatchEvent.ts"

/** What cannot be, said so that whoever asked can tell why. Nothing was appended. */
export class Refused extends Schema.TaggedError<Refused>()("Refused", {
  why: Schema.Literals(["ended", "fenced", "exists", "no such watch", "owned", "not now", "never"]),
  detail: Schema.String
}) {}

export type Decision = Result.Result<ReadonlyArray<WatchEvent>, Refused>

export const ok = (...events: ReadonlyArray<WatchEvent>): Decision => Result.succeed(events)
export const no = (why: Refused["why"], detail: string): Decision => Result.fail(new Refused({ why, detail }))
