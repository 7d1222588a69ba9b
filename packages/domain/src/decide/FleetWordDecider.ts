import { type Decision, no } from "@souffleur/eventlog"
import { Result } from "effect"
import { FleetWordTaken } from "../event/FleetWord.ts"
import type { WatchEvent } from "../event/WatchEvent.ts"
import type { Watch } from "../watch/Watch.ts"
import type { FleetWordIntent, WatchCommand, WatchIntent } from "../watch/WatchIntent.ts"

/** Returns the intent of a word, as the command of its name has it on this host. */
const intentOf = ({ ceilings, word }: FleetWordIntent): WatchIntent => {
  switch (word) {
    case "retry":
      return { _tag: "Retry", ceilings }
    case "stop":
      return { _tag: "Stop" }
    case "release":
      return { _tag: "Release" }
    case "done":
      return { _tag: "Finish", saidBy: "operator" }
    case "hold":
      return { _tag: "Hold" }
    case "go":
      return { _tag: "Go" }
  }
}

/**
 * Decides a word that a person said at the hub of a fleet. It counts while the stance of the watch is as its speaker
 * saw it, and until its end. Its own event changes the stance. So the same word never has an effect twice
 * (spec: fleet#words).
 */
export const decideFleetWord = (
  watch: Watch,
  command: Extract<WatchCommand, { readonly _tag: "TakeFleetWord" }>,
  decide: (watch: Watch, command: WatchCommand) => Decision<WatchEvent>
): Decision<WatchEvent> => {
  const { by, id, now, person, seen, until, word } = command
  if (seen > watch.revision || seen < watch.stanceSince)
    return no(
      "not now",
      `the watch is at revision ${watch.revision}, and the word was for revision ${seen}: look again`
    )
  if (now > until) return no("not now", "the word came after its end")
  return Result.map(decide(watch, { ...intentOf(command), now, by }), (events) => [
    FleetWordTaken.make({ at: now, id, by: person, word }),
    ...events
  ])
}
