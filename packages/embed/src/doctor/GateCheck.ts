import { canClose, limitsInWords } from "@souffleur/domain"
import { exportLimitsOf } from "@souffleur/recovery"
import { Effect } from "effect"
import type { NamedWatch } from "../watching/FindWatch.ts"
import { note, passed } from "./Finding.ts"

/** Says which gate is in force for each unfinished watch of a project, and why (spec: settings#gate). */
export const gateCheck = Effect.fn("gateCheck")(function* (project: string, watches: ReadonlyArray<NamedWatch>) {
  const open = watches.filter(
    ({ watch }) => watch.project === project && watch.kind === "agent" && watch.phase !== "Exited"
  )
  return yield* Effect.forEach(
    open,
    Effect.fnUntraced(function* ({ id, watch }) {
      const { limits } = yield* exportLimitsOf(watch)
      const said = `watch ${id}: ${limitsInWords(limits)}`
      return canClose(limits) || limits.threshold_by === "setting"
        ? passed("gate", said)
        : note("gate", said, "set FORCE_COMPACT to two fifths of that window")
    })
  )
})
