import {
  limitInWords,
  nameOf,
  oneOf,
  type RecoveryCycle,
  type Watch,
  type WatchEvent,
  capInWords,
  waitInWords,
  Words,
  type Zone
} from "@souffleur/domain"
import type { Explanation } from "./Explanation.ts"

type Signed = Extract<
  WatchEvent,
  {
    readonly _tag:
      | "KillDeferred"
      | "PersonAwaited"
      | "ConductorIdle"
      | "WaitStarted"
      | "WaitEnded"
      | "HoldStarted"
      | "HoldEnded"
      | "CeilingReached"
      | "LimitForeseen"
      | "AllowanceRenewed"
      | "HandoffTaken"
  }
>

/** The reason of a recovery, by its trigger. */
export const becauseOf: Readonly<Record<RecoveryCycle["trigger"], string>> = {
  pid: "its process was gone",
  heartbeat: "its heartbeat was too old",
  hang: "every sign had been silent for too long",
  untaken: "it had not taken its hand-off in time",
  handoff: "it had asked for a planned hand-off",
  handover: "a person handed the conversation over",
  "turn-ended": "its turn had ended before its work",
  limit: "the cause that ended its last turn was over",
  stop: "a person had it stopped",
  ceiling: "a limit of its job was reached",
  context: "its conversation no longer fitted the model",
  exit: "its turn was over, but its process did not end well",
  "left-running": "it had left processes running at its end",
  refused: "its last tool had been refused by a permission",
  "only-answered": "it had answered, and no work of it had succeeded",
  unconfirmed: "a program had found its work undone"
}

type WaitEnd = Extract<WatchEvent, { readonly _tag: "WaitEnded" }>["how"]

const endOfWait: Readonly<Record<WaitEnd, (watch: Watch) => Explanation>> = {
  over: () => ({
    seen: ["nothing has gone on meanwhile"],
    rule: "At its end a wait is checked once, and the postponed action is done once."
  }),
  "went on": (watch) => ({
    seen: ["the session has gone on meanwhile"],
    rule: `${Words.capital(oneOf(watch))} that goes on by itself is left alone.`
  }),
  asked: (watch) => ({
    seen: [`${nameOf(watch)} asked for a fresh context`],
    rule: `${Words.capital(nameOf(watch))}'s own request ends a wait, but not the wait of that same request.`
  }),
  go: () => ({
    seen: ["an operator said souffleur go, or retry"],
    rule: "An operator's word ends a wait: the postponed action is done now, once."
  })
}

/**
 * Explains an event that the signs of a Conductor led to, apart from its end. `undefined` where the event only follows
 * from another decision.
 */
export const reasonOfSigns = (event: Signed, before: Watch, zone: Zone): Explanation | undefined => {
  switch (event._tag) {
    case "KillDeferred":
      return {
        seen: [event.message],
        rule: "A live process whose session file says why it is silent is left alone for as long; then its heartbeat counts."
      }
    case "PersonAwaited":
      return {
        seen: [
          `${before.conductor === undefined ? "the agent" : `process ${before.conductor.pid}`} in session ${before.sessionId} waits for a person`,
          `it waits for: ${event.for}`
        ],
        rule: "An agent that waits for a person is alive, however long: neither silence nor an old heartbeat is a death.",
        act: "nothing was stopped or launched; souffleur attach goes there, and the agent's next action ends the wait"
      }
    case "ConductorIdle":
      return {
        seen: [
          `${before.conductor === undefined ? "the agent" : `process ${before.conductor.pid}`} in session ${before.sessionId} runs, and its last turn is over`,
          `its turn ended at ${Words.dateAndTime(event.since, zone)}`
        ],
        rule: "An agent at its prompt whose turn is over works no more: that is no hang, and no end of the work.",
        act: "nothing was stopped or launched; its next turn ends this, and souffleur done ends the watch"
      }
    case "WaitStarted":
      // The death before it is the decision.
      if (event.kind === "quiet-hours" || event.kind === "pause") return undefined
      return {
        seen: [
          `its last turn was ended by ${waitInWords[event.kind]}`,
          event.resetsAt === null
            ? `the session file does not state when that ends: ${Words.duration(event.until - event.at)} are tried, wait ${before.waits + 1} in a row`
            : `the session file states that it ends at ${Words.dateAndTime(event.resetsAt, zone)}`
        ],
        rule: "What the service ended is no death: it is waited out, and then the session is resumed once."
      }
    case "WaitEnded":
      return endOfWait[event.how](before)
    case "HoldStarted":
      return {
        seen: [`${event.byAgent ? "an agent's session" : "an operator"} said souffleur hold`],
        rule: "A hold outranks every recovery: souffleur watches and reports, and stops or launches nothing.",
        act: "souffleur go ends it, and begins the recovery that it held back"
      }
    case "HoldEnded":
      return {
        seen: [
          "an operator said souffleur go",
          ...(before.held === undefined ? [] : [`it was held for ${Words.duration(event.at - before.held.since)}`])
        ],
        rule: "At the end of a hold souffleur does once what it held back.",
        ...(before.standby?.held === true || before.wait !== undefined
          ? {}
          : { act: "nothing was held back: souffleur goes on" })
      }
    case "CeilingReached": {
      const { ceiling } = event
      const own: Readonly<Record<string, unknown>> = before.limits ?? {}
      const from = (own[ceiling] ?? null) === null ? `MAX_${ceiling.toUpperCase()}` : "a limit of the job"
      const allowed = `that are allowed (${from})`
      return {
        seen: [
          event.flag !== null
            ? capInWords(event)
            : ceiling === "tokens"
              ? `${Words.count(event.used)} tokens were used, of ${Words.count(event.limit)} ${allowed}`
              : ceiling === "dollars"
                ? `${Words.dollars(event.used)} were spent by the agent's own count, of ${Words.dollars(event.limit)} ${allowed}`
                : `it has gone on for ${Words.duration(event.used)}, of ${Words.duration(event.limit)} ${allowed}`,
          `counted from ${Words.dateAndTime((event.flag === null ? undefined : before.capsSince) ?? before.allowedSince, zone)} on, over ${before.sessions.length} ${before.sessions.length === 1 ? "session" : "sessions"}`
        ],
        ...(event.then === "stop"
          ? { rule: "A limit of a job ends its agent with all that it started, and its watch." }
          : {
              rule: "At a ceiling of the user's no process is stopped, and nothing more is launched without an operator's word.",
              act: "the work in hand goes on; souffleur retry allows as much again, souffleur release ends the watch"
            })
      }
    }
    case "LimitForeseen":
      return {
        seen: [limitInWords(event, event.at)],
        rule: "A limit that is coming is told once before it is reached. Nothing is stopped or launched by it."
      }
    case "AllowanceRenewed":
      return {
        seen:
          before.ceiling === undefined
            ? ["an operator said souffleur retry, before the ceiling was reached"]
            : [`an operator said souffleur retry, at the ceiling of ${before.ceiling.ceiling}`],
        rule: "An operator's word outranks a ceiling: as much as it says is allowed again, counted from now on.",
        act: `${nameOf(before)} goes on, and is recovered again when it dies`
      }
    case "HandoffTaken":
      return {
        seen: [`the session of launch ${event.launchId} has our prompt, and a first real answer after it`],
        rule: "A recovery has succeeded when the successor has taken the hand-off, not when it was started."
      }
  }
}
