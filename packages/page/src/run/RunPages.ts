import type { PartsError, PlanAnswer, PlanReadFailed } from "@souffleur/embed"
import type { RecordedAs } from "@souffleur/eventlog"
import { isRunOver, type NamedRun, type RunEvent } from "@souffleur/plan"
import { Cache, Effect, Stream } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import type { Histories } from "../history/Histories.ts"
import type { Html } from "../Html.ts"
import { type FeedEvent, type Feeds, type MovingPart, neededBy } from "../LiveFeed.ts"
import { posted, refusal } from "../PageGate.ts"
import { framed, goesOnAfter, stateEvery, idInPath, type PageWorld, withFailures } from "../PageWorld.ts"
import { eventItem } from "../view/EventItems.ts"
import { runPage, runStatePart, runView, tasksPart } from "./RunPage.ts"
import { type JobLinks, workLinks } from "../view/Links.ts"
import { needsYou } from "../view/StateBadge.ts"
import type { Seen } from "../view/Seen.ts"
import { eventsOnPage, jobHead } from "../view/WatchPage.ts"

type Events = ReadonlyArray<RecordedAs<RunEvent>>

/** A look at a run: what moves of it, and whether it is over. */
interface RunNow {
  readonly run: NamedRun["run"]
  readonly parts: ReadonlyArray<MovingPart>
}

/** A run as its page asks for it: of this host, or of the copy that a hub has. */
export interface RunSight<E> {
  readonly links: JobLinks
  readonly seen: Effect.Effect<Seen>
  readonly feed: Feeds
  readonly findPlan: (name: string) => Effect.Effect<NamedRun, E>
  readonly histories: Histories<E>
  /** Follows the events after a revision. */
  readonly planEvents: (id: string, from: { readonly after: number }) => Stream.Stream<RecordedAs<RunEvent>, E>
  readonly runHead: (found: NamedRun) => Html
  /** Returns the parts that move without an event. */
  readonly runMoving: (found: NamedRun, events: Events) => Effect.Effect<ReadonlyArray<MovingPart>, E>
  /** Looks at a run that has this revision at least, for all of its readers; absent: each reader looks. */
  readonly runNow?: (id: string, revision: number) => Effect.Effect<RunNow, E>
}

/** Answers with the page of a run. */
export const showRun = Effect.fnUntraced(function* <E>(sight: RunSight<E>) {
  const { histories, links, runHead, runMoving, seen } = sight
  const found = yield* sight.findPlan(yield* idInPath)
  const events = yield* histories(found.id)
  const moving = yield* runMoving(found, events)
  const shown = { id: found.id, head: runHead(found), moving, events }
  const live = `${links.run(found.id)}/live?after=${events.at(-1)?.revision ?? 0}`
  const main = runPage(shown, links, yield* seen)
  return framed({ title: `${found.id} · souffleur`, needs: neededBy(moving), live, main }, sight)
})

/** Follows a run from the last event that the page knows. */
export const followRun = Effect.fnUntraced(function* <E>(sight: RunSight<E>) {
  const { feed, findPlan, histories, links, planEvents, runMoving, seen } = sight
  const { id, run } = yield* findPlan(yield* idInPath)
  const after = yield* goesOnAfter(run.revision)
  let newest = run.revision
  const looked = Effect.gen(function* () {
    const found = yield* findPlan(id)
    return { run: found.run, parts: yield* runMoving(found, yield* histories(id)) } satisfies RunNow
  })
  const look = Effect.suspend(() => sight.runNow?.(id, newest) ?? looked)
  const feedOf = Effect.fnUntraced(function* (fresh: Events) {
    const now = yield* seen
    const view = runView(id, yield* histories(id), links, now)
    const rows: FeedEvent = {
      event: "rows",
      id: String(fresh.at(-1)!.revision),
      data: fresh.map((one) => eventItem(one, view, now))
    }
    newest = Math.max(newest, fresh.at(-1)!.revision)
    const { parts, run } = yield* look
    return {
      over: isRunOver(run) && fresh.at(-1)!.revision >= run.revision,
      parts: [rows, ...parts] satisfies ReadonlyArray<FeedEvent>
    }
  })
  if (isRunOver(run) && after >= run.revision) return yield* feed(Stream.succeed({ event: "over" }))
  const fresh = planEvents(id, { after }).pipe(
    Stream.groupedWithin(eventsOnPage, "200 millis"),
    Stream.mapEffect(feedOf),
    Stream.takeUntil(({ over }) => over),
    Stream.map(({ parts }): ReadonlyArray<FeedEvent> => parts),
    Stream.concat(Stream.succeed<ReadonlyArray<FeedEvent>>([{ event: "over" }]))
  )
  const looks = Stream.mapEffect(Stream.tick(stateEvery), () => Effect.map(look, ({ parts }) => parts))
  return yield* feed(Stream.flattenIterable(Stream.merge(fresh, looks, { haltStrategy: "left" })))
})

