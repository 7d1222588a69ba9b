import { Duration, Option, Result, Schema } from "effect"
import { serverUrl } from "./NotifyChannel.ts"
import { parseQuietHours, type QuietHours } from "./QuietHours.ts"

/** Writes a duration as text that reads back as the same. */
export const inWords = (duration: Duration.Duration) => {
  const millis = Duration.toMillis(duration)
  return millis % 1000 === 0 ? `${millis / 1000} seconds` : `${millis} millis`
}

/** Reads one setting. `Err` says in a few words what the text must be. */
export type Read<A> = (text: string) => Result.Result<A, string>

/** Reads a text that is not empty. */
export const text: Read<string> = (value) =>
  value.trim() === "" ? Result.fail("must not be empty") : Result.succeed(value)

/** A program and its first arguments. */
export type Words = readonly [string, ...ReadonlyArray<string>]

const decodeWords = Schema.decodeUnknownOption(
  Schema.fromJsonString(Schema.NonEmptyArray(Schema.NonEmptyString.check(Schema.isPattern(/^[^\0]+$/u))))
)

/** Reads a program, or a JSON array of a program and its first arguments. No shell reads it. */
export const words: Read<Words> = (value) => {
  const text = value.trim()
  const read = text.startsWith("[") ? decodeWords(text) : Option.some<Words>([text])
  return Option.match(
    Option.filter(read, ([program]) => program !== ""),
    {
      onNone: () => Result.fail(`must be a program, or words such as ["kitty","--"]`),
      onSome: Result.succeed
    }
  )
}

/**
 * Reads a program and its arguments, as words between spaces or as a JSON array. No shell reads them, so words that
 * only a shell understands are refused.
 */
export const plainWords: Read<Words> = (value) => {
  const text = value.trim()
  if (text.startsWith("[")) return words(text)
  if (/[\\|&;<>()$`"'*?~#\n]/u.test(text))
    return Result.fail(`must be a program and its arguments, as no shell reads it; else write ["sh","-c","…"]`)
  return Result.flatMap(words(text), () => Result.succeed(text.split(/\s+/u) as [string, ...Array<string>]))
}

/** Makes the reader of a word out of a list. */
export const literal =
  <const A extends string>(literals: ReadonlyArray<A>): Read<A> =>
  (value) => {
    const found = literals.find((literal) => literal === value)
    return found === undefined ? Result.fail(`must be one of ${literals.join(", ")}`) : Result.succeed(found)
  }

/** Reads a whole number above 0. */
export const positiveInteger: Read<number> = (value) => {
  const number = /^[0-9]+$/.test(value) ? Number(value) : 0
  return Number.isSafeInteger(number) && number > 0 ? Result.succeed(number) : Result.fail("must be a positive integer")
}

/** An amount of dollars, with at most two decimals. */
export const dollars: Read<number> = (value) => {
  const number = /^[0-9]{1,9}(?:\.[0-9]{1,2})?$/.test(value) ? Number(value) : 0
  return number > 0 ? Result.succeed(number) : Result.fail("must be dollars such as 25 or 2.50")
}

const units = { s: "seconds", m: "minutes", h: "hours", d: "days" } as const

/** Reads `8h`, `30m`, `90d`, or a duration as Effect writes it. Any other text gives `None`. */
export const durationOf = (text: string): Option.Option<Duration.Duration> =>
  Duration.fromInput(
    text.replace(
      /^(\d+)\s*([smhd])$/u,
      (_, count: string, unit: keyof typeof units) => `${count} ${units[unit]}`
    ) as Duration.Input
  )

/** The longest setting of a duration. It is far below the limit of a timer. */
const maxDuration = Duration.weeks(2)

const durationFrom =
  (shortest: Duration.Duration): Read<Duration.Duration> =>
  (value) =>
    Option.match(
      Option.filter(
        durationOf(value),
        (duration) =>
          Duration.isFinite(duration) && Duration.between(duration, { minimum: shortest, maximum: maxDuration })
      ),
      {
        onNone: () => Result.fail(`must be a duration such as 90s or 8h, from ${inWords(shortest)} to two weeks`),
        onSome: Result.succeed
      }
    )
/** A first wait may be zero. An interval of zero would poll without a pause, and an age of zero is always exceeded. */
export const wait = durationFrom(Duration.zero)
/** Reads a time of at least a millisecond. */
export const interval = durationFrom(Duration.millis(1))

/** Reads the address of the page from elsewhere: `https://HOST`, with a port where it has one, and without a path. */
export const pageUrl: Read<string> = (value) => {
  const url = serverUrl(value)
  return url === undefined || url.pathname !== "/" || url.search !== ""
    ? Result.fail('must be an address such as "https://night.example", without a path')
    : Result.succeed(url.origin)
}

/** Reads two times of the day. */
export const quietHours: Read<QuietHours> = (value) =>
  Option.match(parseQuietHours(value), {
    onNone: () => Result.fail('must be two times of the day such as "23:00-07:00"'),
    onSome: Result.succeed
  })
