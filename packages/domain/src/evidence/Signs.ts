import type { Condition } from "../port/Process.ts"

/** Where a session stands by the newest records of its file; times in epoch ms, the records' own. */
export type TurnState =
  /** It said its last word and wanted no tool. */
  | { readonly _tag: "Finished"; readonly at: number }
  /** The model was asked, and its answer is outstanding. */
  | { readonly _tag: "Asked"; readonly at: number }
  /**
   * A tool was called and has no result yet; of several, the one that may take longest. `limit`: the ms that it has,
   * where that is known.
   */
  | {
      readonly _tag: "Tool"
      readonly at: number
      readonly name: string
      readonly limit: number | undefined
      /** It runs as a process that the agent starts: where there is none, it does not run. */
      readonly spawns: boolean
    }
  /** A question was put to a person, and has no answer yet. */
  | { readonly _tag: "Question"; readonly at: number; readonly name: string }
  /**
   * The service failed, and the agent asks again at `nextAt`. `resetsAt`: when a usage limit ends, where the record
   * states it.
   */
  | {
      readonly _tag: "Retrying"
      readonly at: number
      readonly attempt: number
      readonly attempts: number
      readonly nextAt: number
      readonly resetsAt: number | undefined
    }
  /**
   * The turn ended by an error of the service. `account`: it refuses this user until a person does something, such as
   * to log in.
   */
  | {
      readonly _tag: "Failed"
      readonly at: number
      readonly reason: "usage-limit" | "outage" | "prompt-too-long" | "account" | "other"
      readonly resetsAt: number | undefined
    }

/**
 * Context in use, as the service counted it at the last real answer: input, cache reads and cache writes.
 */
export interface ContextInUse {
  readonly tokens: number
  /** The model's window in tokens; `undefined` where it is not known. */
  readonly window: number | undefined
  readonly model: string
  readonly at: number
}

/** What a session file states in structured records, read from its end alone. */
export interface SessionSigns {
  /** When the file was last written. */
  readonly writtenAt: number
  /** `undefined`: nothing that says it was found in the part that is read. */
  readonly turn: TurnState | undefined
  /** `undefined`: no real answer there, or none since the last compaction. */
  readonly context: ContextInUse | undefined
}

/** Every sign of one Conductor that there is at a moment, each with its own age; `undefined` is unknown, never dead. */
export interface Signs {
  readonly now: number
  readonly process: Condition | undefined
  /** It is gone, and by itself, after a finished turn (`Agent.turnEnded`). */
  readonly turnEnded: boolean
  /** Processes that it started and that live; `undefined`: nobody looked. */
  readonly children: number | undefined
  /**
   * Since when nobody saw it use the processor; `undefined`: nobody looked. A healthy one is not still for as long as a
   * call may stall (`AgentKind.stall`).
   */
  readonly stillSince: number | undefined
  readonly session: SessionSigns | undefined
  /** The agent's own pid file: evidence, never proof. */
  readonly pidFile:
    | { readonly status: string; readonly waitingFor: string | undefined; readonly writtenAt: number }
    | undefined
  /** The newest hook that the agent ran. */
  readonly hook: { readonly event: string; readonly at: number } | undefined
  /** The newest beat that the agent itself sent. */
  readonly beat: number | undefined
  /** Nothing is expected from before: the launch of this generation, or the last break in our own looking. */
  readonly since: number
}

/** What the signs come to. */
export type Verdict =
  /** A fresh sign, or nothing that contradicts life. */
  | { readonly _tag: "Alive"; readonly because: string }
  /** Something is outstanding, and its time is not over. `until`: silence beyond it is no longer explained by it. */
  | {
      readonly _tag: "Held"
      readonly by: "call" | "retry" | "limit" | "tool"
      readonly because: string
      readonly until: number
    }
  /** It has finished its turn and lives. */
  | { readonly _tag: "Idle"; readonly since: number }
  /** It waits for a person, such as for a permission. */
  | { readonly _tag: "Waiting"; readonly for: string; readonly since: number }
  /** Its last turn ended by a usage limit or an outage of the service. */
  | {
      readonly _tag: "Limited"
      readonly kind: "usage-limit" | "outage"
      readonly at: number
      readonly resetsAt: number | undefined
    }
  /** Its last turn ended because the conversation no longer fits. */
  | { readonly _tag: "Exhausted"; readonly at: number }
  /** Every sign agrees that it does nothing any more. */
  | { readonly _tag: "Hung"; readonly silentFor: number }
  /** Its process is gone; `clean`: after a finished turn, and by itself. */
  | { readonly _tag: "Gone"; readonly clean: boolean }
  /** Too little is known to say anything. */
  | { readonly _tag: "Unknown"; readonly because: string }
