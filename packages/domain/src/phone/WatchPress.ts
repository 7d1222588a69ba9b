import { type Decision, no } from "@souffleur/eventlog"
import type { WatchEvent } from "../event/WatchEvent.ts"
import type { Watch } from "../watch/Watch.ts"
import type { WatchCommand, WatchIntent } from "../watch/WatchIntent.ts"
import { decidePhone, type PhoneIntent } from "./PhoneDecider.ts"
import type { Choice } from "./PhoneEvent.ts"

/** Returns what a press means for a watch, as the command of its name has it. It raises nothing. */
const intentOf = ({ task, word }: Choice): WatchIntent | undefined => {
  if (task !== null) return undefined
  switch (word) {
    case "hold":
      return { _tag: "Hold" }
    case "go":
      return { _tag: "Go" }
    case "retry":
      return { _tag: "Retry", byPhone: true }
    case "done":
      return { _tag: "Finish", saidBy: "operator" }
    case "skip":
      return undefined
  }
}

type Command = Extract<WatchCommand, { readonly _tag: PhoneIntent["_tag"] }>

/** Returns whether a command is about the buttons of notices. */
export const isAboutButtons = (command: WatchCommand): command is Command =>
  command._tag === "OfferButtons" || command._tag === "TakePress" || command._tag === "RefusePress"

/** Decides about the buttons of a watch. */
export const decidePress = (
  watch: Watch,
  command: Command,
  decide: (watch: Watch, command: WatchCommand) => Decision<WatchEvent>
): Decision<WatchEvent> =>
  decidePhone<WatchEvent>({ ...watch, stanceSince: watch.pressSince }, command, (choice) => {
    const { by, now } = command
    const intent = intentOf(choice)
    return intent === undefined
      ? no("never", `"${choice.word}" is no word for a watch`)
      : decide(watch, { ...intent, now, by })
  })
