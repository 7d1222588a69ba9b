import { countsOf, Souffleur, summaryOf } from "@souffleur/embed"
import {
  jobJson,
  jobLine,
  jobSigns,
  jobWord,
  layerAgentFiles,
  layerLaunches,
  layerSouffleur
} from "@souffleur/embed/internal"
import { HostTerminal } from "@souffleur/node"
import { Effect, Layer } from "effect"
import { Command } from "effect/cli"
import { Ended } from "../Failure.ts"
import { printJson, printLines } from "../Printing.ts"
import { shortTitle } from "../explain/ShortTitle.ts"
import { table } from "../explain/TextTable.ts"
import { topLoop } from "../top/TopLoop.ts"
import { Environment } from "../world/CommandEnvironment.ts"
import { attach } from "./AttachCommand.ts"
import { json, projectDir, utcFlag, zoneOf } from "./Options.ts"
import { withLayers } from "./ProjectCommand.ts"

/** The exit code after Ctrl-C, which no signal follows while keys are read. */
const interrupted = 130

/** Prints what is here once, for a pipe or a program. */
const printOnce = Effect.fnUntraced(function* (asJson: boolean) {
  const souffleur = yield* Souffleur
  const living = yield* souffleur.jobs
  const { count } = yield* souffleur.endedJobs(1)
  if (asJson) return yield* printJson({ living: living.map(jobJson), ended: count })
  const rows = table(
    living.map((job) => [`${jobSigns[jobWord(job)]} ${job.id}`, shortTitle(job), jobLine(job), job.project])
  )
  yield* printLines([summaryOf(countsOf(living, count)), ...rows].join("\n"))
})

/** Shows all watches and runs live, with keys for a person's words (spec: command-line#top). */
export const topCommand = Command.make(
  "top",
  { projectDir, utc: utcFlag, json },
  Effect.fnUntraced(function* (flags) {
    const { colour, interactive } = yield* Environment
    if (flags.json || !interactive) return yield* printOnce(flags.json)
    const zone = yield* zoneOf(flags)
    const look = topLoop({ colours: colour !== false, zone })
    const end = yield* Effect.andThen(HostTerminal.fullScreen, look).pipe(
      Effect.scoped,
      Effect.provide(HostTerminal.layer)
    )
    if (end.wish === "interrupt") return yield* new Ended({ code: interrupted })
    if (end.wish === "attach") yield* attach(end.id)
  })
).pipe(
  withLayers((settings) =>
    Layer.mergeAll(layerAgentFiles(settings), layerLaunches(settings)).pipe(
      Layer.provideMerge(layerSouffleur(settings))
    )
  )
)
