import {
  type Choice,
  describeEvent,
  EventLog,
  evolve,
  initial,
  isEnd,
  isServiceWait,
  type PhoneWord,
  personsZone,
  type StateWord,
  utc,
  type Watch,
  type WatchEvent,
  type WatchNoticeKind,
  type Zone
} from "@souffleur/domain"
import { type LostNotice, type Notice, NoticeChannels, noticeDesk, type Offer, warnOfLost } from "@souffleur/process"
import { positionOf } from "@souffleur/eventlog"
import { Effect, Stream } from "effect"
import { newest } from "./CommsPublisher.ts"

/** A notice of a watch. */
export type WatchNotice = Notice<WatchNoticeKind>

/** A wait of the user's own making is not told. */
const isTold = (wait: Watch["wait"]): boolean => wait !== undefined && isServiceWait(wait.kind)

/** Returns whether a person was told of something that is not over. */
const isOpen = ({ person, standby, wait }: Watch): boolean =>
  standby !== undefined || person !== undefined || isTold(wait)

/** The state of a watch, and the deaths in a row since it last made progress: one episode. */
export interface Episode {
  readonly watch: Watch
  readonly deaths: number
}
/** The episode before the first event of a watch. */
export const noEpisode: Episode = { watch: initial, deaths: 0 }

/** Returns the deaths of the episode after an event. A person who adopts a process ends it. */
const deathsAfter = (event: WatchEvent, deaths: number): number => {
  switch (event._tag) {
    case "ConductorDied":
    case "EndedEarly":
      return event.retries === 0 ? 1 : deaths + 1
    case "ContextRecoveryRequested":
    case "ContextExhausted":
    case "HandoffRequested":
    case "TurnEnded":
      return event.retries === 0 ? 0 : deaths
    case "ConductorAdopted":
      return 0
    default:
      return deaths
  }
}

/** Returns what is told after an event. */
export const episodeAfter = ({ deaths, watch }: Episode, event: WatchEvent): Episode => ({
  watch: evolve(watch, event),
  deaths: deathsAfter(event, deaths)
})

/** Returns whether an event begins or ends an episode, or belongs to none. `before` is the watch up to that event. */
const movesEpisode = (event: WatchEvent, { deaths, watch: before }: Episode): boolean => {
  switch (event._tag) {
    case "ConductorDied":
    case "EndedEarly":
      return deathsAfter(event, deaths) === 1
    // A command has no conversation to take up: it runs, or it does not. An agent has recovered when it took the
    // hand-off.
    case "ConductorRelaunched":
      return before.kind === "command" && deaths < 2
    case "HandoffTaken":
      return deaths < 2
    case "TrustGiven":
      return before.overreach !== undefined
    case "ConductorResolved":
      return before.conductor === undefined
    case "WaitStarted":
      return before.wait === undefined
    case "WaitEnded":
      return isTold(before.wait)
    case "ConductorAdopted":
      return isOpen(before)
    default:
      return true
  }
}

/** The command to type next for each kind, and the state that follows. */
const follows: Readonly<Record<WatchNoticeKind, readonly [command: string, state: StateWord]>> = {
  completed: ["souffleur log", "ended"],
  unconfirmed: ["souffleur why", "ended"],
  died: ["souffleur why", "recovering"],
  recovered: ["souffleur attach", "working"],
  failed_closed: ["souffleur retry", "needs you"],
  exhausted: ["souffleur why", "ended"],
  waiting_for_a_person: ["souffleur attach", "needs you"],
  idle: ["souffleur attach", "idle"],
  usage_limit: ["souffleur status", "working"],
  outage: ["souffleur status", "working"],
  ceiling: ["souffleur retry", "needs you"],
  limit_near: ["souffleur status", "working"],
  limit_reached: ["souffleur why", "ended"],
  untrusted_config: ["souffleur config --trust", "needs you"],
  silent_task: ["souffleur status", "working"],
  warning: ["souffleur why", "working"],
  cleared: ["souffleur status", "working"]
}

/**
 * Returns the notice of an event of the watch `id`. A death, a failed recovery, an awaited person and a limit are
 * episodes: their begin and their end are told. `before`: what was told up to that event. `undefined`: no notice.
 */
