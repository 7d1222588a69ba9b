import { folderOf, holdingOf, isGone, isWithin, Processes, type Watch } from "@souffleur/domain"
import { Effect } from "effect"
import { FailedClosed } from "./Provider.ts"

/**
 * Who was confirmed long ago may be somebody else's by now: a person has gone on with the session in another process, or with another
 * project's conversation in this one. Nobody signals that. Another conversation of this project, such as after a `/clear`, is still the
 * Conductor's; whom a person named against the evidence stays who they said.
 */
export const unlessElsewhere = Effect.fn("Recovery.unlessElsewhere")(function* ({ conductor, forced, kind, project, sessionId }: Watch) {
  if (conductor === undefined || forced || kind === "command") return
  const holding = yield* holdingOf(conductor, sessionId)
  if (holding._tag !== "Another") return
  if (holding.holds !== undefined && isWithin(project, yield* folderOf(holding.holds))) return
  // Of one that has ended there is nobody to spare, and its tree is told from others by itself.
  if (yield* isGone(yield* Processes, conductor)) return
  return yield* new FailedClosed({ stage: "stop", reason: `${holding.why}: it is not stopped` })
})
