import type { Permission, ProcessIdentity, RecoveryCycle, SessionMode } from "@souffleur/domain"
import { ProgramFailed, runProgram } from "@souffleur/process"
import { Context, type Duration, Effect, Layer, Option } from "effect"
import type { ChildProcessSpawner } from "effect/process"

/** What the user's program is asked, as one JSON object on its standard input. It holds no secret. */
export interface RecoveryQuestion {
  readonly watch: string
  readonly cycle: number
  /** 1, or 2 where the program said that it had launched nothing. */
  readonly attempt: number
  readonly trigger: RecoveryCycle["trigger"]
  /** Absolute. */
  readonly project: string
  /** The comms database, absolute; `null`: there is none. */
  readonly comms: string | null
  /** The program of the agent that had the session, by its name; `null`: it is not known. */
  readonly agent: string | null
  /** The session to go on with. */
  readonly session_id: string
  /** The sessions of all generations. */
  readonly sessions: ReadonlyArray<string>
  /** The process that was stopped; `null`: it is not known. */
  readonly conductor: ProcessIdentity | null
  /** The generations so far. */
  readonly generation: number
  /** `effective` is what the agent may get. `held_to`: the lower mode that its session had, and keeps; `null`: none. */
  readonly permission: {
    readonly requested: string
    readonly effective: Permission
    readonly held_to: SessionMode | null
    readonly ceiling: Permission
  }
  /** The words for the agent to begin with. Their last line tells souffleur that they arrived. */
  readonly prompt: string
  /** The value of SOUFFLEUR_LAUNCH_ID for the agent. The program has the variable too. */
  readonly launch_id: string
}

/** A program of the user that launches the successor itself (spec: behaviour#recovery_command). */
export interface RecoveryProgram {
  /** Returns what it printed. What it started may run on. Fails with `ProgramFailed`. */
  readonly ask: (question: RecoveryQuestion, within: Duration.Duration) => Effect.Effect<string, ProgramFailed>
  /** Returns the permission that the command line of an agent asks for. `None`: it does not tell. */
  readonly permissionOf: (words: ReadonlyArray<string>) => Option.Option<Permission>
}
/** The recovery program of a watch. By default it cannot be run. */
export const RecoveryProgram = Context.Reference<RecoveryProgram>("@souffleur/recovery/RecoveryProgram", {
  defaultValue: () => ({
    ask: () => Effect.fail(new ProgramFailed({ message: "no program can be run here", ran: false })),
    permissionOf: () => Option.none()
  })
})

/** Most bytes of its answer. */
const maxAnswer = 2 ** 20

/** Provides `RECOVERY_COMMAND` of a watch, with its whole environment. */
export const layerRecoveryProgram = ({
  command,
  environment,
  permissionOf
}: Pick<RecoveryProgram, "permissionOf"> & {
  readonly command: string
  readonly environment: Readonly<Record<string, string>>
}) =>
  Layer.effect(
    RecoveryProgram,
    Effect.map(Effect.context<ChildProcessSpawner.ChildProcessSpawner>(), (services) => ({
      permissionOf,
      ask: (question, within) =>
        runProgram({
          command,
          args: [],
          stdin: `${JSON.stringify(question)}\n`,
          within,
          atMost: maxAnswer,
          environment: { ...environment, SOUFFLEUR_LAUNCH_ID: question.launch_id },
          leaves: true
        }).pipe(Effect.provide(services))
    }))
  )
