import { Text } from "@souffleur/eventlog"
import { Effect, Result, Schema } from "effect"
import { plain } from "../PlainText.ts"
import { JobLimits } from "../settings/JobLimits.ts"
import { Permission } from "../settings/Permission.ts"

/**
 * The id of a watch as the caller chooses it: letters, digits and `-`, 100 at most. `-g` and a digit is how souffleur
 * names the launches of a watch, so no id has that.
 */
export const JobId = Schema.String.check(Schema.isPattern(/^(?!.*-g\d)[A-Za-z0-9][A-Za-z0-9-]{0,99}$/u)).pipe(
  Schema.brand("JobId")
)
export type JobId = typeof JobId.Type

/** The names and values by which a caller finds its jobs again. */
export type Labels = Readonly<Record<string, string>>

/** UTF-16 units of a title, and of what is read of a text for one. */
const [maxTitle, maxRead] = [100, 1000] as const
/** Labels of a job, and UTF-16 units of a value. */
const [maxLabels, maxValue] = [20, 200] as const

/** Makes a title of a caller's text, on one line, that no terminal obeys. Empty: it had no word. */
export const titleFrom = (text: string): string =>
  plain(plain(text.trimStart().slice(0, maxRead).trimEnd().replaceAll(/\s+/gu, " ")), maxTitle)

/** Reads labels. A program compares their values, so none is changed. */
export const labelsFrom = (labels: Labels): Result.Result<Labels, string> => {
  const all = Object.entries(labels)
  if (all.length > maxLabels) return Result.fail(`at most ${maxLabels}`)
  const isLabel = ([name, value]: readonly [string, string]) =>
    /^[A-Za-z0-9][A-Za-z0-9._/-]{0,62}$/u.test(name) && value.length <= maxValue && plain(value) === value
  const wrong = all.findIndex((one) => !isLabel(one))
  return wrong < 0
    ? Result.succeed(labels)
    : Result.fail(
        `number ${wrong + 1} must have a name of 63 letters, digits, ".", "_", "/" and "-" at most, and a value of ${maxValue} characters on one line`
      )
}

/** What whoever began a job said of it, for all its generations (spec: behaviour#jobs-of-a-caller). */
export const JobNote = Schema.Struct({
  /** `null`: none was given. */
  title: Schema.NullOr(Text),
  labels: Schema.Record(Text, Text),
  /** The highest permission of its launches, below every ceiling; `null`: the ceilings alone hold. */
  permission: Schema.NullOr(Permission),
  /** The names of the variables that it was given. Their values are in its first launch file alone. */
  environment: Schema.Array(Text),
  /** SHA-256 of its words, hex, where the caller chose the id; `null`: it did not. */
  words: Schema.NullOr(Text)
})
export type JobNote = typeof JobNote.Type

/** The note of a job of which nothing was said. */
export const noNote: JobNote = { title: null, labels: {}, permission: null, environment: [], words: null }

/** The part of the first event that is about the job, and not about its process. */
export const ofJob = {
  /** `null`: the settings alone limit it. */
  limits: Schema.NullOr(JobLimits).pipe(Schema.withConstructorDefault(Effect.succeed(null))),
  note: JobNote.pipe(Schema.withConstructorDefault(Effect.succeed(noNote)))
}
