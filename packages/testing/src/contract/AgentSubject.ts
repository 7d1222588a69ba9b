import { Agent, type LiteralAgent, type Permission, Processes, type TurnState } from "@souffleur/domain"
import type { AgentPackage } from "@souffleur/process"
import { Context, Effect, FileSystem, Layer, Option, Path, Result } from "effect"
import { FakeProcesses } from "../FakeProcesses.ts"

/** A session file. With an output, of an agent that tells the end of its turn there alone. */
export type RecordedSession = string | { readonly session: string; readonly output: string }

/** A session whose last turn the service ended. */
export interface FailedSession {
  readonly text: RecordedSession
  readonly reason: Extract<TurnState, { readonly _tag: "Failed" }>["reason"]
  /** The end of a limit that the file states, epoch ms. */
  readonly resetsAt?: number
}

/** An agent, with session files that its real program has written. */
export interface AgentSubject {
  readonly kind: AgentPackage
  readonly sessionId: string
  /** Returns the path of that session's file, from the agent's folder. */
  readonly file: string
  /** A file of its login, from the agent's folder. Absent: it keeps the login elsewhere. */
  readonly login?: string
  /** Keeps the records of the session under that path, absolute. Absent: they are the lines of a file. */
  readonly keep?: (path: string, records: string) => Effect.Effect<void>
  /** A session whose last turn is over, with a tool before its last answer. */
  readonly finished: RecordedSession
  /** Words of that session that its export must have. */
  readonly told: ReadonlyArray<string>
  /** A session whose agent was killed in the middle of a tool. */
  readonly killed: RecordedSession
  readonly failed: ReadonlyArray<FailedSession>
  /** A session whose last tool a permission refused, before its last answer. Absent: its records do not tell that. */
  readonly refused?: RecordedSession
  /** Words of a user's command behind the program, without a prompt. Its flags are kept by every launch. */
  readonly words: ReadonlyArray<string>
  /** Words of a launch that reads its prompt on standard input, which no command of a person has. Absent: none. */
  readonly byInput?: ReadonlyArray<string>
  /** Flags that lift the ceiling, or run what the agent does not confine. */
  readonly lifting: ReadonlyArray<ReadonlyArray<string>>
  /** The permissions with which it is launched. Absent: each. */
  readonly permissions?: readonly [Permission, ...ReadonlyArray<Permission>]
}

/** Takes a command of the agent apart; `undefined`: it is refused, or no command of the agent. */
export const takenApart = (kind: AgentPackage, words: ReadonlyArray<string>): LiteralAgent | undefined =>
  Result.match(kind.takeApart(words, { program: kind.program, args: [] }), {
    onFailure: () => undefined,
    onSuccess: Option.getOrUndefined
  })

/** Makes the folder of an agent that has one session, and its port. No process of it runs. */
export const agentOf = Effect.fnUntraced(function* (
  { file, keep, kind, words }: AgentSubject,
  recorded: RecordedSession
) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const folder = yield* fs.makeTempDirectoryScoped({ prefix: "souffleur-contract-" })
  const [agentDir, bin] = [path.join(folder, "agent"), path.join(folder, "bin")]
  const [session, program] = [path.join(agentDir, file), path.join(bin, kind.program)]
  const kept =
    keep ??
    ((file: string, records: string) =>
      fs
        .makeDirectory(path.dirname(file), { recursive: true })
        .pipe(Effect.andThen(fs.writeFileString(file, records, { mode: 0o600 }))))
  yield* fs.makeDirectory(bin, { recursive: true })
  const said = typeof recorded === "string" ? { session: recorded, output: undefined } : recorded
  yield* kept(session, said.session)
  const output = said.output === undefined ? undefined : path.join(folder, "launch.out")
  if (output !== undefined) yield* fs.writeFileString(output, said.output!, { mode: 0o600 })
  yield* fs.writeFileString(program, "", { mode: 0o700 })
  const literal = takenApart(kind, [program, ...words])
  const environment = {
    ...Object.fromEntries([...kind.marks].map((mark) => [mark, "of another session"])),
    PATH: bin,
    HOME: folder,
    SECRET: "s"
  }
  const layer = kind.layer({ agentDir, environment, agentCommand: literal?.agentCommand ?? { program, args: [] } })
  const agent = Context.get(
    yield* Layer.build(Layer.provide(layer, Layer.succeed(Processes, new FakeProcesses().service))),
    Agent
  )
  return { agent, folder, literal, output, program, session }
})

/** An agent whose folder is made. */
export type MadeAgent = Effect.Success<ReturnType<typeof agentOf>>
