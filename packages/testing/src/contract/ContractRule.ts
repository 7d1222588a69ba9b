import type { Errands } from "@souffleur/domain"
import type { TrustedFiles } from "@souffleur/process"
import { Effect, type FileSystem, type Path, Schema } from "effect"
import { agentOf, type AgentSubject, type MadeAgent, type RecordedSession } from "./AgentSubject.ts"

/** An adapter breaks a rule that every agent must keep. `rule` is its name, and `problem` what was seen. */
export class ContractBroken extends Schema.TaggedError<ContractBroken>()("ContractBroken", {
  rule: Schema.String,
  problem: Schema.String
}) {
  override get message(): string {
    return `${this.rule}: ${this.problem}`
  }
}

/** A rule, and an effect that fails if the adapter breaks it. */
export interface ContractRule {
  readonly name: string
  readonly holds: Effect.Effect<void, ContractBroken, Errands | FileSystem.FileSystem | Path.Path | TrustedFiles>
}

/** Checks an agent whose folder has one session. `that` fails with its problem if its condition is false. */
type Check<E> = (
  made: MadeAgent,
  that: (holds: boolean, problem: string) => Effect.Effect<void, ContractBroken>
) => Effect.Effect<unknown, E, FileSystem.FileSystem>

/** Makes the rules of an agent: each has a name, a session, and a check. */
export const ruleFor =
  (subject: AgentSubject) =>
  <E>(name: string, recorded: RecordedSession, check: Check<E>): ContractRule => ({
    name,
    holds: agentOf(subject, recorded).pipe(
      Effect.flatMap((made) =>
        check(made, (holds, problem) =>
          holds ? Effect.void : Effect.fail(new ContractBroken({ rule: name, problem }))
        )
      ),
      Effect.mapError((error) =>
        error instanceof ContractBroken ? error : new ContractBroken({ rule: name, problem: String(error) })
      ),
      Effect.asVoid,
      Effect.scoped
    )
  })
