import { examples as ofRuns } from "../../../packages/plan/test/fixtures/events/RunExamples.ts"
import { examples as ofWatches } from "../../../packages/domain/test/fixtures/events/Examples.ts"
import type { Seed } from "../../simulation/Seed.ts"
import { border, holds } from "../Border.ts"
import { homeIn, printsWell, type Said, say } from "../CommandLine.ts"
import { word } from "../Hostile.ts"
import { type Row, streamOf, writeLog } from "../LogFile.ts"

const [watches, runs] = [Object.values(ofWatches), Object.values(ofRuns)]
const watch = (seed: Seed, stream: string): ReadonlyArray<Row> =>
  streamOf(seed, stream, ofWatches.WatchOpened, watches, 14)
const conduct = (seed: Seed, stream: string): ReadonlyArray<Row> => streamOf(seed, stream, ofRuns.RunOpened, runs, 14)

/**
 * Checks that a command tells the watch, refuses its input, or refuses an unreadable log. It never ends in a defect.
 */
const endsWell = (said: Said): void => {
  holds(said.code !== "still at it" && [0, 1, 2, 3, 4].includes(said.code), "it ends in no way of its own", said.code)
  printsWell(said)
}

const opera = "opera-0001"
const telling = [
  ["status"],
  ["status", "--json"],
  ["status", opera],
  ["log", opera],
  ["log", "--all"],
  ["log", "--all", "--json"],
  ["log", opera, "--since", "8h"],
  ["why", opera],
  ["why", opera, "3", "--json"],
  ["state", opera],
  ["state", opera, "--json"],
  ["state", opera, "--at", "3"],
  ["doctor"],
  ["doctor", "--json"],
  ["release", opera],
  ["retry", opera],
  ["done", opera],
  ["attach", opera]
]

/** Checks the commands that tell of a watch. Whatever is in the log, each tells it or says that it cannot be read. */
export const watchLogs = border("watch-logs", {
  share: 3,
  draw: (seed) => ({
    rows: [
      ...watch(seed, opera),
      ...watch(seed, seed.pick(["opera-0002", "../../x", word(seed)])),
      ...(seed.chance(0.3) ? conduct(seed, "run/opera-0003") : [])
    ],
    args: seed.pick(telling)
  }),
  checks: {
    "are told": async ({ args, rows }, place) => {
      writeLog(homeIn(place.folder).state, rows)
      endsWell(await say(place.folder, args))
    }
  }
})

const ofConduct = [
  ["conduct", "status"],
  ["conduct", "status", "--json"],
  ["conduct", "status", "--all"],
  ["conduct", "log"],
  ["conduct", "log", "--json"],
  ["conduct", "log", "--run", opera],
  ["conduct", "why"],
  ["conduct", "why", "--json"],
  ["conduct", "answer", "task-001", "go on"],
  ["conduct", "answer", "task-001", "--retry"],
  ["doctor"],
  ["status"]
]

export const runLogs = border("run-logs", {
  share: 3,
  draw: (seed) => ({
    rows: [...conduct(seed, `run/${opera}`), ...(seed.chance(0.3) ? conduct(seed, `run/${word(seed)}`) : [])],
    args: seed.pick(ofConduct)
  }),
  checks: {
    "are told": async ({ args, rows }, place) => {
      const { project, state } = homeIn(place.folder)
      // A run is found by its project.
      writeLog(
        state,
        rows.map((row) =>
          row.tag === "RunOpened" ? { ...row, data: row.data.replace(ofRuns.RunOpened.project, project) } : row
        )
      )
      endsWell(await say(place.folder, args))
    }
  }
})
