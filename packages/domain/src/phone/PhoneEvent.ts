import { Count, event, Text, Time } from "@souffleur/eventlog"
import { Schema } from "effect"

/** The words that a button of a notice may say. None raises a ceiling, a permission or an allowance. */
export const PhoneWord = Schema.Literals(["hold", "go", "retry", "done", "skip"])
export type PhoneWord = typeof PhoneWord.Type

/** One choice of a notice. `task`: the task of a run that it answers; `null`: the watch or the run itself. */
export const Choice = Schema.Struct({ word: PhoneWord, task: Schema.NullOr(Text) })
export type Choice = typeof Choice.Type

/** Why a press has no effect. */
export const PressFault = Schema.Literals([
  "garbled",
  "too long",
  "unknown",
  "changed",
  "late",
  "repeated",
  "passed",
  "refused"
])
export type PressFault = typeof PressFault.Type

/**
 * A notice of the event `of` goes out with buttons, which count until then. Of the secret of each, the log has the
 * SHA-256 alone.
 */
export const ButtonsOffered = event("ButtonsOffered", {
  channel: Text,
  of: Count,
  until: Time,
  buttons: Schema.Array(Schema.Struct({ ...Choice.fields, digest: Text }))
})
/**
 * A person pressed that button. Its consequences follow in the same append. `message`: its id in the channel,
 * after which the next souffleur listens on.
 */
export const PhoneWordTaken = event("PhoneWordTaken", { channel: Text, message: Text, digest: Text, ...Choice.fields })
/** A message came over the channel, and has no effect. Of its text at most a known word is here. */
export const PhoneWordRefused = event("PhoneWordRefused", {
  channel: Text,
  message: Text,
  fault: PressFault,
  word: Schema.NullOr(PhoneWord)
})

/** The events of buttons, of a watch and of a run. */
export const phoneEvents = [ButtonsOffered, PhoneWordTaken, PhoneWordRefused] as const
/** Any of them. */
export type PhoneEvent = (typeof phoneEvents)[number]["Type"]

/** They change nothing of a watch or a run themselves. */
export const evolvePhone = {
  ButtonsOffered: () => ({}),
  PhoneWordTaken: () => ({}),
  PhoneWordRefused: () => ({})
}
