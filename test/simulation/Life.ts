import type { SimProcess } from "./ProcessTable.ts"

/** The life of a Conductor, in ms since its start. */
export interface Life {
  readonly fate:
    | ("lives" | "dies" | "zombie" | "hangs" | "pauses" | "handoff" | "turn ends" | "completes")
    | (
        | "limited"
        | "outage"
        | "refused"
        | "capped"
        | "odd"
        | "too long"
        | "tool"
        | "builds"
        | "delegates"
        | "retries"
        | "asks"
        | "mute"
        | "clears"
        | "rests"
      )
  /**
   * How its turn ends. `killed`: a signal ends its process after it. `refused`: its last tool was refused. `idle`: it
   * has only answered. Absent: by itself, and well.
   */
  readonly ends?: "killed" | "refused" | "idle" | undefined
  /** The time at which the fate comes. */
  readonly at: number
  /**
   * The length of a pause, or of the work of a tool, a subagent or a person; a build, and every third
   * subagent, which writes nothing meanwhile, take four times as long. Once it
   * is complete, it goes on running for this time. Once it asked for a hand-off, it beats for this time. An even time
   * after its person cleared its session, or began to delegate, it dies. After an even time at its prompt it gets a word.
   */
  readonly lasts: number
  /** Its words before it asks for a hand-off; `undefined`: nothing. */
  readonly payload: string | undefined
  /**
   * True if it is started so that it ends after its turn. Only the first Conductor and one started by hand have the
   * choice.
   */
  readonly print: boolean
  /** The time between two changes of its tasks, ms: a task is added, or changes its state. `undefined`: never. */
  readonly worksEvery: number | undefined
  /** The time of its first task, where that comes sooner than the others. */
  readonly worksFirst?: number | undefined
  /** The time from its failure to the end that the service states, ms; `undefined`: no end is stated. */
  readonly resetsIn?: number | undefined
  /** The time from its start to the model's first answer, ms. */
  readonly answersAfter?: number
  /** The heartbeat that it writes, where that is no time of now. */
  readonly beatsAs?: "nothing" | "words" | "tomorrow" | undefined
  /**
   * The number of processes that it starts. Half of them are children of the machine's first process, known by their
   * tags only. Others have no tags.
   */
  readonly tools: number
  /**
   * True if it starts an agent of another session, with a tool of its own, and a daemon. No signal may reach them. A
   * tool of its own beats on after its end.
   */
  readonly company?: boolean
  /**
   * The agent that one of its tools runs, with the mark of its launch. A helper is to end with it. A Musician is named
   * by a task, and a person sits at the other one: no signal may reach them.
   */
  readonly runs?: "helper" | "musician" | "window" | undefined
  readonly onTerm: SimProcess["onTerm"]
  /** The lower mode of its session, by its newest record. Absent: it records none. */
  readonly mode?: "plan" | "asks" | undefined
  /** Its move to another session than that of its launch. Its pid file says so after `heldAfter` ms, or never. */
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
