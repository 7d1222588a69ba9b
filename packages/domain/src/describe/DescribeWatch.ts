import { usedByTool } from "../event/EventFields.ts"
import type * as Event from "../event/WatchEvent.ts"
import { described, type Describers, type WatchNoticeKind } from "./Description.ts"
import { nameOf, type Reader } from "./Reader.ts"
import { capital, duration, ended, withoutProgress } from "./Words.ts"
import { isSessionKnown } from "../watch/Target.ts"

/** Names a session within a sentence. A command has none, so the text is empty. */
export const inSession = (sessionId: string) => (isSessionKnown(sessionId) ? `, session ${sessionId}` : "")

/** Says where the last export is. `null`: there is none. */
export const exportAt = (path: string | null) => (path === null ? "There is no export" : `The last export: ${path}`)

/** Says what is missing without each of souffleur's own roles. */
const withoutRole: Readonly<Record<Event.OwnRole, string>> = {
  watcher: 'nothing is watched until "souffleur retry" or "adopt"',
  "self-monitor": 'souffleur stands by, and recovers nothing until "souffleur retry" or "adopt"',
  narrator: 'the watch goes on, and nothing is printed: see "souffleur log"',
  publisher: "the watch goes on, and comms is told nothing more",
  notifier: "the watch goes on, and no notice is sent any more"
}

/** Says how long a hung Conductor has been silent. One that uses the processor, or whose tool does, does something. */
const hung = ({ signs }: Event.Evidence): string => {
  const ages = signs.flatMap(({ age, source }) => (source === "processor" || age === null ? [] : [age]))
  // A preview has no signs.
  const silent = ages.length === 0 ? "it is silent" : `it has been silent for ${duration(Math.min(...ages))}`
  const worked = signs.find(({ says }) => says === usedByTool)
  if (worked !== undefined) return `${silent}, and its tool last used the processor ${duration(worked.age)} ago`
  return signs.some(({ source }) => source === "processor")
    ? "every sign says that it does nothing any more"
    : `${silent}, longer than a call or a tool may be`
}

const deadBy = ({ evidence, reason }: typeof Event.ConductorDied.Type): string => {
  const { end } = evidence
  switch (reason) {
    case "pid":
      return end === null
        ? `its process is ${evidence.process === "zombie" ? "a zombie" : evidence.process}`
        : `it ended ${ended(end)}`
    case "heartbeat":
      return `no heartbeat for ${duration(evidence.heartbeatAge)}, more than ${duration(evidence.staleAfter)}`
    case "hang":
      return hung(evidence)
    case "untaken":
      return "it did not take its hand-off in time"
  }
}

/** Says by what a death was seen, and how many were before it. */
export const deathInWords = (event: typeof Event.ConductorDied.Type): string =>
  `${deadBy(event)}${withoutProgress(event.retries, "death ")}`

const earlyBy = ({ evidence, leftRunning, reason }: typeof Event.EndedEarly.Type): string => {
  switch (reason) {
    case "exit":
      return `its turn was over, but its process ended ${evidence.end === null ? "otherwise" : ended(evidence.end)}`
    case "left-running":
      return `${leftRunning} of the processes that it had started still ran`
    case "refused":
      return "its last tool was refused by a permission"
    case "only-answered":
      return "it has answered, and nothing but reading has succeeded since it was brought back"
    case "unconfirmed":
      return "the program of --until says that its work is not done"
  }
}

const asked = ({ comms, forced, kind, observe, pid, sessionId }: typeof Event.WatchOpened.Type): string => {
  if (kind === "command")
    return 'run a command, and to watch it. It is run again after a failure. After an end that nothing tells, such as a reboot, it waits for "souffleur retry"'
  if (pid === 0) return `run an agent${inSession(sessionId)}, and to watch it`
  const where = comms === null ? "without comms" : `comms ${comms}`
  return `${observe ? "observe" : "watch"} pid ${pid}, session ${sessionId}, ${where}${forced ? ", against the evidence" : ""}`
}

