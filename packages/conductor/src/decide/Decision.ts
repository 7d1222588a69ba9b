import { Refused } from "@souffleur/domain"
import { Result } from "effect"
import type { RunEvent } from "../run/RunEvent.ts"

/** What comes of a command: events, or why not. */
export type Decision = Result.Result<ReadonlyArray<RunEvent>, Refused>

export const ok = (...events: ReadonlyArray<RunEvent>): Decision => Result.succeed(events)
export const no = (why: Refused["why"], detail: string): Decision => Result.fail(new Refused({ why, detail }))
export const notNow = (detail: string): Decision => no("not now", detail)
