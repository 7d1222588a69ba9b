import type { WatchEvent } from "../event/WatchEvent.ts"
import { utc, type Zone } from "../Time.ts"
import type { Watch } from "../watch/Watch.ts"
import { describeEvent } from "./DescribeEvent.ts"
import type { Description, WatchNoticeKind } from "./Description.ts"
import { inSession } from "./DescribeWatch.ts"
import { capital, sentence, threeEnds } from "./Words.ts"

/** The facts that decide how a person calls the Conductor. */
export type Known = Pick<Watch, "comms" | "kind"> & Partial<Pick<Watch, "agent" | "handedFrom">>

const nounOf = ({ comms, kind }: Known) => (comms !== null ? "Conductor" : kind === "command" ? "command" : "agent")

/**
 * Returns the name of the Conductor for a person. Without comms it is the agent, or the command. Where a person chose
 * the agent, it has its own name.
 */
export const nameOf = (known: Known): string =>
  (known.comms === null ? (known.handedFrom ?? known.agent) : undefined) ?? `the ${nounOf(known)}`

/** Says a text with the name that a person knows, where there is no comms. */
export const renamed = (text: string, known: Known): string =>
  known.comms !== null
    ? text
    : text.replaceAll(/\b(the|an?) Conductor(?: \(S\d+\))?/giu, (_, article: string) =>
        article.toLowerCase() === "the"
          ? article === "The"
            ? capital(nameOf(known))
            : nameOf(known)
          : `${article}${known.kind === "agent" && article.length === 1 ? "n" : ""} ${nounOf(known)}`
      )

/** Says how each provider brings a Conductor back. Another provider is named. */
export const ways: Readonly<Record<string, string>> = {
  begin_again: "it begins again with its first prompt",
  continue_turn: "its session goes on",
  claude_export: "a new session reads an export of its conversation",
  handover: "it reads an export of the conversation before",
  resume: "its session is resumed",
  standard_compact: "its session goes on, compacted",
  small_handoff: "a new session reads the end of its conversation",
  restart: "started again"
}

/** Says what a recovery is to a person. `undefined`: the sentence of the log says it. */
const personal = (event: WatchEvent, known: Known): string | undefined => {
  const isCommand = known.kind === "command"
  const name = nameOf(known)
  switch (event._tag) {
    case "RecoveryStarted":
      if (event.purpose === "export") return isCommand ? "souffleur gives up" : undefined
      if (known.handedFrom !== undefined) return `souffleur stops ${name}, and exports its conversation`
      return isCommand ? "souffleur starts the command again" : `souffleur brings ${name} back`
    case "LaunchPrepared":
      return event.pty ? `${capital(name)} gets a terminal of its own` : undefined
    case "ConductorRelaunched": {
      const { conductor, generation, provider, sessionId } = event
      const which = `S${generation}, pid ${conductor.pid}${inSession(sessionId)}`
      if (provider === "handover")
        return `${known.agent === undefined ? "Another agent" : capital(known.agent)} goes on (${which}): ${ways[provider]}`
      return isCommand
        ? `${capital(name)} runs again (${which})`
        : `${capital(name)} is back (${which}): ${ways[provider] ?? `by ${provider}`}`
    }
    case "RetriesExhausted":
      return isCommand ? `${capital(threeEnds)}: the command is not started again` : undefined
    default:
      return undefined
  }
}

/**
 * Describes an event for a person. Without comms the Conductor is the agent, or the command. A recovery is said in the
 * words of that person.
 */
export const describeFor = (event: WatchEvent, known: Known, zone: Zone = utc): Description<WatchNoticeKind> => {
  const described = describeEvent(event, zone)
  const personalText = known.comms === null ? personal(event, known) : undefined
  return personalText === undefined
    ? { ...described, text: renamed(described.text, known), own: renamed(described.own, known) }
    : { ...described, text: sentence(personalText), own: sentence(personalText) }
}
