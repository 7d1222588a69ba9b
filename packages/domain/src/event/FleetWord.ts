import { event, Text } from "@souffleur/eventlog"
import { Schema } from "effect"
import { evolvePhone, phoneEvents } from "../phone/PhoneEvent.ts"

/** The words that a person may say to a watch of another host, each as the command of its name (spec: fleet#words). */
export const FleetWord = Schema.Literals(["retry", "stop", "release", "done", "hold", "go"])
export type FleetWord = typeof FleetWord.Type

/** This host took a word that a person said at the hub of its fleet. Its consequences follow in the same append. */
export const FleetWordTaken = event("FleetWordTaken", {
  /** The id of the word, as the hub has it. */
  id: Text,
  /** The person, by the name that the hub knows. */
  by: Text,
  word: FleetWord
})

/** The events of words that a person says from elsewhere. */
export const wordEvents = [FleetWordTaken, ...phoneEvents] as const
/** What was said is in the events that follow. */
export const evolveWords = { FleetWordTaken: () => ({}), ...evolvePhone }
