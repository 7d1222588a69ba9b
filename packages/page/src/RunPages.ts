import type { RunAnswer } from "@souffleur/embed"
import type { RecordedAs } from "@souffleur/eventlog"
import { isRunOver, type RunEvent } from "@souffleur/plan"
import { Effect, Stream } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import type { FeedEvent } from "./LiveFeed.ts"
import { posted, refusal } from "./PageGate.ts"
import { framed, goesOnAfter, stateEvery, idInPath, type PageWorld, withFailures } from "./PageWorld.ts"
import { eventItem } from "./view/EventItems.ts"
import { runPage, runStatePart, runView, tasksPart } from "./view/RunPage.ts"
import { eventsOnPage } from "./view/WatchPage.ts"

/** Returns a run as it is now, with all its events. */
const shownNow = Effect.fnUntraced(function* ({ gate, histories, souffleur }: PageWorld, id: string) {
  const found = yield* souffleur.findRun(id)
  return {
    status: yield* souffleur.runStatus(found),
    events: yield* histories(found.id),
    secret: gate.acts ? gate.secrets.form : null
  }
})

const page = Effect.fnUntraced(function* (world: PageWorld) {
  const shown = yield* shownNow(world, yield* idInPath)
  const live = `${world.links.run(shown.status.id)}/live?after=${shown.events.at(-1)?.revision ?? 0}`
  const main = runPage(shown, world.links, yield* world.seen)
  return framed({ title: `${shown.status.id} · souffleur`, live, main }, world)
})

/** Follows a run from the last event that the page knows. */
const follow = Effect.fnUntraced(function* (world: PageWorld) {
  const { feed, histories, links, seen, souffleur } = world
  const { id, run } = yield* souffleur.findRun(yield* idInPath)
  const after = yield* goesOnAfter(run.revision)
  const parts = Effect.gen(function* () {
    const shown = yield* shownNow(world, id)
    const now = yield* seen
    return [
      { event: "part", name: "state", data: runStatePart(shown.status, now) },
      { event: "part", name: "tasks", data: tasksPart(shown, links, now) }
    ] satisfies ReadonlyArray<FeedEvent>
  })
  const feedOf = Effect.fnUntraced(function* (fresh: ReadonlyArray<RecordedAs<RunEvent>>) {
    const view = runView(id, yield* histories(id), links)
    const now = yield* seen
    const rows: FeedEvent = {
      event: "rows",
      id: String(fresh.at(-1)!.revision),
      data: fresh.map((one) => eventItem(one, view, now))
    }
    return [rows, ...(yield* parts)]
  })
  if (isRunOver(run) && after >= run.revision) return yield* feed(Stream.succeed({ event: "over" }))
  return yield* feed(
    Stream.merge(
      souffleur
        .runEvents(id, { after })
        .pipe(Stream.groupedWithin(eventsOnPage, "200 millis"), Stream.mapEffect(feedOf)),
      Stream.mapEffect(Stream.tick(stateEvery), () => parts)
    ).pipe(Stream.flattenIterable)
  )
})

/** Reads an answer from a form. `undefined`: it is none. */
const answerOf = (field: (name: string) => string): RunAnswer | undefined => {
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
      const { id } = yield* world.souffleur.findRun(yield* idInPath)
      yield* world.souffleur.answer(id, said)
      return HttpServerResponse.redirect(world.links.run(id), { status: 303 })
    })
  )

/** Returns the routes of one run of a plan. */
export const runPages = (world: PageWorld) =>
  [
    HttpRouter.route("GET", "/runs/:id", withFailures(world)(page(world))),
    HttpRouter.route("GET", "/runs/:id/live", withFailures(world)(follow(world))),
    HttpRouter.route("POST", "/runs/:id/answer", withFailures(world)(answer(world)))
  ] as const
