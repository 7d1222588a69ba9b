import { type FleetWord, freshUuid } from "@souffleur/domain"
import { OperatorOnly, type StoreOut } from "@souffleur/fleet"
import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import type { Feeds } from "../LiveFeed.ts"
import { formed, type Reached, refusal } from "../PageGate.ts"
import { isSameSecret } from "../PageSecrets.ts"
import { idInPath, numberOf } from "../PageWorld.ts"
import type { RunSight } from "../run/RunPages.ts"
import { type FrameLinks, jobsUnder, loggedLinks } from "../view/Links.ts"
import { loggedRunFacts, tasksPart } from "../run/RunPage.ts"
import { needsYou } from "../view/StateBadge.ts"
import { agoTag } from "../view/Facts.ts"
import type { Seen } from "../view/Seen.ts"
import { jobHead } from "../view/WatchPage.ts"
import type { WatchSight } from "../WatchPages.ts"
import { type JobNotFound, makeCopies } from "./FleetCopy.ts"
import { fleetActs, fleetFacts, fleetState, isOpen, wordsPart } from "./FleetJobParts.ts"
import type { FleetSight, Guest } from "./FleetSight.ts"

/** Milliseconds for which a word of this page counts. */
const wordLasts = 120_000

/** A browser that was let in, and its person. */
export interface LetIn {
  /** Begins each address of this browser. */
  readonly path: string
  readonly guest: Guest
  /** The secret of its forms. */
  readonly secret: string
  /** Follows something as long as the person's token counts. */
  readonly feed: Feeds
}

/** The hub behind the pages of jobs, and how they are shown. */
interface FleetJobWorld {
  readonly sight: FleetSight
  readonly gate: Reached
  readonly linksOf: (path: string) => FrameLinks
  readonly seen: Effect.Effect<Seen>
}

type Unseen = JobNotFound | StoreOut

/** Makes the pages of the jobs of a fleet. Each is of one log, for one browser. */
export const makeFleetJobs = Effect.fnUntraced(function* ({ gate, linksOf, seen, sight }: FleetJobWorld) {
  const copies = yield* makeCopies(sight)
  return ({ feed, guest, path, secret }: LetIn, log: string) => {
    const copy = copies(log)
    const links = { ...linksOf(path), ...jobsUnder(`${path}/${log}`) }
    const isOver = Effect.fnUntraced(function* (id: string) {
      const { watch } = yield* copy.find(id)
      return watch.phase === "Exited" && !(yield* sight.toWatch(log, id)).some(isOpen)
    })
    const watch: WatchSight<Unseen> = {
      links,
      seen,
      feed,
      find: copy.find,
      excerpts: copy.excerpts,
      events: (id, { after }) => copy.events(id, after, isOver(id)),
      head: ({ id, watch }) => jobHead({ id, where: watch.project }, links),
      moving: Effect.fnUntraced(function* ({ id, watch }) {
        const job = yield* copy.watchJob(id)
        const now = yield* seen
        const form = { address: links.watch(id), hidden: { secret, seen: String(watch.revision) } }
        return [
          { event: "part", name: "state", data: fleetState(job, fleetFacts(watch, now)), needs: needsYou(job) },
          { event: "part", name: "acts", data: fleetActs({ job, role: guest.role, watch }, form) },
          { event: "part", name: "words", data: wordsPart(yield* sight.toWatch(log, id), job.host, now) }
        ]
      })
    }
    const run: RunSight<Unseen> = {
      links,
      seen,
      feed,
      findPlan: copy.findPlan,
      histories: copy.histories,
      planEvents: (id, { after }) => copy.planEvents(id, after),
      runHead: ({ id, run }) => jobHead({ id, where: run.project }, links),
      runMoving: Effect.fnUntraced(function* (found, events) {
        const job = yield* copy.runJob(found.id)
        const now = yield* seen
        const facts = [...loggedRunFacts(found.run), ["Last event", agoTag(found.run.lastEventAt, now)] as const]
        return [
          { event: "part", name: "state", data: fleetState(job, facts), needs: needsYou(job) },
          {
            event: "part",
            name: "tasks",
            data: tasksPart({ ...found, events, secret: null }, loggedLinks(links, found.id), now)
          }
        ]
      })
    }
    /** Says a word of a person to the host of a watch, for the revision that the page showed. */
    const say = (word: FleetWord) =>
      formed(gate)((field) =>
        Effect.gen(function* () {
          if (!isSameSecret(secret, field("secret"))) return refusal(403, "This form is of another page.")
          const seen = numberOf(field("seen"))
          if (seen === undefined) return refusal(400, "This form names no revision.")
          if (guest.role !== "operator") return yield* new OperatorOnly()
          const { id } = yield* copy.watchJob(yield* idInPath)
          const until = (yield* sight.now) + wordLasts
          yield* sight.say(yield* freshUuid, guest, { log, watch: id, word, seen, until })
          return HttpServerResponse.redirect(links.watch(id), { status: 303 })
        })
      )
    return { run, say, watch }
  }
})
