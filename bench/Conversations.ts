import { Clock, Console, Effect, FileSystem } from "effect"
import { opened } from "./OpenedPage.ts"
import { sessionFile } from "./SessionFileBench.ts"
import { here, makeStore } from "./StoreFile.ts"
import { report, type Row, timed } from "./Table.ts"

const [warmUp, rounds] = [2, 9]
const sizes = [1, 100] as const
/** The most milliseconds for 100 MB, and how many times as long as 1 MB it may take. */
const limits = { millis: 300, ratio: 1.5 }

/** The views of a watch that read its session, and what tells that they did. */
const views = {
  "/conversation": 'data-who="tool"',
  "": 'id="use"'
} as const

/**
 * Measures the views of a watch that read its session from the end, of 1 MB and of 100 MB in turns. Returns whether each
 * takes no longer than it may.
 */
export const conversations = Effect.fnUntraced(function* (entry: string, folder: string) {
  const fs = yield* FileSystem.FileSystem
  const now = yield* Clock.currentTimeMillis
  const pages = yield* Effect.forEach(
    sizes,
    Effect.fnUntraced(function* (megabytes) {
      const home = `${folder}/said-${megabytes}`
      const [project, state, sessions] = [`${home}/opera`, `${home}/state`, `${home}/.claude/projects/-opera`]
      yield* Effect.forEach([project, sessions], (one) => fs.makeDirectory(one, { recursive: true }))
      yield* fs.makeDirectory(state, { mode: 0o700 })
      makeStore(`${state}/souffleur.db`, project, now, { finished: 0, events: 8 })
      yield* sessionFile(`${sessions}/${here.sessionId}.jsonl`, megabytes * 1_000_000)
      return yield* opened(entry, project, { HOME: home, SOUFFLEUR_STATE_DIR: state })
    })
  )
  const rows: Array<Row> = []
  for (const [view, shown] of Object.entries(views)) {
    const name = view === "" ? "its use over time" : "a conversation"
    const took = pages.map(() => new Array<number>())
    for (let round = 0; round < warmUp + rounds; round++)
      for (const [n, { ask }] of pages.entries()) {
        const answered = Effect.flatMap(ask(`watches/${here.id}${view}`), (answer) =>
          Effect.promise(() => answer.text())
        )
        let text = ""
        const seconds = yield* timed(Effect.tap(answered, (page) => Effect.sync(() => (text = page))))
        if (!text.includes(shown)) return yield* Effect.die(new Error(`the page does not show ${name}`))
        if (round === 0)
          yield* Console.log(`${name}, ${sizes[n]} MB: the first look took ${(seconds * 1000).toFixed(0)} ms`)
        if (round >= warmUp) took[n]!.push(seconds)
      }
    const [few = Number.NaN, many = Number.NaN] = took.map((seconds) => Math.min(...seconds) * 1000)
    rows.push(
      {
        cells: [`${name}, ms`, few.toFixed(1), many.toFixed(1)],
        measured: many / few,
        limit: { atMost: limits.ratio }
      },
      { cells: ["the same, at most", "", ""], measured: many, limit: { atMost: limits.millis } }
    )
  }
  return yield* report(["from the end of a session", ...sizes.map((size) => `${size} MB`), "measured"], rows)
})
