import { type Event, nameOf, type Watch } from "@souffleur/domain"
import type { Explanation } from "./Explanation.ts"

type Guarded = typeof Event.SouffleurRestored.Type | typeof Event.GuardianGaveUp.Type

/** Explains what a guardian saw of souffleur, and the rule. */
export const reasonOfGuard = (event: Guarded, before: Watch): Explanation =>
  event._tag === "SouffleurRestored"
    ? {
        seen: [
          event.reason === "died"
            ? `the process of souffleur, pid ${before.owner?.process.pid}, was gone`
            : `the watch had no beat for too long; souffleur, pid ${before.owner?.process.pid}, was there`
        ],
        rule: `A souffleur that died or hangs is replaced by its guardian: the old process proven gone first, ${nameOf(before)} not touched.`
      }
    : {
        seen: [
          `souffleur was brought back ${event.restorations} times, and each time died or fell silent before the watch went on`
        ],
        rule: "After three restorations without progress a person is told, and nothing is tried again."
      }
