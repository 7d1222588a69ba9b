import { Schema, SchemaTransformation } from "effect"

/*
 * The numbers and times of an event. Anyone may have written in a log. A value that is only told or waited for is read
 * as the nearest value in range. A value that is acted upon must be exact.
 */

/** The earliest moment that a clock is ever set to, epoch ms. */
const earliest = Date.UTC(1900, 0, 1)
/** The latest moment whose year has four digits, epoch ms. */
export const latest = Date.UTC(9999, 11, 31, 23, 59, 59, 999)

const nearest = (number: number, minimum: number, maximum: number): number =>
  Math.min(maximum, Math.max(minimum, Math.trunc(number))) || 0

/** A whole number from outside, within these bounds. Any other number is refused. */
export const isBetween = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))

/** A count that is acted upon, such as a fence or the number of a role. It is exact, or the event cannot be read. */
export const Count = isBetween(0, Number.MAX_SAFE_INTEGER)

const toldBetween = (minimum: number, maximum: number) =>
  Schema.Number.pipe(
    Schema.decodeTo(
      isBetween(minimum, maximum),
      SchemaTransformation.transform({
        decode: (number) => nearest(number, minimum, maximum),
        encode: (number) => number
      })
    )
  )

/** A moment, epoch ms, from 1900 to 9999. Any number in a log is read as the nearest such moment. */
export const Time = toldBetween(earliest, latest)

/**
 * A measurement that is only told: tokens, or ms, negative where a clock was set back. Any number in a log is read as
 * the nearest value in range.
 */
export const Measure = toldBetween(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER)

/** A text of an event, of any length. */
export const Text = Schema.String

/** Makes the schema of an event: its tag, its time (epoch milliseconds), and its fields. */
export const event = <const Tag extends string, const Fields extends Schema.Struct.Fields>(tag: Tag, fields: Fields) =>
  Schema.TaggedStruct(tag, { at: Time, ...fields })