/** Reads an answer from a form. `undefined`: it is none. */
const answerOf = (field: (name: string) => string): PlanAnswer | undefined => {
  const [task, answer] = [field("task"), field("answer")]
  if (task !== "" && answer === "guidance") return { task, guidance: field("text") }
  if (answer !== "retry" && answer !== "skip") return undefined
  return task === "" ? { finishing: answer } : { task, answer }
}

const answer = (world: PageWorld) =>
  posted(world.gate)((field) =>
    Effect.gen(function* () {
      const said = answerOf(field)
      if (said === undefined) return refusal(400, "This is no answer.")
      const { id } = yield* world.souffleur.findPlan(yield* idInPath)
      yield* world.souffleur.answer(id, said)
      return HttpServerResponse.redirect(world.links.run(id), { status: 303 })
    })
  )

/** The time in which the readers of a run share its parts. It is shorter than the time between two looks of one. */
const shared = "3 seconds"
/** Runs whose parts are shared. */
const kept = 8

/** Makes how this host shows its runs. */
const makeSight = Effect.fnUntraced(function* ({ feed, gate, histories, links, seen, souffleur }: PageWorld) {
  const secret = gate.acts ? gate.secrets.form : null
  const runMoving = Effect.fnUntraced(function* (found: NamedRun, events: Events) {
    const now = yield* seen
    const status = yield* souffleur.planStatus(found)
    const tasks = tasksPart({ ...found, events, secret }, workLinks(links, found.id), now)
    return [
      { event: "part", name: "state", data: runStatePart(status, now), needs: needsYou(status) },
      { event: "part", name: "tasks", data: tasks }
    ] satisfies ReadonlyArray<MovingPart>
  })
  const looks = yield* Cache.make({
    capacity: kept,
    timeToLive: shared,
    lookup: Effect.fnUntraced(function* (id: string) {
      const found = yield* souffleur.findPlan(id)
      return { run: found.run, parts: yield* runMoving(found, yield* histories(id)) } satisfies RunNow
    })
  })
  return {
    links,
    seen,
    feed,
    findPlan: souffleur.findPlan,
    histories,
    planEvents: souffleur.planEvents,
    runHead: ({ id, run }) => jobHead({ id, where: run.project }, links),
    runMoving,
    runNow: Effect.fnUntraced(function* (id, revision) {
      const known = yield* Cache.get(looks, id)
      if (known.run.revision >= revision) return known
      yield* Cache.invalidate(looks, id)
      return yield* Cache.get(looks, id)
    })
  } satisfies RunSight<PlanReadFailed | PartsError>
})

/** Makes the routes of one run of a plan. */
export const makeRunPages = Effect.fnUntraced(function* (world: PageWorld) {
  const sight = yield* makeSight(world)
  const failing = withFailures(world)
  return [
    HttpRouter.route("GET", "/runs/:id", failing(showRun(sight))),
    HttpRouter.route("GET", "/runs/:id/live", failing(followRun(sight))),
    HttpRouter.route("POST", "/runs/:id/answer", failing(answer(world)))
  ] as const
})
