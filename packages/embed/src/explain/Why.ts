import type { WatchEvent } from "@souffleur/domain"
import type { Reason } from "./Explanation.ts"
import { reasonText } from "./WatchReason.ts"

/** One decision of a watch, explained. */
export interface Why extends Reason<WatchEvent> {
  /** The same in sentences, a line each, without control characters. */
  readonly lines: ReadonlyArray<string>
}

/** Adds the sentences to a reason. */
export const whyOf = (reason: Reason<WatchEvent>): Why => ({ ...reason, lines: reasonText(reason) })
