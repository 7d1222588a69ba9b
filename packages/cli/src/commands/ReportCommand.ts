import {
  layerComms,
  layerHost,
  layerStoreReading,
  report,
  reportJson,
  receiptMarkdown,
  reportMarkdown,
  tasksNow
} from "@souffleur/embed/internal"
import { Settings } from "@souffleur/domain"
import { reportFile } from "@souffleur/page"
import { pageLink, pageNow } from "@souffleur/process"
import { Clock, Console, Effect, Layer } from "effect"
import { Command, Flag } from "effect/cli"
import { withProgressLine } from "../explain/Progress.ts"
import { printJson, printLines } from "../Printing.ts"
import { Environment } from "../world/CommandEnvironment.ts"
import { indentOf, wrapped } from "../Wrapped.ts"
import { json, projectDir, sinceOf, utcFlag, zoneOf } from "./Options.ts"
import { Project, withLayers } from "./ProjectCommand.ts"

/** The most hours that the page tells. */
const maxHours = 9999

/** Returns a time in whole hours, as the page takes it. */
const hoursOf = (millis: number): number => Math.min(maxHours, Math.max(1, Math.ceil(millis / 3_600_000)))

/** Prints what the last hours brought, for a person, a program or a browser (spec: command-line#report). */
export const reportCommand = Command.make(
  "report",
  {
    projectDir,
    since: Flag.String("since").pipe(Flag.withDescription("How far back, such as 12h"), Flag.withDefault("12h")),
    format: Flag.Literals("format", ["md", "html", "receipt"]).pipe(
      Flag.withDescription(
        "Markdown, one file of HTML that names no other file, or the runs of this folder for a pull request"
      ),
      Flag.withDefault("md")
    ),
    utc: utcFlag,
    json
  },
  Effect.fnUntraced(function* (flags) {
    const until = yield* Clock.currentTimeMillis
    const since = yield* sinceOf(flags.since, until, yield* zoneOf(flags))
    const found = yield* withProgressLine("reading the log")(
      report({ since, until }, (watch) => Effect.provide(tasksNow(watch), layerComms(watch.comms)))
    )
    const page = yield* pageNow(yield* Settings)
    const link = page === null ? null : `${pageLink(page, {})}report?since=${hoursOf(until - since)}h`
    if (flags.json) return yield* printJson({ ...reportJson(found), link })
    const zone = yield* zoneOf(flags)
    if (flags.format === "html") return yield* printLines(yield* reportFile(found, zone))
    if (flags.format === "receipt") {
      const receipt = receiptMarkdown(found, yield* Project, zone)
      return yield* receipt === null
        ? Console.error(`no run of this folder in that time: --since 7d looks further, and --project-dir elsewhere`)
        : printLines(receipt)
    }
    const { columns } = yield* Environment
    const lines = [...reportMarkdown(found, zone).split("\n"), ...(link === null ? [] : ["", `On the page: <${link}>`])]
    yield* Effect.forEach(lines, (line) => printLines(wrapped(line, columns, indentOf(line) + 2).join("\n")))
  })
).pipe(withLayers((settings) => Layer.merge(layerStoreReading(settings), layerHost)))
