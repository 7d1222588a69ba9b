import { plain } from "@souffleur/domain"
import { Cache, Duration, Effect, Exit, Stream } from "effect"
import { HttpRouter } from "effect/http"
import { html } from "../Html.ts"
import type { FeedEvent } from "../LiveFeed.ts"
import { framed, idInPath, type PageWorld, stateEvery, withFailures } from "../PageWorld.ts"
import { needsYou, stateNow } from "../view/StateBadge.ts"
import { changesPart, noChanges } from "./ChangesPage.ts"
import { viewAddress, watchHead } from "./WatchTabs.ts"

/** Watches whose comparison is kept for their readers, and for how many times as long as it took at least. */
const [kept, share] = [16, 20] as const

/** Makes the comparisons of watches. All readers share one, and a larger work tree is compared less often. */
const makeComparisons = ({ souffleur }: PageWorld) =>
  Cache.makeWith(
    Effect.fnUntraced(function* (id: string) {
      const [took, part] = yield* souffleur.changes(id).pipe(
        Effect.map((changes) => changesPart(changes, "of a watch")),
        Effect.catchTag("GitUnusable", ({ problem }) =>
          Effect.succeed(
            noChanges(
              problem.includes("not a git repository") ? "Its folder is in no git repository." : plain(problem, 500)
            )
          )
        ),
        Effect.timed
      )
      return { took, part }
    }),
    {
      capacity: kept,
      timeToLive: (exit) =>
        Exit.isSuccess(exit)
          ? Duration.max(Duration.fromInputUnsafe(stateEvery), Duration.times(exit.value.took, share))
          : Duration.zero
    }
  )

/** Makes the routes of what the work of a watch has changed. */
export const makeChangesPages = Effect.fnUntraced(function* (world: PageWorld) {
  const { feed, links, souffleur } = world
  const comparisons = yield* makeComparisons(world)
  const now = Effect.fnUntraced(function* (id: string) {
    const { part } = yield* Cache.get(comparisons, id)
    const found = yield* souffleur.find(id)
    return { found, job: (yield* souffleur.status(found)).job, part }
  })
  const page = Effect.gen(function* () {
    const { id } = yield* souffleur.find(yield* idInPath)
    const { found, job, part } = yield* now(id)
    return framed(
      {
        title: `${id}: changes · souffleur`,
        needs: Number(needsYou(job)),
        live: found.watch.phase === "Exited" ? null : `${viewAddress(links, id, "changes")}/live`,
        main: html`${watchHead(found, "changes", links)} ${stateNow(job)} ${part}`
      },
      world
    )
  })
  const follow = Effect.gen(function* () {
    const { id } = yield* souffleur.find(yield* idInPath)
    const looks = Stream.tick(stateEvery).pipe(
      Stream.mapEffect(() => now(id)),
      Stream.takeUntil(({ found }) => found.watch.phase === "Exited"),
      Stream.map(({ job, part }): ReadonlyArray<FeedEvent> => [
        { event: "part", name: "state", data: stateNow(job) },
        { event: "part", name: "changes", data: part }
      ]),
      Stream.flattenIterable
    )
    return yield* feed(Stream.concat(looks, Stream.succeed<FeedEvent>({ event: "over" })))
  })
  const failing = withFailures(world)
  return [
    HttpRouter.route("GET", "/watches/:id/changes", failing(page)),
    HttpRouter.route("GET", "/watches/:id/changes/live", failing(follow))
  ] as const
})
