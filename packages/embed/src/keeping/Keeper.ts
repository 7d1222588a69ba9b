import { Settings } from "@souffleur/domain"
import { Refused } from "@souffleur/eventlog"
import { allPublished, commsPublisher } from "@souffleur/supervisor"
import { Effect } from "effect"
import { remarkWarnings } from "../Remark.ts"
import type { DetachOptions, KeepOptions } from "../SouffleurOptions.ts"
import type { NamedWatch } from "../watching/FindWatch.ts"
import { spansOf } from "../trace/OwnSpans.ts"
import { Parts } from "../world/Parts.ts"
import { startDetached } from "./Detach.ts"
import { endedWatch, keepWatch } from "./KeptWatch.ts"
import { drainTimeout } from "./Undelivered.ts"

/** A watch that is opened or found, with its parts in the context. */
export interface FoundWatch {
  readonly id: string
  readonly project: string
  /** `null`: solo. */
  readonly comms: string | null
  /** The revision at which the watch is taken; 0 for a new one. */
  readonly from: number
}

/** Says what becomes of a watch that is opened or found. */
export interface Keeper<A, E, R, E2, R2> {
  /** True if another process is to look after the watch, and this one may end. */
  readonly detaching: boolean
  readonly take: (found: FoundWatch) => Effect.Effect<A, E, R>
  /** Answers for a watch that has ended already. */
  readonly ended: (known: NamedWatch) => Effect.Effect<A, E2, R2>
}

/** Keeps a watch in this scope. A guardian that cannot be had is refused before the watch is opened. */
export const keeperHere = Effect.fnUntraced(function* ({ guardian }: KeepOptions) {
  const start = guardian === undefined ? undefined : yield* (yield* Parts).guardian(guardian)
  return {
    detaching: false,
    take: Effect.fnUntraced(function* ({ id, ...order }: FoundWatch) {
      yield* remarkWarnings(yield* Settings)
      return yield* keepWatch(id, start === undefined ? order : { ...order, guardian: start(id) }).pipe(
        spansOf({ project: order.project, watch: id })
      )
    }),
    /** Tells comms the rest first. */
    ended: Effect.fnUntraced(function* ({ id, watch }: NamedWatch) {
      if (watch.comms !== null && !(yield* allPublished(id, watch.revision)))
        yield* Effect.timeoutOption(commsPublisher(id), drainTimeout)
      return yield* endedWatch(id, watch)
    })
  }
})

/** Hands a watch to a process that outlives this one. */
export const keeperApart = ({ line }: DetachOptions) => ({
  detaching: true,
  take: ({ id }: FoundWatch) => startDetached(id, line(id)),
  ended: ({ id, watch }: NamedWatch) =>
    Effect.fail(new Refused({ reason: "ended", message: `watch ${id} has ended: ${watch.end}` }))
})
