import type { SimProcess } from "./ProcessTable.ts"

/** What becomes of a Conductor, in ms of its own life. */
export interface Life {
  readonly fate:
    | ("lives" | "dies" | "zombie" | "hangs" | "pauses" | "handoff" | "turn ends" | "completes")
    | ("limited" | "outage" | "too long" | "tool" | "retries" | "asks" | "mute" | "clears")
  /** When the fate comes. */
  readonly at: number
  /**
   * For how long it pauses, a tool or a person takes, it goes on running once it is complete, or beating once it asked
   * for a handoff.
   */
  readonly lasts: number
  /** What it says before it asks for a handoff; `undefined`: nothing. */
  readonly payload: string | undefined
  /** Started so that it ends after its turn; only the first Conductor and one started by hand have the choice. */
  readonly print: boolean
  /** A task is added, or changes its state, each so many ms; `undefined`: never. */
  readonly worksEvery: number | undefined
  /** Its first task comes sooner than the others. */
  readonly worksFirst?: number | undefined
  /** From its failure to the end that the service states, ms; `undefined`: nobody says. */
  readonly resetsIn?: number | undefined
  /** From its start to the model's first answer, ms. */
  readonly answersAfter?: number
  /** What it writes for its heartbeat, where that is no time of now. */
  readonly beatsAs?: "nothing" | "words" | "tomorrow" | undefined
  /**
   * Processes that it starts: half of them are children of the machine's first process, known by their tags only;
   * others have none.
   */
  readonly tools: number
  /**
   * It starts an agent of another session, with a tool of its own, and a daemon: nobody may signal them. A tool of its
   * own beats on after its end.
   */
  readonly company?: boolean
  readonly onTerm: SimProcess["onTerm"]
  /**
   * It goes on in another session than the one that it was launched with; `heldAfter` ms its pid file says so, or
   * never.
   */
  readonly moves?: { readonly to: string; readonly heldAfter: number | undefined }
}

export const steady: Life = {
  fate: "lives",
  at: 0,
  lasts: 0,
  payload: undefined,
  print: false,
  worksEvery: 60_000,
  tools: 0,
  onTerm: 0
}
