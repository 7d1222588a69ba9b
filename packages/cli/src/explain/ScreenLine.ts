import {
  deathInWords,
  describeEvent,
  type Event,
  nameOf,
  plain,
  type Severity,
  stepNames,
  type Watch,
  type WatchEvent,
  ways,
  Words,
  type Zone
} from "@souffleur/domain"

/** One line of souffleur on the screen of `run` and `watch`. */
export interface ScreenLine {
  readonly text: string
  readonly severity: Severity
}

/** UTF-16 units of a line. The log has the whole sentence. */
const maxLine = 500

/** The providers whose successor has a session of its own. It reads a file first. */
const readers = new Set(["claude_export", "handover", "small_handoff"])

const taken = ({ contextTokens }: typeof Event.HandoffTaken.Type, { provider = "" }: Watch): string =>
  `${readers.has(provider) ? "it has read that, and goes on" : "it goes on"}${contextTokens === null ? "" : `: ${Words.count(contextTokens)} tokens of context`}`

/** Events without a notice that a person at the screen wants to see. */
const shown: ReadonlySet<WatchEvent["_tag"]> = new Set([
  "AgentChosen",
  "CeilingReached",
  "ContextExhausted",
  "ContextRecoveryRequested",
  "EndingStarted",
  "FleetWordTaken",
  "HandoffRequested",
  "HoldEnded",
  "HoldStarted",
  "RecoveryWithheld",
  "SouffleurRestored",
  "StopAsked",
  "TurnEnded",
  "ValidationFailed",
  "WaitStarted",
  "WatchReleased",
  "WatchStopped"
])

/**
 * Returns the line of an event on the screen of `run` and `watch`. `undefined`: only `--verbose` shows the event.
 * A recovery has four lines: the death, the way back, what was read, and the end.
 */
export const screenLine = (event: WatchEvent, after: Watch, id: string, zone: Zone): ScreenLine | undefined => {
  const { clause, notice, severity } = describeEvent(event, { who: after, zone })
  const line = (text: string): ScreenLine => ({ text: plain(text, maxLine), severity })
  switch (event._tag) {
    case "ConductorConfirmed":
      return line(`${nameOf(after)} runs (pid ${event.conductor.pid}) as ${id}`)
    case "ConductorDied":
      return line(`${nameOf(after)} died: ${deathInWords(event)}`)
    case "LaunchPrepared":
      return event.pty || notice !== undefined ? line(clause) : undefined
    case "ConductorRelaunched": {
      const pid = event.conductor === null ? "" : ` (pid ${event.conductor.pid})`
      if (event.provider === "handover") return line(`${nameOf(after)} goes on${pid}: ${ways[event.provider]}`)
      return line(`brought back${pid}: ${ways[event.provider] ?? `by ${event.provider}`}`)
    }
    // The command runs again in the next line.
    case "WaitEnded":
      return after.kind === "command" && event.how === "over" ? undefined : line(clause)
    // A person expects the same session, and hears why it is another one.
    case "RecoveryEscalated":
      if (event.from === stepNames.recoveryCommand) return line(`your recovery program: ${event.message}`)
      return event.from === "resume" ? line(`its session is not resumed: ${event.message}`) : undefined
    case "HandoffTaken":
      return line(taken(event, after))
    case "ConductorCompleted":
      return line(
        event.by === "turn"
          ? `${nameOf(after)} stopped; nothing confirms that its work is done`
          : `${nameOf(after)} finished`
      )
    default:
      return notice !== undefined || shown.has(event._tag) ? line(clause) : undefined
  }
}
