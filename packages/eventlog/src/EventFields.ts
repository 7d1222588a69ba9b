import { Schema, SchemaTransformation } from "effect"

/*
 * The numbers and times of an event. In a log anybody may have written: what is only told or waited for is read as the
 * nearest value in range, and what somebody acts upon must be exact.
 */

/** The earliest moment that a clock was ever set to, epoch ms. */
const earliest = Date.UTC(1900, 0, 1)
/** The latest moment that is told with a year of four digits, epoch ms. */
export const latest = Date.UTC(9999, 11, 31, 23, 59, 59, 999)

const within = (number: number, least: number, most: number): number =>
  Math.min(most, Math.max(least, Math.trunc(number))) || 0

/** A whole number that somebody else states, within these bounds; any other is refused. */
export const isBetween = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))

/** A count that somebody acts upon, such as a fence or the number of a role: exact, or the event cannot be read. */
export const Count = isBetween(0, Number.MAX_SAFE_INTEGER)

const toldBetween = (minimum: number, maximum: number) =>
  Schema.Number.pipe(
    Schema.decodeTo(
      isBetween(minimum, maximum),
      SchemaTransformation.transform({
        decode: (number) => within(number, minimum, maximum),
        encode: (number) => number
      })
    )
  )

/** A moment, epoch ms, from 1900 to 9999. Any number in a log is read as the nearest of them. */
export const Time = toldBetween(earliest, latest)

/**
 * What was measured and is only told: tokens, or ms, negative where a clock was set back. Any number in a log is read
 * as the nearest.
 */
export const Measure = toldBetween(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER)

export const Text = Schema.String

/** An event: its tag, when it happened (epoch milliseconds), and its fields. */
export const event = <const Tag extends string, const Fields extends Schema.Struct.Fields>(tag: Tag, fields: Fields) =>
  Schema.TaggedStruct(tag, { at: Time, ...fields })
