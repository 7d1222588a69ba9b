import {
  Agent,
  type AgentOrder,
  clamp,
  leastPermission,
  type LiteralAgent,
  Permission,
  Processes,
  type TurnState
} from "@souffleur/domain"
import type { AgentPackage, TrustedFiles } from "@souffleur/process"
import { Context, Effect, FileSystem, Layer, Option, Path, Result, Schema } from "effect"
import { FakeProcesses } from "../FakeProcesses.ts"

/** An adapter breaks a rule that holds for every agent. `rule` is its name, `problem` what was seen. */
export class ContractBroken extends Schema.TaggedError<ContractBroken>()("ContractBroken", {
  rule: Schema.String,
  problem: Schema.String
}) {
  override get message(): string {
    return `${this.rule}: ${this.problem}`
  }
}

/** A session file whose last turn the service ended. */
export interface FailedSession {
  readonly text: string
  readonly reason: Extract<TurnState, { readonly _tag: "Failed" }>["reason"]
  /** The end of a limit that the file states, epoch ms. */
  readonly resetsAt?: number
}

/** An agent, with session files that its real program wrote. */
export interface AgentSubject {
  readonly kind: AgentPackage
  readonly sessionId: string
  /** Returns the path of that session's file, from the agent's folder. */
  readonly file: string
  /** A session whose last turn is over, with a tool before its last answer. */
  readonly finished: string
  /** Words of that session that its export must have. */
  readonly told: ReadonlyArray<string>
  /** A session whose agent was killed in the middle of a tool. */
  readonly killed: string
  readonly failed: ReadonlyArray<FailedSession>
  /** Words of a user's command behind the program, without a prompt. Its flags are kept by every launch. */
  readonly words: ReadonlyArray<string>
  /** Flags that lift the ceiling, or run what the agent does not confine. */
  readonly lifting: ReadonlyArray<ReadonlyArray<string>>
}

/** A rule, and the effect that fails where the adapter breaks it. */
export interface ContractRule {
  readonly name: string
  readonly holds: Effect.Effect<void, ContractBroken, FileSystem.FileSystem | Path.Path | TrustedFiles>
}

const hostile = ["", "..", "../x", "a/b", "--last", "-x", "x\0y", "x".repeat(1000)]
const flagLike = "--dangerously-skip-permissions is a word here"

/** Makes the folder of an agent that has one session, and its port. No process of it runs. */
const agentOf = Effect.fnUntraced(function* ({ file, kind, words }: AgentSubject, text: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const folder = yield* fs.makeTempDirectoryScoped({ prefix: "souffleur-contract-" })
  const [agentDir, bin] = [path.join(folder, "agent"), path.join(folder, "bin")]
  const [session, program] = [path.join(agentDir, file), path.join(bin, kind.program)]
  for (const one of [session, program]) yield* fs.makeDirectory(path.dirname(one), { recursive: true })
  yield* fs.writeFileString(session, text, { mode: 0o600 })
  yield* fs.writeFileString(program, "", { mode: 0o700 })
  const literal = partsOf(kind, [program, ...words])
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
  return { agent, folder, literal, program, session }
})

/** Takes a command of the agent apart; `undefined`: it is refused, or no command of the agent. */
const partsOf = (kind: AgentPackage, words: ReadonlyArray<string>): LiteralAgent | undefined =>
  Result.match(kind.takeApart(words, { program: kind.program, args: [] }), {
    onFailure: () => undefined,
    onSuccess: Option.getOrUndefined
  })

/**
 * Lists the rules that every adapter keeps, for session files that its real program wrote. Each is one test of any
 * runner.
 *
 * @example
 * ```ts
 * import { it } from "@effect/vitest"
 * import { HostServices } from "@souffleur/node"
 * import { agentContract, type AgentSubject } from "@souffleur/testing"
 *
 * declare const subject: AgentSubject
 *
 * it.layer(HostServices.layer)((it) => {
 *   for (const { holds, name } of agentContract(subject)) it.effect(name, () => holds)
 * })
 * ```
 */
