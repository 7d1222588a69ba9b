import {
  describeEvent,
  type Event,
  plain,
  type Severity,
  type Watch,
  type WatchEvent,
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

/** Returns the word for the Conductor. A person who uses no comms knows only the agent, or the command. */
const nameOf = ({ comms, kind }: Watch): string =>
  comms !== null ? "the Conductor" : kind === "command" ? "the command" : "the agent"

/** Says how each provider brings a Conductor back. Another provider is named. */
const ways: Readonly<Record<string, string>> = {
  continue_turn: "its session goes on",
  claude_export: "a new session reads an export of its conversation",
  resume: "its session is resumed",
  standard_compact: "its session goes on, compacted",
  small_handoff: "a new session reads the end of its conversation",
  restart: "started again"
}

/** The providers whose successor has a session of its own. It reads a file first. */
const readers = new Set(["claude_export", "small_handoff"])

const taken = ({ contextTokens }: typeof Event.HandoffTaken.Type, { provider = "" }: Watch): string =>
  `${readers.has(provider) ? "it has read that, and goes on" : "it goes on"}${contextTokens === null ? "" : `: ${Words.count(contextTokens)} tokens of context`}`

/** Events without a notice that a person at the screen wants to see. */
const shown: ReadonlySet<WatchEvent["_tag"]> = new Set([
  "ContextExhausted",
  "ContextRecoveryRequested",
  "HandoffRequested",
  "HoldEnded",
  "HoldStarted",
  "RecoveryWithheld",
  "SouffleurRestored",
  "TurnEnded",
  "ValidationFailed",
  "WaitStarted",
  "WatchReleased"
])

/** Says a sentence of the log with the name that a person knows. */
const renamed = (text: string, watch: Watch): string =>
  text.replaceAll(/\b[Tt]he Conductor(?: \(S\d+\))?/gu, nameOf(watch))

/**
 * Returns the line of an event on the screen of `run` and `watch`. `undefined`: only `--verbose` shows the event.
 * A recovery has four lines: the death, the way back, what was read, and the end.
 */
export const screenLine = (event: WatchEvent, after: Watch, id: string, zone: Zone): ScreenLine | undefined => {
  const { notice, severity, text } = describeEvent(event, zone)
  const line = (words: string): ScreenLine => ({ text: plain(words.replace(/\.$/u, ""), maxLine), severity })
  switch (event._tag) {
    case "ConductorConfirmed":
      return line(`${nameOf(after)} runs (pid ${event.conductor.pid}) as ${id}`)
    case "ConductorDied":
      return line(renamed(text, after).replace(" is dead:", " died:"))
    case "ConductorRelaunched":
      return line(`brought back (pid ${event.conductor.pid}): ${ways[event.provider] ?? `by ${event.provider}`}`)
    // A person expects the same session, and hears why it is another one.
    case "RecoveryEscalated":
      return event.from === "resume" ? line(`its session is not resumed: ${event.message}`) : undefined
    case "HandoffTaken":
      return line(taken(event, after))
    case "ConductorCompleted":
      return line(`${nameOf(after)} finished`)
    default:
      return notice !== undefined || shown.has(event._tag) ? line(renamed(text, after)) : undefined
  }
}
