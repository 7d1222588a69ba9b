import type { ResolvedSettings } from "@souffleur/domain"
import { Context, Effect } from "effect"

/** A sentence to the person or program that runs souffleur. It is in no log of events. */
export interface Remark {
  readonly level: "info" | "note" | "warning"
  readonly text: string
}

/** Takes the remarks. Effect's logger gets them by default. */
export const Remarks = Context.Reference<(remark: Remark) => Effect.Effect<void>>("@souffleur/embed/Remarks", {
  defaultValue:
    () =>
    ({ level, text }) =>
      level === "warning" ? Effect.logWarning(text) : Effect.logInfo(text)
})

/** Says a sentence to the person or program that runs souffleur. */
export const remark = (level: Remark["level"], text: string) => Effect.flatMap(Remarks, (take) => take({ level, text }))

/** Says what was wrong in the file of these settings. */
export const remarkWarnings = ({ source, warnings }: Pick<ResolvedSettings, "source" | "warnings">) =>
  Effect.forEach(warnings, (warning) => remark("warning", `${source === null ? "" : `${source}: `}${warning}`), {
    discard: true
  })
