import { isOwnCommand, type Watch, Words } from "@souffleur/domain"
import { lateMillis, type SeenJob, silenceOf, type ToldWord } from "@souffleur/fleet"
import { type Html, html } from "../Html.ts"
import { type Fact, factList, keptContext, pastFacts, agoTag } from "../view/Facts.ts"
import type { Seen } from "../view/Seen.ts"
import { statePanel } from "../view/StateBadge.ts"
import { type ActForm, actsPart, watchActs } from "../view/WatchActs.ts"
import type { Guest } from "./FleetSight.ts"

/** Returns the state of a job of another host, as its log says. */
export const fleetState = (job: SeenJob, facts: ReadonlyArray<Fact | null>): Html => {
  const silence = silenceOf(job)
  const words = job.need === null ? job.standing : job.need.why
  return statePanel({
    job,
    words: silence === undefined ? words : `last known: ${words}`,
    lines: [
      silence !== undefined && html`<p class="trouble">${job.host} is ${silence}. All of this is as last known.</p>`,
      // A host may say anything, and no other command of it is told.
      job.need !== null && isOwnCommand(job.need.next) && html`<p class="next">There: <code>${job.need.next}</code></p>`
    ],
    facts: factList([["Host", job.host], ...facts])
  })
}

/** Returns the facts of a watch of another host. Its processes and its files cannot be seen. */
export const fleetFacts = (watch: Watch, seen: Seen): ReadonlyArray<Fact | null> => [
  ...pastFacts(watch, seen),
  keptContext(watch),
  ["Last event", agoTag(watch.lastEventAt, seen)]
]

/** Returns what a guest can say to a watch of another host: an operator its words, a viewer nothing. */
export const fleetActs = (
  { job, role, watch }: Pick<Guest, "role"> & { readonly job: SeenJob; readonly watch: Watch },
  form: ActForm
): Html => {
  if (role === "viewer" || watch.phase === "Exited") return actsPart([])
  if (job.takesWords) return actsPart(watchActs(watch, form))
  return actsPart([
    html`<p class="quiet">
      ${job.host} takes no words of a fleet: it joined with --read-only, or has an earlier version.
    </p>`
  ])
}

/** Says what became of a word. */
const fateOf = ({ left, note, outcome, reason }: ToldWord, host: string, { now, zone }: Seen): string => {
  if (outcome === "taken") return `${host} has taken it${note === null ? "" : `, and ${note}`}`
  if (outcome === "refused") return `refused: ${reason}`
  if (left > 0) return `${host} has not answered yet. It counts until ${Words.moment(now + left, now, zone)}`
  return `no answer came from ${host} before its end. It counts no more, and may have been taken before`
}

/** Returns whether the answer to a word may still come. */
export const isOpen = ({ left, outcome }: ToldWord): boolean => outcome === "waiting" && left > -lateMillis

/** Returns the words that people said to a watch at this hub, and what became of each. */
export const wordsPart = (words: ReadonlyArray<ToldWord>, host: string, seen: Seen): Html =>
  words.length === 0
    ? html`<div id="words" hidden></div>`
    : html`<section id="words" class="panel" aria-labelledby="words-title">
        <h2 id="words-title">Words from this hub</h2>
        <ul class="marks">
          ${words.map(
            (one) =>
              html`<li>
                ${agoTag(one.said, seen)}
                <p>
                  <strong>${one.word}</strong> by ${one.person}, for revision ${one.seen}: ${fateOf(one, host, seen)}.
                </p>
              </li>`
          )}
        </ul>
      </section>`
