import {
  type Event,
  evolve,
  initial,
  isAnotherCommit,
  nameOf,
  oneOf,
  type Reader,
  type Recorded,
  utc,
  type Watch,
  type WatchEvent,
  Words,
  type Zone
} from "@souffleur/domain"
import { evidence } from "./Evidence.ts"
import { allReasons, type Explained, type Explanation, lastReason, type Reason, reasonLines } from "./Explanation.ts"
import { reasonOfGuard } from "./GuardReason.ts"
import { reasonOfPin } from "./PinReason.ts"
import { reasonOfRecovery } from "./RecoveryReason.ts"
import { reasonOfSigns } from "./SignReason.ts"
import { sentence } from "./WatchSentence.ts"

/** Returns the known progress since the last launch. */
const progress = (
  { at, taskCount, taskFingerprint }: Pick<typeof Event.ConductorDied.Type, "at" | "taskCount" | "taskFingerprint">,
  { baseline, comms, kind, launchedAt }: Watch
): string => {
  if (kind === "command") return `it ran ${Words.duration(at - launchedAt)}; the progress of a command is not known`
  if (comms !== null) return `${taskCount ?? "an unknown number of"} tasks, ${baseline.taskCount} at the last launch`
  const another = isAnotherCommit(baseline.taskFingerprint, taskFingerprint ?? "")
  const commits = another === undefined ? "no known commit" : another ? "another commit" : "no commit"
  return `results of tools: ${taskCount ?? "unknown"}, ${baseline.taskCount} at the last launch; ${commits} since`
}

/** The source of the word that the work is complete. */
const saidBy: Readonly<Record<(typeof Event.ConductorCompleted.Type)["by"], string>> = {
  watcher: "task-00 was in state complete",
  recovery: "task-00 was in state complete",
  agent: 'the agent said so: "souffleur done"',
  operator: 'an operator said so: "souffleur done"',
  turn: "its process ended by itself, after a finished turn",
  exit: "the command ended with exit code 0",
  program: "the program of --until ended with 0"
}

const ruleOfDeath = ({ reason, evidence: { staleAfter } }: typeof Event.ConductorDied.Type, watch: Watch): string => {
  switch (reason) {
    case "pid":
      return "A process that is gone, is a zombie, or whose pid belongs to another is dead."
    case "heartbeat":
      return `A heartbeat older than ${Words.duration(staleAfter)} means that ${nameOf(watch)} is dead or hung.`
    case "hang":
      return `${Words.capital(oneOf(watch))} whose every sign has been silent for longer than a call may stall is hung.`
    case "untaken":
      return "A successor that does not take its hand-off in time is dead."
  }
}

/** The rule of a word that an operator said. */
const outranks = "An operator's word outranks recovery."

/** The rule of each early end (spec: behaviour#early-ends). */
const ruleOfEarlyEnd: Readonly<Record<(typeof Event.EndedEarly.Type)["reason"], string>> = {
  exit: "The end of a turn completes the work only where its process ends by itself, with exit code 0.",
  "left-running": "An end that leaves processes running completes the work only the second time in a row.",
  refused: "A turn that ends right after a refused permission has not done what it wanted.",
  "only-answered": "A successor of which no work has succeeded since its launch has not shown that the work is done.",
  unconfirmed: "Where a program says whether the work is done, the end of a turn does not."
}

const untaken = (
  { at, evidence: { signs } }: typeof Event.ConductorDied.Type,
  { launchedAt, sessionId }: Watch
): ReadonlyArray<string> => [
  `it was launched ${Words.duration(at - launchedAt)} before`,
  ...(signs.some(({ source }) => source === "session file")
    ? []
    : [`its session ${sessionId} had no file: it never began`])
]

