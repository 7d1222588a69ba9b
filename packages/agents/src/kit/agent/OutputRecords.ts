import { plain } from "@souffleur/domain"
import { Option } from "effect"
import { type Json, recordOf, textOf } from "../lines/JsonRecord.ts"

/** UTF-16 units of a tool's name, of its argument, and of an error. */
const [maxName, maxArgument, maxError] = [40, 100, 500]

/** Returns the line of a tool for a person. It shows the first argument that is a text. */
export const toolLine = (name: unknown, ...args: ReadonlyArray<unknown>): string => {
  const argument = args.map(textOf).find((text) => text !== "") ?? ""
  return `· ${plain(textOf(name), maxName)}${argument === "" ? "" : `: ${plain(argument, maxArgument)}`}`
}
/** Returns the line of an error for a person. */
export const errorLine = (words: string): string => plain(words, maxError)

/**
 * Makes a reader of an output whose lines are records. `shown` returns the text of a record for a person. `undefined`:
 * it is no record of the agent.
 */
export const makeRecordReader =
  (shown: (record: Json) => string | undefined) =>
  (line: string): Option.Option<string> => {
    const record = recordOf(line)
    return Option.fromUndefinedOr(record === undefined ? undefined : shown(record))
  }
