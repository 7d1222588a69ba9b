import { Bounds, FleetWord } from "@souffleur/domain"
import { isBetween } from "@souffleur/eventlog"
import { Effect, Schema } from "effect"
import { LogName } from "./FleetEvent.ts"
import { storableText } from "./bounds/StorableText.ts"

/** The role of a person at a hub. A viewer reads, and an operator says words too (spec: fleet#people). */
export const FleetRole = Schema.Literals(["viewer", "operator"])
export type FleetRole = typeof FleetRole.Type

/** The name of a person at a hub. */
const PersonName = Bounds.words(64)

/** The id of a word: a random UUID of its speaker. So a word may be sent again, and is said once. */
export const WordId = LogName

const wholeNumber = isBetween(0, Number.MAX_SAFE_INTEGER)
const safeInteger = isBetween(-Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER)

const word = {
  watch: storableText(200),
  word: FleetWord,
  /** The revision of the watch that the speaker saw. */
  seen: wholeNumber
}

/** A word as a person says it to a watch of a log. `until`: its end, epoch ms by the clock of the hub. */
export const SaidWord = Schema.Struct({ log: LogName, ...word, until: wholeNumber })
export type SaidWord = typeof SaidWord.Type

/** The longest time from a word to its end, ms. */
export const longestWord = 3_600_000

/** Milliseconds after the end of a word in which its host may still answer. */
export const lateMillis = 15_000

/** The most words that wait for one log. */
export const maxWaiting = 20

const spoken = { id: WordId, ...word, person: PersonName }

/** A word as its host gets it. `left`: ms until its end, negative after it. */
export const WaitingWord = Schema.Struct({ ...spoken, left: safeInteger })
export type WaitingWord = typeof WaitingWord.Type

/** A word as its host decides on it. `until`: its end, epoch ms by the clock of that host. */
export const DueWord = Schema.Struct({ ...spoken, until: safeInteger })
export type DueWord = typeof DueWord.Type

const sentence = Schema.NullOr(storableText(2000))
/** A host and a hub of an earlier version have none. */
const note = sentence.pipe(Schema.withDecodingDefaultKey(Effect.succeed(null)))

/** The answer of a host to a word. `reason`: why it did not take it; `null`: it did. */
export const WordAnswer = Schema.Struct({
  reason: sentence,
  /** The act of a person that a taken word still waits for there; `null`: none. */
  note
})
export type WordAnswer = typeof WordAnswer.Type

/** The fate of a word. `waiting`: its host has not answered, and may still take it before its end. */
export const WordStanding = Schema.Struct({
  outcome: Schema.Literals(["waiting", "taken", "refused"]),
  /** The reason of a refusal; else `null`. */
  reason: sentence,
  /** The act of a person on that host that a taken word still waits for; else `null`. */
  note,
  /** Milliseconds until its end, negative after it. */
  left: safeInteger
})
export type WordStanding = typeof WordStanding.Type

/** A word as the hub tells it to people. */
export interface ToldWord extends WordStanding {
  readonly word: FleetWord
  readonly seen: number
  readonly person: string
  /** Epoch ms by the clock of the hub. */
  readonly said: number
}

/** The token is of a viewer, and only an operator says words. */
export class OperatorOnly extends Schema.TaggedError<OperatorOnly>()("OperatorOnly", {}, { httpApiStatus: 403 }) {
  override get message(): string {
    return "the hub knows this token as that of a viewer, and only an operator says words"
  }
}

/** The hub does not pass a word on. `problem` says why. */
export class WordKept extends Schema.TaggedError<WordKept>()(
  "WordKept",
  { problem: Schema.String },
  { httpApiStatus: 409 }
) {
  override get message(): string {
    return `the hub does not pass the word on: ${this.problem}`
  }
}

/** The hub has no word with this id. */
export class NoSuchWord extends Schema.TaggedError<NoSuchWord>()("NoSuchWord", {}, { httpApiStatus: 404 }) {
  override get message(): string {
    return "the hub has no such word"
  }
}