/** Returns the evidence and the rule of a decision. `undefined` for an event that only follows from one. */
const explain = (event: WatchEvent, before: Watch, zone: Zone): Explanation | undefined => {
  const name = nameOf(before)
  switch (event._tag) {
    case "ConductorDied":
      return {
        seen: [
          ...evidence(event.evidence, before),
          ...(event.reason === "untaken" ? untaken(event, before) : []),
          progress(event, before)
        ],
        rule: ruleOfDeath(event, before)
      }
    case "ContextExhausted":
      return {
        seen: evidence(event.evidence, before),
        rule: "A conversation that no longer fits ends every turn: it is handed to a fresh session, smaller."
      }
    case "KillDeferred":
    case "PersonAwaited":
    case "ConductorIdle":
    case "WaitStarted":
    case "WaitEnded":
    case "HoldStarted":
    case "HoldEnded":
    case "CeilingReached":
    case "LimitForeseen":
    case "AllowanceRenewed":
    case "HandoffTaken":
      return reasonOfSigns(event, before, zone)
    case "ContextRecoveryRequested":
      return {
        seen: evidence(event.evidence, before),
        rule: `${Words.capital(name)} itself set context_recovery in this generation: a planned hand-off.`
      }
    case "HandoffRequested":
      return {
        seen: [`the agent of session ${event.sessionId} asked for it`],
        rule: `${Words.capital(name)}'s own request is a planned hand-off of this generation.`
      }
    case "TurnEnded":
      return {
        seen: [...evidence(event.evidence, before), "its pid file was removed, and its last turn is finished"],
        rule: `${Words.capital(oneOf(before))} in print mode ends after its turn: the same session is resumed.`
      }
    case "EndedEarly":
      return {
        seen: [
          ...evidence(event.evidence, before),
          ...(event.leftRunning === 0 ? [] : [`${event.leftRunning} of the processes that it had started still ran`]),
          progress(event, before)
        ],
        rule: ruleOfEarlyEnd[event.reason]
      }
    case "ConductorUnresolved":
      return {
        seen: [
          ...(before.conductor === undefined
            ? [`session ${event.sessionId} is named without its process`]
            : [
                `task-00 names session ${event.sessionId}, not the launched one`,
                `process ${before.conductor.pid} was launched`
              ]),
          "no live process says that it holds that session"
        ],
        rule: `A process that may not be ${name}'s proves neither its life nor its death: until one holds the session, its heartbeat alone counts. A recovery cannot stop whom it does not know, and fails closed; souffleur adopt names the process.`
      }
    case "ConductorResolved":
      return {
        seen: [`process ${event.conductor.pid} says that it holds the session`],
        rule: `The process that holds the session is ${name}.`
      }
    case "ConductorCompleted":
      return {
        seen: [saidBy[event.by]],
        rule: "Completion comes before every other exit, and cancels a recovery.",
        ...(event.by === "turn"
          ? { act: 'nothing more. A program can confirm the next work: souffleur run --until "npm test" -- AGENT' }
          : {})
      }
    case "WatcherLost":
      return {
        seen: [
          event.beatAge === null
            ? "the watcher never beat"
            : `the watcher's last beat was ${Words.duration(event.beatAge)} ago`
        ],
        rule: `A watcher whose beat is too old is replaced; ${name} is not touched.`
      }
    case "RoleGaveUp":
      return {
        seen: [`the ${event.role} of souffleur died ${event.failures} times in a row: ${event.defect}`],
        rule: "A role that dies of a defect again and again stays ended; without a watcher or a self-monitor souffleur stands by."
      }
    case "SouffleurRestored":
    case "GuardianGaveUp":
      return reasonOfGuard(event, before)
    case "ConfigOverreached":
    case "ConfigWithdrawn":
    case "TrustGiven":
      return reasonOfPin(event, before)
    case "ProcessEnding":
      return {
        seen: [event.message],
        rule: "souffleur ends a process that it started before it starts another, and signals that process alone."
      }
    case "ValidationFailed":
      return { seen: [event.message], rule: `The check "${event.check}" must pass; three failures end the watch.` }
    case "RecoveryFailedClosed":
    case "RecoveryEscalated":
    case "RetriesExhausted":
    case "ConductorRelaunched":
    case "WindowRefused":
      return reasonOfRecovery(event, before)
    case "AgentChosen":
      return {
        seen: [`the conversation is of ${event.from}`],
        rule: "Only a person hands a conversation over to another agent.",
        act:
          event.from === event.agent
            ? `${event.agent} goes on with its own session, and is stopped only where a recovery of its own begins`
            : `${event.from} is stopped, and ${event.agent} goes on from an export`
      }
    case "FleetWordTaken":
      return {
        seen: [`${event.by} said ${event.word} for revision ${before.revision}`],
        rule: "A word through a hub counts once, for the revision that its speaker saw, and is decided by this host."
      }
    case "WatchStopped":
      if (event.limit !== null)
        return {
          seen: [`its limit of ${event.limit} was reached`],
          rule: "A limit of a job ends its agent with all that it started, and its watch.",
          act: "nothing more: a new run begins with limits of its own"
        }
      return { seen: [], rule: outranks }
    case "StopAsked":
      return { seen: [], rule: outranks }
    case "WatchReleased":
      return event.to === null
        ? { seen: [], rule: outranks }
        : {
            seen: ["the process of the Conductor is gone, and so is the souffleur that owned the watch"],
            rule: "A comms file has one watch. It yields to another one where its Conductor and its souffleur are gone."
          }
    case "ConductorAdopted":
    case "RecoveryRetried":
      return {
        seen:
          event._tag === "ConductorAdopted" && event.forced
            ? ["evidence said that it is another: the operator knew better (--force)"]
            : event._tag === "RecoveryRetried" && event.by === "login"
              ? [
                  "its login was renewed after its end: its file was written, or the agent says that it is logged in again"
                ]
              : [],
        rule:
          event._tag === "ConductorAdopted" && event.by === "heartbeat"
            ? "A heartbeat newer than the closing, and a live process that holds the session, end a standby."
            : event._tag === "RecoveryRetried" && event.by !== "operator"
              ? "A renewed login, or a word of an agent's session, begins what was withheld, and allows no further use."
              : outranks
      }
    default:
      return undefined
  }
}

