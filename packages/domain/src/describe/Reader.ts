import { utc, type Zone } from "../Time.ts"
import type { Watch } from "../watch/Watch.ts"

/** The reader of a description: what the reader calls the Conductor, and by which clock. */
export interface Reader {
  /**
   * The watch, as far as it decides how its Conductor is called. Only where there is comms is it the Conductor. To the
   * others it is the agent, or the command.
   */
  readonly who: Pick<Watch, "comms" | "kind"> & Partial<Pick<Watch, "agent" | "handedFrom">>
  /** The zone of the times. */
  readonly zone: Zone
}

/** The reader of comms, and of a log of any watch. */
export const anyReader: Reader = { who: { comms: "comms.db", kind: "agent" }, zone: utc }

/** Returns what a reader calls the Conductor, without an article. */
export const nounOf = ({ comms, kind }: Reader["who"]): "Conductor" | "command" | "agent" =>
  comms !== null ? "Conductor" : kind === "command" ? "command" : "agent"

/** Returns the noun with its indefinite article. */
export const oneOf = (who: Reader["who"]): string => (nounOf(who) === "agent" ? "an agent" : `a ${nounOf(who)}`)

/** Returns the name of the Conductor for a reader. An agent that a person chose has its own name. */
export const nameOf = (who: Reader["who"]): string =>
  (who.comms === null ? (who.handedFrom ?? who.agent) : undefined) ?? `the ${nounOf(who)}`
