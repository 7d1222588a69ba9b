import { Runtime, Schema } from "effect"
import type { EffectivePermission, Permission, SessionMode } from "../settings/Permission.ts"

/** A model and an effort, in the agent's own words. Absent: as the agent has it by itself. */
export const ModelChoice = Schema.Struct({
  model: Schema.optionalKey(Schema.String),
  effort: Schema.optionalKey(Schema.String)
})
export type ModelChoice = typeof ModelChoice.Type

/** A JSON Schema of what an agent says last. */
export interface AnswerForm {
  /** As JSON. */
  readonly schema: string
  /** The file that holds it, absolute. */
  readonly file: string
}

/** A launch of an agent, before it is a command line. */
export interface AgentOrder {
  /** A fresh session of an agent that chooses its ids has the empty id. */
  readonly session:
    | { readonly _tag: "Fresh"; readonly sessionId: string }
    | { readonly _tag: "Resume"; readonly sessionId: string }
  readonly permission: EffectivePermission
  /** A lower mode that it is held to. Absent: it works with its permission. */
  readonly heldTo?: Exclude<SessionMode, Permission>
  /** Empty: the agent waits for a prompt. */
  readonly prompt: string
  /** A file that the agent must be able to read without a question; absolute. */
  readonly reads?: string
  /** Print mode: the agent ends after its turn, and no person types to it. An agent may know no other mode. */
  readonly print: boolean
  /** True if it is to change nothing, as far as an agent can be held to that. Absent: it may work. */
  readonly looks?: boolean
  /** The model that it works with, and how hard. Absent: as it has them by itself, also where it resumes a session. */
  readonly choice?: ModelChoice
  /** The form of its answer in print mode, where the agent takes one. Absent: any text. */
  readonly form?: AnswerForm
  /** The file that the session will have by then, in a preview. Absent: the agent looks for it. */
  readonly file?: string
  /** The folder where it begins. Absent: the command line is only looked at. */
  readonly folder?: string
}

/** A program, its arguments and its whole environment. No shell reads any of it. */
export interface AgentCommand {
  readonly program: string
  /** Every user of the machine can read them while the process runs. */
  readonly args: ReadonlyArray<string>
  /** The text on standard input of a headless launch, which no other process reads. Absent: the input is empty. */
  readonly input?: string
  /**
   * True if a person may type to it, so that it gets a window if there is one, and its prompt is an argument. Absent:
   * it is in print mode, and headless wherever souffleur runs.
   */
  readonly window?: boolean
  readonly environment: Readonly<Record<string, string>>
}

/** An agent, or another command, names no program that can be run (exit code 2). */
export class AgentNotFound extends Schema.TaggedError<AgentNotFound>()("AgentNotFound", {
  program: Schema.String,
  problem: Schema.String,
  /** Its file is not there, or is no program yet. */
  missing: Schema.optionalKey(Schema.Literal(true))
}) {
  override readonly [Runtime.errorExitCode] = 2
  override get message(): string {
    return `cannot run ${this.program}: ${this.problem}`
  }
}