/** A watch, and the end of its last process as the decisions saw it; `null`: no decision saw one. */
interface Seen {
  readonly watch: Watch
  readonly end: Event.Evidence["end"]
}

/** How the events of a watch are explained. The last end before the watch gave up belongs to what was seen of them. */
const explained = (before: Watch, zone: Zone): Explained<Seen, WatchEvent> => ({
  initial: { watch: before, end: null },
  evolve: ({ end, watch }, event) => ({
    watch: evolve(watch, event),
    end: "evidence" in event ? event.evidence.end : event._tag === "ConductorRelaunched" ? null : end
  }),
  explain: (event, { end, watch }) => {
    const found = explain(event, watch, zone)
    return found === undefined || event._tag !== "RetriesExhausted" || end === null
      ? found
      : { ...found, seen: [...found.seen, `the last one ended ${Words.ended(end)}`] }
  }
})

/**
 * Explains every decision of a watch, in the words of {@link sentence}. `before`: the state before the first of its
 * events, where they are a part.
 */
export const reasonsOf = (
  events: ReadonlyArray<Recorded>,
  before: Watch = initial,
  zone: Zone = utc
): ReadonlyArray<Reason<WatchEvent>> => allReasons(events, explained(before, zone))

/** Returns the newest decision at or before a revision. `before`: as in {@link reasonsOf}. */
export const reasonOf = (
  events: ReadonlyArray<Recorded>,
  upTo: number,
  before: Watch = initial,
  zone: Zone = utc
): Reason<WatchEvent> | undefined => lastReason(events, upTo, explained(before, zone))

/** Returns lines for a person. `who`: the watch of the decision. */
export const reasonText = (reason: Reason<WatchEvent>, who: Reader["who"], zone?: Zone): ReadonlyArray<string> =>
  reasonLines(reason, (event) => sentence(event, who, zone), zone)