export const noticeOf = (id: string, event: WatchEvent, before: Episode, zone: Zone = utc): WatchNotice | undefined => {
  const { notice: kind, own, words } = describeEvent(event, { who: before.watch, zone })
  if (kind === undefined || !movesEpisode(event, before)) return undefined
  // Under a hold nothing follows until a person says so.
  const held = event._tag === "HoldStarted" || (kind === "died" && before.watch.held !== undefined)
  // souffleur may not find the window of an agent that it did not launch.
  const isElsewhere = kind === "idle" && before.watch.launchId === undefined
  const [command, state] = held
    ? (["souffleur go", "needs you"] as const)
    : isElsewhere
      ? (["souffleur done", "idle"] as const)
      : event._tag === "PhoneWordRefused" && (isOpen(before.watch) || before.watch.held !== undefined)
        ? (["souffleur why", "needs you"] as const)
        : follows[kind]
  return { kind, state, text: own, words, next: kind === "untrusted_config" ? command : `${command} ${id}` }
}

const choice = (...words: ReadonlyArray<PhoneWord>): ReadonlyArray<Choice> =>
  words.map((word) => ({ word, task: null }))

/**
 * Returns what a person may answer a notice from a phone, the safest first. None of it raises anything. `watch`: as it
 * is after the event.
 */
export const choicesOf = (
  { kind, state }: WatchNotice,
  { held, standby, wait }: Pick<Watch, "held" | "standby" | "wait">
): ReadonlyArray<Choice> => {
  if (state !== "needs you" && kind !== "idle") return []
  if (held !== undefined) return choice("go")
  switch (kind) {
    case "idle":
      return choice("hold", "done")
    case "failed_closed":
    case "waiting_for_a_person":
      return standby !== undefined ? choice("retry", "done") : choice("hold", wait === undefined ? "done" : "go")
    default:
      return []
  }
}

/** The kinds after which the last words of the Conductor say most. */
const ends: ReadonlySet<WatchNoticeKind> = new Set([
  "completed",
  "unconfirmed",
  "died",
  "exhausted",
  "idle",
  "limit_reached"
])

/** UTF-16 units of the last words in a notice, whose reader may be a telephone. */
const maxWords = 300

/** Returns the last words in one line, cut at its beginning; `null` where there are none. */
const lastOf = (lines: ReadonlyArray<string>): string | null => {
  const all = lines.join(" · ")
  return all === "" ? null : all.length <= maxWords ? all : `…${all.slice(1 - maxWords)}`
}

/** The end of a notifier, and what it may ask about a watch. */
export interface NotifierOptions {
  /** The revision to stop after. Absent: the watch's end. */
  readonly until?: number
  /** Makes the buttons of a notice. Absent: none has any. */
  readonly offer?: Offer
  /** Is told of each notice that a channel gave up. Absent: a warning. */
  readonly lost?: (notice: LostNotice) => Effect.Effect<unknown>
  /** Returns the last words of a watch's Conductor, a line each. Absent: they are not known. */
  readonly lastWords?: (watch: Watch) => Effect.Effect<ReadonlyArray<string>>
}

/**
 * Tells each channel the notices of a watch, until the watch ends and each channel has taken or given up its last one.
 */
export const notifier = Effect.fn("notifier")(function* (
  id: string,
  project: string,
  {
    lastWords = () => Effect.succeed([]),
    lost = warnOfLost,
    offer,
    until = Number.POSITIVE_INFINITY
  }: NotifierOptions = {}
) {
  const log = yield* EventLog
  const mark = `${id}/notified`
  yield* positionOf(mark, newest(id))
  const desk = yield* noticeDesk(mark, lost, offer)
  const heard = (yield* NoticeChannels).some(({ words }) => words)
  const zone = yield* personsZone
  let episode = noEpisode
  yield* log.changes(id, 0).pipe(
    Stream.tap(
      Effect.fnUntraced(function* ({ event, revision }) {
        const { watch } = episode
        const notice = noticeOf(id, event, episode, zone)
        episode = episodeAfter(episode, event)
        if (notice === undefined) return
        const asked = heard && notice.words === null && ends.has(notice.kind)
        const words = asked ? lastOf(yield* lastWords(watch)) : notice.words
        const { labels, title } = episode.watch.note
        const message = { subject: { watch: id, project }, job: { title, labels }, revision, at: event.at }
        yield* desk.tell({ ...message, notice: { ...notice, words } }, choicesOf(notice, episode.watch))
      })
    ),
    Stream.takeUntil(({ event, revision }) => isEnd(event) || revision >= until),
    Stream.runDrain
  )
  yield* desk.close
}, Effect.scoped)
