import { Option, Schema } from "effect"
import { type ButtonsOffered, type Choice, type PhoneEvent, PhoneWord, type PressFault } from "./PhoneEvent.ts"

/** How long a button counts, ms. */
export const buttonMillis = 3_600_000
/** Random bytes of a button's secret. */
export const secretBytes = 32
/** UTF-16 units of a message that may be a press. */
export const maxPressUnits = 120
/** Refusals that are told within an hour. A flood fills no log. */
const maxRefusals = 10

const Press = Schema.fromJsonString(
  Schema.Struct({ word: PhoneWord, secret: Schema.String.check(Schema.isPattern(/^[0-9a-f]{64}$/u)) })
)
/** What a press says. */
export type PressSaid = typeof Press.Type
const read = Schema.decodeUnknownOption(Press, { onExcessProperty: "error" })

/** Reads the message of a press. `null`: it is longer than any. */
export const readPress = (text: string | null): PressSaid | PressFault =>
  text === null || text.length > maxPressUnits ? "too long" : Option.getOrElse(read(text), () => "garbled" as const)

/** A button that was offered: what it says, of which revision, and until when. */
export type Button = Choice & Pick<typeof ButtonsOffered.Type, "of" | "until">

/** The buttons of a watch or a run, as its log has them. */
export interface Buttons {
  /** By the digest of the secret. */
  readonly offered: ReadonlyMap<string, Button>
  readonly pressed: ReadonlySet<string>
  /** Times of the refusals that were told. */
  readonly refused: ReadonlyArray<number>
  /** The message that was heard last; `null`: none was. */
  readonly heard: string | null
}
/** Those before the first event. */
export const noButtons: Buttons = { offered: new Map(), pressed: new Set(), refused: [], heard: null }

/** Returns the buttons after an event. */
export const buttonsAfter = (before: Buttons, event: PhoneEvent): Buttons => {
  switch (event._tag) {
    case "ButtonsOffered": {
      const { buttons, of, until } = event
      const more = buttons.map(({ digest, task, word }) => [digest, { word, task, of, until }] as const)
      return { ...before, offered: new Map([...before.offered, ...more]) }
    }
    case "PhoneWordTaken":
      return { ...before, heard: event.message, pressed: new Set([...before.pressed, event.digest]) }
    case "PhoneWordRefused":
      return { ...before, heard: event.message, refused: [...before.refused.slice(1 - maxRefusals), event.at] }
  }
}

/** Returns when the last button ends. Nothing is listened to after that. */
export const lastEnd = ({ offered }: Buttons): number => Math.max(0, ...[...offered.values()].map(({ until }) => until))

/** Returns whether another refusal may be told. */
export const mayTell = ({ refused }: Buttons, now: number): boolean =>
  refused.length < maxRefusals || refused[0]! < now - buttonMillis

/** Judges a press by the digest of its secret: the button that was pressed, or why there is none. */
export const judgePress = (
  { offered, pressed }: Buttons,
  { digest, word }: Pick<PressSaid, "word"> & { readonly digest: string },
  now: number
): Button | PressFault => {
  const button = offered.get(digest)
  if (button === undefined) return "unknown"
  if (pressed.has(digest)) return "repeated"
  if (button.word !== word) return "changed"
  return now > button.until ? "late" : button
}
