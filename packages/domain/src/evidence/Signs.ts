import type { Condition } from "../port/Condition.ts"
import type { Unmendable } from "./Unmendable.ts"

/** The state of a turn by the newest records of its session file. Times are epoch ms, as the records have them. */
export type TurnState =
  /** The agent said its last word and called no tool. */
  | { readonly _tag: "Finished"; readonly at: number }
  /**
   * The model was asked, and its answer is outstanding. `answered`: it gave one without a tool call, and the reason of
   * its end does not say whether the agent asks once more.
   */
  | { readonly _tag: "Asked"; readonly at: number; readonly answered?: boolean }
  /**
   * A tool was called and has no result yet. Of several tools, this one may take longest. `limit`: its own limit in ms,
   * where that is known.
   */
  | {
      readonly _tag: "Tool"
      readonly at: number
      readonly name: string
      readonly limit: number | undefined
      /** The agent starts a process for this tool. Without such a process, the tool does not run. */
      readonly spawns: boolean
    }
  /** A question was put to a person, and has no answer yet. */
  | { readonly _tag: "Question"; readonly at: number; readonly name: string }
  /**
   * The service failed, and the agent asks again at `nextAt`. `resetsAt`: the end of a usage limit, where the record
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
   * An error of the service ended the turn, or a cap that the user gave the agent. Where a person must act first, no
   * launch mends it (spec: behaviour#what-no-launch-mends).
   */
  | {
      readonly _tag: "Failed"
      readonly at: number
      readonly reason: "usage-limit" | "outage" | "prompt-too-long" | Unmendable | "other"
      readonly resetsAt: number | undefined
      /** The agent's own words for another reason. Absent: it recorded none, as where a person broke the turn off. */
      readonly words?: string
    }

/**
 * Context in use, in tokens, as the service counted it at the last real answer. It counts input, cache reads and cache
 * writes.
 */
export interface ContextInUse {
  readonly tokens: number
  /** The model's window in tokens; `undefined` where it is not known. */
  readonly window: number | undefined
  readonly model: string
  readonly at: number
}

/** A limit of the service and the per cent of it that are used, as a record of the agent states them. */
export interface ServiceLimit {
  readonly used: number
  /** The ms after which it begins anew, and when it does so next, epoch ms. */
  readonly span: number
  readonly resetsAt: number
  /** The time of that record, epoch ms. */
  readonly at: number
}

/** The structured records of a session file, read from its end alone. */
export interface SessionSigns {
  /** When the file was last written. */
  readonly writtenAt: number
  /** `undefined`: the part that was read does not tell. */
  readonly turn: TurnState | undefined
  /** `undefined`: there is no real answer there, or none since the last compaction. */
  readonly context: ContextInUse | undefined
  /** The limits of the service. Absent: no record that was read states one. */
  readonly limits?: ReadonlyArray<ServiceLimit>
  /** False if the agent itself resumes no such session, since nothing of a conversation is in it. Absent: it may. */
  readonly resumable?: false
  /** True if a permission refused the newest tool of the turn. Absent: it did not, or that is not known. */
  readonly refused?: boolean
  /**
   * True if a healthy agent may use no processor while it waits, so that its stillness does not end the time of a tool.
   * A hang needs stillness all the same, because such an agent writes nothing while an answer streams.
   */
  readonly idles?: boolean
  /** The ms that the user gives the service for an answer. Absent: as the agent does by itself. */
  readonly callLimit?: number
}

/** Every sign of one Conductor at a moment, each with its own age. `undefined` is unknown, never dead. */
export interface Signs {
  readonly now: number
  readonly process: Condition | undefined
  /** The process is gone by itself after a finished turn (`Agent.turnEnded`). */
  readonly turnEnded: boolean
  /** Its living child processes; `undefined`: they were not counted. */
  readonly children: number | undefined
  /**
   * The time since which no poll saw it use the processor; `undefined`: no poll looked. A healthy process is never
   * still for as long as a call may stall (`AgentKind.stall`).
   */
  readonly stillSince: number | undefined
  /** The same, but for the timers of a process that waits. Absent: as {@link stillSince}. */
  readonly restsSince?: number | undefined
  /**
   * When a poll last saw that the processes of a running tool had used the processor; `undefined`: none saw it. It is
   * work of the tool, and no sign of the agent.
   */
  readonly workedAt?: number | undefined
  /** The live processes of its tools after its turn is over; absent: not counted. */
  readonly left?: number | undefined
  readonly session: SessionSigns | undefined
  /** The agent's own pid file: evidence, never proof. */
  readonly pidFile:
    | { readonly status: string; readonly waitingFor: string | undefined; readonly writtenAt: number }
    | undefined
  /** The newest hook that the agent ran. */
  readonly hook: { readonly event: string; readonly at: number } | undefined
  /** The newest beat that the agent itself sent. */
  readonly beat: number | undefined
  /**
   * No sign is expected before this time: the launch of this generation, or the last break in souffleur's own polling.
   */
  readonly since: number
}

/** The conclusion from the signs. */
export type Verdict =
  /** A fresh sign, or nothing that contradicts life. */
  | { readonly _tag: "Alive"; readonly because: string }
  /** An outstanding act explains the silence. `until`: silence beyond this time is not explained. */
  | {
      readonly _tag: "Held"
      readonly by: "call" | "retry" | "limit" | "tool"
      readonly because: string
      readonly until: number
    }
  /** The turn is finished and the process lives. */
  | { readonly _tag: "Idle"; readonly since: number }
  /** The Conductor waits for a person, such as for a permission. */
  | { readonly _tag: "Waiting"; readonly for: string; readonly since: number }
  /** The last turn ended by a usage limit or an outage of the service. */
  | {
      readonly _tag: "Limited"
      readonly kind: "usage-limit" | "outage"
      readonly at: number
      readonly resetsAt: number | undefined
    }
  /** The last turn ended because the conversation no longer fits. */
  | { readonly _tag: "Exhausted"; readonly at: number }
  /** Every sign agrees that the Conductor does nothing any more. */
  | { readonly _tag: "Hung"; readonly silentFor: number }
  /** The process is gone; `clean`: by itself, after a finished turn. */
  | { readonly _tag: "Gone"; readonly clean: boolean }
  /** Too little is known to say anything. */
  | { readonly _tag: "Unknown"; readonly because: string }