export const agentContract = (subject: AgentSubject): ReadonlyArray<ContractRule> => {
  const { failed, finished, killed, kind, lifting, sessionId, told, words } = subject
  type Made = Effect.Success<ReturnType<typeof agentOf>>
  const rule = <E>(
    name: string,
    text: string,
    check: (
      made: Made,
      that: (holds: boolean, problem: string) => Effect.Effect<void, ContractBroken>
    ) => Effect.Effect<unknown, E, FileSystem.FileSystem>
  ): ContractRule => ({
    name,
    holds: agentOf(subject, text).pipe(
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
  const order = (more: Partial<AgentOrder> = {}): AgentOrder => ({
    session: { _tag: "Resume", sessionId },
    permission: clamp(leastPermission, leastPermission),
    prompt: flagLike,
    print: true,
    ...more
  })
  const turnOf = ({ agent }: Made) => Effect.map(agent.signs(sessionId), (signs) => Option.getOrUndefined(signs)?.turn)

  return [
    rule("a command of the agent is its own, and no other is", finished, ({ literal }, that) =>
      Effect.gen(function* () {
        yield* that(kind.owns([kind.program]) && !kind.owns(["sh"]), "it owns another program, or not its own")
        yield* that(literal !== undefined, `${words.join(" ")} is refused`)
        yield* that(partsOf(kind, ["sh", "-c", kind.program]) === undefined, "it takes a command of a shell apart")
      })
    ),
    rule(
      "a flag that lifts the ceiling or is unknown is refused, in a command and in AGENT_COMMAND",
      finished,
      (_, that) =>
        Effect.forEach([...lifting, ["--souffleur-unknown"], ["--souffleur-unknown=x"]], (flags) =>
          Effect.gen(function* () {
            yield* that(partsOf(kind, [kind.program, ...words, ...flags]) === undefined, `${flags.join(" ")} is kept`)
            const configured = kind.parseCommand(JSON.stringify([kind.program, ...flags]))
            yield* that(Result.isFailure(configured), `AGENT_COMMAND keeps ${flags.join(" ")}`)
          })
        )
    ),
    rule(
      "each launch has its ceiling, its session and its prompt, and its own flags are found again",
      finished,
      (made, that) =>
        Effect.forEach(Permission.literals, (permission) =>
          Effect.gen(function* () {
            const { args, program } = yield* made.agent.command(
              order({ permission: clamp(permission, permission), window: true })
            )
            const parts = partsOf(kind, [program, ...args])
            yield* that(parts?.requested === permission, `${permission} is launched as ${parts?.requested}`)
            yield* that(parts?.prompt === flagLike, "a prompt that looks like a flag is no prompt")
            yield* that(
              args.some((arg) => arg.includes(sessionId)),
              "the session is not resumed"
            )
            const found = Option.getOrUndefined(kind.ofLaunch({ program, args }, sessionId))
            const own = made.literal?.agentCommand.args ?? []
            yield* that(JSON.stringify(found?.args) === JSON.stringify(own), `its flags are ${found?.args.join(" ")}`)
          })
        )
    ),
    rule(
      "a headless prompt is a word of the command line only where it cannot be a flag",
      finished,
      ({ agent }, that) =>
        Effect.gen(function* () {
          const { args, input } = yield* agent.command(order())
          const at = args.indexOf(flagLike)
          yield* that(
            input === flagLike
              ? at === -1
              : at === -1
                ? args.some((arg) => arg.endsWith(`=${flagLike}`))
                : args[at - 1] === "--",
            "the prompt could be read as a flag"
          )
        })
    ),
    rule("a launch carries no mark of another session, and no secret", finished, ({ agent }, that) =>
      Effect.gen(function* () {
        const { environment } = yield* agent.command(order())
        const foreign = Object.entries(environment).filter(
          ([, value]) => value === "of another session" || value === "s"
        )
        yield* that(foreign.length === 0, `it carries ${foreign.map(([name]) => name).join(" ")}`)
      })
    ),
    rule("a hostile session id is refused before it is part of a path or a command line", finished, ({ agent }, that) =>
      Effect.forEach(hostile, (id) =>
        Effect.gen(function* () {
          yield* that(Result.isFailure(yield* Effect.result(agent.sessionFile(id))), `${id} has a file`)
          const command = agent.command(order({ session: { _tag: "Resume", sessionId: id } }))
          yield* that(Result.isFailure(yield* Effect.result(command)), `${id} is launched`)
        })
      )
    ),
    rule("a finished turn is over by its records, with its use, its tool and its last answer", finished, (made, that) =>
      Effect.gen(function* () {
        const { agent } = made
        const signs = Option.getOrUndefined(yield* agent.signs(sessionId))
        yield* that(signs?.turn?._tag === "Finished", `its turn is ${signs?.turn?._tag}`)
        yield* that((signs?.context?.tokens ?? 0) > 0, "its context is not known")
        yield* that(yield* agent.turnEnded({ pid: 70 }, sessionId), "a process that is gone has not ended its turn")
        yield* that(yield* agent.usedTools(sessionId), "it used no tool")
        yield* that((yield* agent.spent([sessionId], 0)).tokens > 0, "it used nothing")
        yield* that((yield* agent.spent([sessionId], 8e12)).tokens === 0, "it used something in the future")
        yield* that((yield* agent.lastAnswer(sessionId)) !== "", "it has no last answer")
        yield* that(Option.isSome(yield* agent.projectOf(sessionId)), "its folder is not known")
        yield* that(Option.isNone(yield* agent.handoffTaken(sessionId, "another")), "it took another hand-off")
      })
    ),
    rule("a tool that was killed is still outstanding", killed, (made, that) =>
      Effect.gen(function* () {
        const turn = yield* turnOf(made)
        yield* that(turn?._tag === "Tool", `its turn is ${turn?._tag}`)
        yield* that(!(yield* made.agent.turnEnded({ pid: 70 }, sessionId)), "its turn has ended")
      })
    ),
    ...failed.map(({ reason, resetsAt, text }) =>
      rule(
        `a turn that the service ended is over for its reason: ${reason}${resetsAt === undefined ? "" : ", with its end"}`,
        text,
        (made, that) =>
          Effect.gen(function* () {
            const turn = yield* turnOf(made)
            const is = turn?._tag === "Failed" ? turn : undefined
            yield* that(is?.reason === reason && is.resetsAt === resetsAt, `its turn is ${JSON.stringify(turn)}`)
            yield* that(!(yield* made.agent.turnEnded({ pid: 70 }, sessionId)), "its turn has ended well")
          })
      )
    ),
    rule("a last line that is torn is left out", `${finished}{"type":"message","torn`, (made, that) =>
      Effect.gen(function* () {
        const turn = yield* turnOf(made)
        yield* that(turn?._tag === "Finished", `its turn is ${turn?._tag}`)
      })
    ),
    rule(
      "a file without a record of the agent says nothing, and ends nothing",
      'no record\n{}\n[1]\n\n{"type":7}\n',
      (made, that) =>
        Effect.gen(function* () {
          const turn = yield* turnOf(made)
          yield* that(turn === undefined, `its turn is ${turn?._tag}`)
          yield* that(!(yield* made.agent.turnEnded({ pid: 70 }, sessionId)), "its turn has ended")
          yield* that((yield* made.agent.toolResults([sessionId, "unknown"])) === 0, "it has results")
        })
    ),
    rule("an export has the conversation, for its user alone", `${finished}{"torn`, ({ agent, folder }, that) =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const out = `${folder}/out/export.md`
        const { records } = yield* agent.exportSession(sessionId, out)
        const markdown = yield* fs.readFileString(out)
        yield* that(records > 1, `it has ${records} records`)
        for (const one of told) yield* that(markdown.includes(one), `it lacks: ${one}`)
        yield* that((Number((yield* fs.stat(out)).mode) & 0o777) === 0o600, "others may read it")
        yield* that(
          Result.isFailure(yield* Effect.result(agent.exportSession("unknown", out))),
          "it exports no session"
        )
      })
    )
  ]
}
