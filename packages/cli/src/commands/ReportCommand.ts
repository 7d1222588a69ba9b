import { layerHost, layerStoreReading, report, reportJson, reportMarkdown } from "@souffleur/embed/internal"
import { reportFile } from "@souffleur/page"
import { Clock, Effect, Layer } from "effect"
import { Command, Flag } from "effect/cli"
import { withProgressLine } from "../explain/Progress.ts"
import { printJson, printLines } from "../Printing.ts"
import { Environment } from "../world/CommandEnvironment.ts"
import { indentOf, wrapped } from "../Wrapped.ts"
import { json, projectDir, sinceOf, utcFlag, zoneOf } from "./Options.ts"
import { withLayers } from "./ProjectCommand.ts"

/** Prints what the last hours brought, for a person, a program or a browser (spec: command-line#report). */
export const reportCommand = Command.make(
  "report",
  {
    projectDir,
    since: Flag.String("since").pipe(
      Flag.withDescription("The time that is told, up to now, such as 8h"),
      Flag.withDefault("12h")
    ),
    format: Flag.Literals("format", ["md", "html"]).pipe(
      Flag.withDescription("Markdown, or one file of HTML that names no other file"),
      Flag.withDefault("md")
    ),
    utc: utcFlag,
    json
  },
  Effect.fnUntraced(function* (flags) {
    const until = yield* Clock.currentTimeMillis
    const since = yield* sinceOf(flags.since, until, yield* zoneOf(flags))
    const found = yield* withProgressLine("reading the log")(report({ since, until }))
    if (flags.json) return yield* printJson(reportJson(found))
    const zone = yield* zoneOf(flags)
    if (flags.format === "html") return yield* printLines(yield* reportFile(found, zone))
    const { columns } = yield* Environment
    const lines = reportMarkdown(found, zone).split("\n")
    yield* Effect.forEach(lines, (line) => printLines(wrapped(line, columns, indentOf(line) + 2).join("\n")))
  })
).pipe(withLayers((settings) => Layer.merge(layerStoreReading(settings), layerHost)))
