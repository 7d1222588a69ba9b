import { Words } from "@souffleur/domain"
import type { Death } from "../timeline/WatchTimeline.ts"
import { becauseOf } from "../explain/SignReason.ts"

/** Says why a Conductor died. A process that is gone has its end, where that was seen. */
export const causeInWords = ({ cause, end }: Pick<Death, "cause" | "end">): string => {
  if (cause === "pid" && end !== null) return `it ended ${Words.ended(end)}`
  return cause in becauseOf ? becauseOf[cause as keyof typeof becauseOf] : cause
}
