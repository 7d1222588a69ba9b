import { defectOf } from "@souffleur/domain"
import { Array, Cause, Layer, Logger, References } from "effect"

const levels: Readonly<Record<string, string>> = { Warn: "warning", Error: "error", Fatal: "error" }

/** Makes a line that a person reads, as a remark is: no time, no fiber, no name of a level. */
const line = Logger.make(({ cause, logLevel, message }) => {
  const level = levels[logLevel]
  const defect = Cause.hasDies(cause) ? [`(a bug: ${defectOf(cause)})`] : []
  const text = [...Array.ensure(message).map(String), ...defect].join(" ")
  return level === undefined ? text : `${level}: ${text}`
})

/**
 * Prints the program's own log on standard error, since standard output is for facts. With `debugging` it has every
 * level and all that Effect knows of a message.
 */
export const layerOwnWarnings = (debugging: boolean) =>
  debugging
    ? Layer.mergeAll(Layer.succeed(Logger.LogToStderr, true), Layer.succeed(References.MinimumLogLevel, "Debug"))
    : Logger.layer([Logger.withConsoleError(line)])