/** Describes the life of a watch, of its Conductor and of souffleur itself. */
export const describeWatch = {
  WatchOpened: (event) => described("info", `souffleur was asked to ${asked(event)}`),
  OwnerTook: ({ fence, owner }) =>
    described("detail", `souffleur (pid ${owner.process.pid}) owns the watch (fence ${fence})`),
  OwnerLeft: () => described("info", "souffleur left. The watch can be resumed"),
  WatchMoved: ({ from, host }) =>
    described("info", `souffleur goes on at ${host}, by a person's word that all of it on ${from.host} is gone`),
  SouffleurRestored: ({ reason, restorations }) =>
    described(
      "warning",
      `souffleur itself ${reason === "died" ? "died" : "fell silent"}, and is brought back${restorations === 1 ? "" : withoutProgress(restorations)}`,
      { message: "warning" }
    ),
  GuardianGaveUp: ({ restorations }) =>
    described(
      "error",
      `souffleur died or fell silent after ${restorations} restorations without progress. The watch has no souffleur now: resume it with "souffleur watch"`,
      { message: "error", notice: "exhausted" }
    ),
  RoleFailed: ({ defect, failures, role }) =>
    described(
      "warning",
      `souffleur's ${role} crashed (bug: ${defect})${failures === 1 ? "" : `, ${failures} times in a row`}`
    ),
  RoleGaveUp: ({ defect, failures, role }) =>
    described(
      "error",
      `souffleur's ${role} crashed ${failures} times in a row (bug: ${defect}) and is not started again: ${withoutRole[role]}`,
      { message: "error", notice: "failed_closed" }
    ),
  ProcessEnding: ({ process, message, what }) =>
    described("warning", `souffleur ends the ${what} (pid ${process.pid}): ${message}`),
  ValidationFailed: ({ attempt, check, message }) =>
    described("warning", `validation ${attempt} of 3 failed at "${check}": ${message}`, { message: "error" }),
  ArgumentsCorrected: ({ pid, sessionId }) =>
    described("info", `a reply corrected the arguments: pid ${pid}, session ${sessionId}`),
  ValidationExhausted: ({ messages }) =>
    described(
      "error",
      `validation failed${messages.length === 1 ? "" : ` ${messages.length} times`}, so nothing is watched. ${messages.map((message, n) => `${n + 1}: ${message}`).join(". ")}`,
      { message: "error", notice: "exhausted" }
    ),
  ConductorConfirmed: ({ below, conductor, sessionId }, { who }) => {
    const text = `${nameOf(who)} is pid ${conductor.pid}${inSession(sessionId)}`
    return below === null
      ? described("info", text)
      : described("info", `${text}: it runs below process ${below}, which was named`, { message: "system" })
  },
  WatcherStarted: ({ awaiting, mode, watcher }) =>
    described(
      "detail",
      `watcher ${watcher} starts${mode === "normal" ? "" : ` (${mode})`}${awaiting ? ", awaiting the session id" : ""}`
    ),
  WatcherLost: ({ beatAge, watcher }) =>
    described(
      "warning",
      `watcher ${watcher} died: ${beatAge === null ? "it never beat" : `its last beat was ${duration(beatAge)} ago`}`
    ),
  SelfMonitorStarted: ({ monitor }) => described("detail", `self-monitor ${monitor} starts`),
  SelfMonitorStopped: ({ monitor, reason }) => described("detail", `self-monitor ${monitor} was ${reason}`),
  WatchSettled: () => described("success", "souffleur watches"),
  ConductorDied: (event, { who }) =>
    described("error", `${nameOf(who)} is dead: ${deathInWords(event)}`, {
      message: "warning",
      notice: "died"
    }),
  ContextRecoveryRequested: (_, { who }) => described("info", `${nameOf(who)} asks for a context recovery`),
  HandoffRequested: () => described("info", "the agent asks for a context recovery"),
  TurnEnded: (_, { who }) => described("info", `${nameOf(who)}'s turn ended with work left. Its session goes on`),
  EndedEarly: (event, { who }) =>
    described(
      "warning",
      `${nameOf(who)} ended, and its work is not complete: ${earlyBy(event)}${withoutProgress(event.retries, "end ")}`,
      { message: "warning", notice: "died" }
    ),
  ConductorCompleted: ({ by }, { who }) =>
    described(
      by === "turn" ? "info" : "success",
      by === "turn"
        ? `${nameOf(who)} stopped, its turn over; nothing confirms that its work is done`
        : `${nameOf(who)} completed${by === "agent" || by === "operator" ? `, as the ${by} says` : ""}`,
      {
        message: "completion",
        notice: by === "turn" ? "unconfirmed" : "completed"
      }
    ),
  SessionIdFound: ({ sessionId }) => described("info", `the session id is ${sessionId}`),
  ConductorAdopted: ({ by, conductor, forced, sessionId }, { who }) =>
    described(
      "success",
      `${nameOf(who)} is pid ${conductor.pid}${inSession(sessionId)}: ${by === "operator" ? `an operator adopted it${forced ? ", against the evidence" : ""}` : "it came back by itself"}`,
      { message: "system", notice: "cleared" }
    ),
  FleetWordTaken: ({ by, word }) =>
    described("info", `operator ${by} said ${word} through the fleet`, { message: "system" }),
  StopAsked: ({ reason }, { who }) =>
    described("info", `a person has ${nameOf(who)} stopped${reason === null ? "" : `: ${reason}`}`, {
      message: "system"
    }),
  WatchStopped: ({ limit }, { who }) =>
    limit === null
      ? described("info", `${nameOf(who)} is stopped, with all that it started`, { message: "system" })
      : described("warning", `${nameOf(who)} is ended, with all that it started: its limit of ${limit} is reached`, {
          message: "system",
          notice: "limit_reached"
        }),
  WatchReleased: ({ exportPath, to }, { who }) =>
    described(
      "info",
      to === null
        ? `an operator released the watch. ${capital(nameOf(who))} is left as it is. ${exportAt(exportPath)}`
        : `${nameOf(who)} and its souffleur are gone, and watch ${to} took comms over. ${exportAt(exportPath)}`,
      { message: "system" }
    )
} satisfies Partial<Describers<Event.WatchEvent, WatchNoticeKind, Reader>>
