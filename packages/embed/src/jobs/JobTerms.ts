import {
  type AgentKind,
  CommandRefused,
  digestOf,
  JobId,
  type JobNote,
  labelsFrom,
  type LiteralAgent,
  lower,
  refusedNames,
  titleFrom
} from "@souffleur/domain"
import { Effect, Option, Result, Schema } from "effect"
import type { RunOptions } from "../SouffleurOptions.ts"

/** UTF-16 units of a value of a job's environment. */
const maxValue = 32_000

const bad = (message: string) => Effect.fail(new CommandRefused({ message }))

/** Reads the id that a caller chose; `None`: it chose none. Fails with `CommandRefused` where no watch may have it. */
export const jobIdOf = Effect.fnUntraced(function* ({ id }: Pick<RunOptions, "id">) {
  if (id === undefined) return Option.none()
  const read = Schema.decodeOption(JobId)(id)
  return Option.isSome(read)
    ? read
    : yield* bad('an id is up to 100 letters, digits and "-", begins with no "-", and has no "-g" before a digit')
})

/** Returns the digest of a command, by which the same one is known again. */
export const wordsDigest = (words: ReadonlyArray<string>) => digestOf(JSON.stringify(words))

/**
 * Returns what a caller says of a job, as its log has it, and the agent with the permission that it asks for; `None`: a
 * plain command. Fails with `CommandRefused` where something is out of its bounds, or the command asks for more than
 * the job may.
 */
export const jobTermsOf = Effect.fnUntraced(function* (
  {
    command,
    environment = {},
    id,
    labels = {},
    permission,
    title
  }: Pick<RunOptions, "command" | "environment" | "id" | "labels" | "permission" | "title">,
  literal: Option.Option<LiteralAgent>,
  { marks }: Pick<AgentKind, "marks">
) {
  const named = title === undefined ? null : titleFrom(title)
  if (named === "") return yield* bad("a title has a word")
  const labelled = labelsFrom(labels)
  if (Result.isFailure(labelled)) return yield* bad(`labels: ${labelled.failure}`)
  const names = Object.keys(environment)
  const refused = refusedNames(marks, names)
  if (refused !== undefined) return yield* bad(`the environment of a job ${refused}`)
  const wrong = names.find((name) => environment[name]!.length > maxValue || environment[name]!.includes("\0"))
  if (wrong !== undefined)
    return yield* bad(`the environment of a job: ${wrong} is too long, or holds a zero byte: give its file's path`)
  if (permission !== undefined) {
    if (Option.isNone(literal)) return yield* bad("a plain command has no permission: souffleur knows none of its acts")
    const { requested } = literal.value
    if (lower(requested, permission) !== requested)
      return yield* bad(`the command asks for ${requested}, and the job may have ${permission} at most`)
  }
  const note: JobNote = {
    title: named,
    labels,
    permission: permission ?? null,
    environment: names,
    words: id === undefined ? null : yield* wordsDigest(command)
  }
  return {
    note,
    literal: Option.map(literal, (one) => (permission === undefined ? one : { ...one, requested: permission }))
  }
})
