import { describeEvent, limitInWords, type Severity, Words } from "@souffleur/domain"
import { type Job, Souffleur, type WatchStatus, type Why } from "@souffleur/embed"
import { isNews, runSentence, sentence, taskCells } from "@souffleur/embed/internal"
import { describeRunEvent } from "@souffleur/plan"
import { Effect, Option } from "effect"
import { table } from "../explain/TextTable.ts"
import type { Looked } from "./TopFrame.ts"
import type { Tone, TopLine } from "./TopLine.ts"

/** The newest events of a job that are shown, and those among which they are looked for. */
const [maxEvents, maxRead] = [200, 1000] as const

/** Returns the revision after which the newest events of a job begin. */
const newest = ({ revision }: { readonly revision: number }) => ({ after: Math.max(0, revision - maxRead) })

const tones: Readonly<Record<Severity, Tone | undefined>> = {
  detail: "dim",
  info: undefined,
  success: "green",
  warning: "yellow",
  error: "red"
}

const contextUse = ({ tokens, window }: NonNullable<WatchStatus["context"]>) =>
  window === null
    ? `${Words.count(tokens)} tokens of context`
    : `${Words.count(tokens)} of ${Words.count(window)} tokens of context`

/** Returns what is known of a watch now. */
const factsOf = ({ conductor, context, owner, watch }: WatchStatus): ReadonlyArray<string> => {
  const agent = [
    `S${Math.max(1, watch.generation)}`,
    ...(watch.conductor === undefined ? [] : [`pid ${watch.conductor.pid} ${conductor ?? ""}`.trimEnd()]),
    ...(context === null ? [] : [contextUse(context)]),
    ...(watch.retries === 0 ? [] : [`deaths: ${Words.ofAllowed(watch.retries)}`])
  ]
  const keeper = watch.owner === undefined ? "none" : `pid ${watch.owner.process.pid} ${owner ?? "unknown"}`
  return [watch.project, agent.join(", "), ...(watch.phase === "Exited" ? [] : [`souffleur: ${keeper}`])]
}

const eventLine = (at: number, text: string, tone: Tone | undefined, { now, zone }: Looked): TopLine => ({
  text: `${Words.moment(at, now, zone)}  ${text}`,
  tone
})

/** Returns the tasks in its comms, and how long its limits last. */
const aheadOf = ({ limits, tasks }: WatchStatus, now: number): ReadonlyArray<string> => [
  ...table(tasks.map(taskCells)),
  ...limits.map((one) => limitInWords(one, now))
]

const watchLines = Effect.fnUntraced(function* (id: string, seen: Looked) {
  const souffleur = yield* Souffleur
  const found = yield* souffleur.find(id)
  const status = yield* souffleur.status(found)
  const events = (yield* souffleur.history(id, newest(found.watch)))
    .filter(({ event }) => isNews(event))
    .slice(-maxEvents)
  return [
    ...[...factsOf(status), ...aheadOf(status, seen.now)].map((text) => ({ text })),
    { text: "" },
    ...events
      .toReversed()
      .map(({ event }) =>
        eventLine(event.at, sentence(event, found.watch, seen.zone), tones[describeEvent(event).severity], seen)
      )
  ]
})

const runLines = Effect.fnUntraced(function* (id: string, seen: Looked) {
  const souffleur = yield* Souffleur
  const { run } = yield* souffleur.findPlan(id)
  const events = (yield* souffleur.planHistory(id, newest(run))).slice(-maxEvents)
  return events
    .toReversed()
    .map(({ event }) =>
      eventLine(event.at, runSentence(event, "", seen.zone), tones[describeRunEvent(event).severity], seen)
    )
})

/** Returns a watch or a run with its last events, the newest first. Fails where its log cannot be read. */
export const jobText = (job: Job, seen: Looked) =>
  job.kind === "watch" ? watchLines(job.id, seen) : runLines(job.id, seen)

/** Returns the last decision of a watch or a run, with its evidence. Fails where its log cannot be read. */
export const whyText = Effect.fnUntraced(function* ({ id, kind }: Job, { zone }: Looked) {
  const souffleur = yield* Souffleur
  const why: Option.Option<Pick<Why, "lines">> = yield* kind === "run"
    ? souffleur.planWhy(id, { zone })
    : souffleur.why(id, { zone })
  const lines = Option.isNone(why) ? ["Nothing is decided yet."] : why.value.lines
  return lines.map((text): TopLine => ({ text }))
})
