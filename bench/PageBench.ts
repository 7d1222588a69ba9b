import { Clock, Console, Effect, FileSystem, Path } from "effect"
import { souffleur } from "./Child.ts"
import { conversations } from "./Conversations.ts"
import { opened } from "./OpenedPage.ts"
import { here, makeStore } from "./StoreFile.ts"
import { restingWatch } from "./Resting.ts"
import { report, type Row, timed } from "./Table.ts"
import { shares, used } from "./Used.ts"

const [warmUp, rounds] = [2, 9]
/** The page of the second store may take so many times that of the first one. */
const limits = { firstByte: 1.5, size: 1.1, memory: 1.5, looked: 1.25 }

const stores = [
  { name: "200 watches", finished: 200, events: 2000 },
  { name: "10,000 watches", finished: 10_000, events: 20_000 }
] as const

/**
 * Measures the processor of a watch whose state and changes somebody looks at, beside that of one alone. Both rest at the same time, and
 * then they change their places. So it does not matter which one began first.
 */
const looked = Effect.fnUntraced(function* (entry: string, folder: string, seconds: number) {
  const fs = yield* FileSystem.FileSystem
  const folders = [`${folder}/one`, `${folder}/other`] as const
  const watches = yield* Effect.forEach(folders, (one) =>
    Effect.andThen(fs.makeDirectory(one), restingWatch(one, ["--no-guardian"]))
  )
  const pids = watches.map(({ pid }) => pid)
  const look = Effect.fnUntraced(function* (home: string) {
    const { ask } = yield* opened(entry, home, { HOME: home, SOUFFLEUR_STATE_DIR: `${home}/state` })
    const list = yield* Effect.flatMap(ask(""), (answer) => Effect.promise(() => answer.text()))
    const [, id = ""] = /\/watches\/([\w-]+)"/u.exec(list) ?? []
    for (const view of ["", "/changes"]) {
      const feed = yield* ask(`watches/${id}${view}/live`)
      yield* Effect.forkScoped(Effect.promise(() => feed.text().catch(() => "")))
    }
    // The start of the page is over by then.
    yield* Effect.sleep("10 seconds")
    return yield* shares(pids, seconds)
  }, Effect.scoped)
  const first = yield* look(folders[0])
  const second = yield* look(folders[1])
  return { alone: first[1]!.percent + second[0]!.percent, looked: first[0]!.percent + second[1]!.percent }
})

/**
 * Measures the page on 10,000 watches, in turns with the same page on 200, and a watch while somebody looks. Returns
 * whether each takes no more than it may.
 */
export const page = (seconds: number) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const folder = yield* fs.realPath(yield* fs.makeTempDirectoryScoped({ prefix: "souffleur-bench-" }))
    const project = path.join(folder, "opera")
    yield* fs.makeDirectory(project)
    const { entry, run } = yield* souffleur
    const now = yield* Clock.currentTimeMillis
    const pages = yield* Effect.forEach(
      stores,
      Effect.fnUntraced(function* ({ name, ...held }, n) {
        const state = path.join(folder, `state-${n}`)
        yield* fs.makeDirectory(state, { mode: 0o700 })
        makeStore(path.join(state, "souffleur.db"), project, now, held)
        const env = { HOME: folder, SOUFFLEUR_STATE_DIR: state }
        // The souffleur of each watch has folded it as it went.
        yield* run(["status", "--json"], env)
        const one = yield* opened(entry, project, env)
        const list = yield* timed(one.ask(""))
        const watch = yield* timed(one.ask(`watches/${here.id}`))
        yield* Console.log(
          `${name}: the first look took ${list.toFixed(2)} s, that at a watch of ${held.events} events ${watch.toFixed(2)} s`
        )
        return one
      })
    )
    const memory = Effect.fnUntraced(function* (name: string, limit?: Row["limit"]) {
      const [few, many] = yield* Effect.forEach(pages, ({ pid }) => used(pid))
      const cells = [name, few!.megabytes.toFixed(0), many!.megabytes.toFixed(0)]
      return { cells, measured: many!.megabytes / few!.megabytes, ...(limit === undefined ? {} : { limit }) }
    })
    const views = ["", `watches/${here.id}`, "?q=done-00ff"]
    const rows: Array<Row> = []
    for (const view of views) {
      if (view.startsWith("?")) rows.push(yield* memory("the server, MB", { atMost: limits.memory }))
      const took = pages.map(() => new Array<number>())
      const sizes = pages.map(() => 0)
      for (let round = 0; round < warmUp + rounds; round++)
        for (const [n, { ask }] of pages.entries()) {
          const seconds = yield* timed(
            Effect.tap(ask(view), (answer) =>
              Effect.map(
                Effect.promise(() => answer.text()),
                (text) => (sizes[n] = text.length)
              )
            )
          )
          if (round >= warmUp) took[n]!.push(seconds)
        }
      const [few = Number.NaN, many = Number.NaN] = took.map((seconds) => Math.min(...seconds))
      const name = view === "" ? "the list" : view.startsWith("?") ? "a search" : "a watch"
      const time = [`${name}, ms`, (few * 1000).toFixed(1), (many * 1000).toFixed(1)]
      // A search looks through all names.
      rows.push({
        cells: time,
        measured: many / few,
        ...(name === "a search" ? {} : { limit: { atMost: limits.firstByte } })
      })
      if (name !== "a search")
        rows.push({
          cells: [`${name}, kB of HTML`, ...sizes.map((size) => (size / 1000).toFixed(1))],
          measured: sizes[1]! / sizes[0]!,
          limit: { atMost: limits.size }
        })
    }
    rows.push(yield* memory("the server after it, MB"))
    const said = yield* conversations(entry, folder)
    const share = yield* looked(entry, folder, seconds)
    const met = [
      said,
      yield* report(["page", ...stores.map(({ name }) => name), "ratio"], rows),
      yield* report(
        ["a watch at rest, % of a core", "alone", "looked at", "ratio"],
        [
          {
            cells: [`twice ${seconds} s`, share.alone.toFixed(3), share.looked.toFixed(3)],
            measured: share.looked / share.alone,
            limit: { atMost: limits.looked }
          }
        ]
      )
    ]
    return !met.includes(false)
  })
