import { type AgentOrder, clamp, Permission } from "@souffleur/domain"
import { Effect, Option, Result } from "effect"
import { type AgentSubject, takenApart } from "./AgentSubject.ts"
import { type ContractRule, ruleFor } from "./ContractRule.ts"

const hostile = ["", "..", "../x", "a/b", "--last", "-x", "x\0y", "x".repeat(1000)]
const flagLike = "--dangerously-skip-permissions is a word here"

/** Lists the rules of a command and a launch: ceiling, session, prompt, environment. */
export const launchRules = (subject: AgentSubject): ReadonlyArray<ContractRule> => {
  const { byInput = [], finished, kind, lifting, permissions = Permission.literals, sessionId, words } = subject
  const rule = ruleFor(subject)
  const order = (more: Partial<AgentOrder> = {}): AgentOrder => ({
    session: { _tag: "Resume", sessionId },
    permission: clamp(permissions[0], permissions[0]),
    prompt: flagLike,
    print: true,
    ...more
  })
  return [
    rule("a command of the agent is its own, and no other is", finished, ({ literal }, that) =>
      Effect.gen(function* () {
        yield* that(kind.owns([kind.program]) && !kind.owns(["sh"]), "it owns another program, or not its own")
        yield* that(literal !== undefined, `${words.join(" ")} is refused`)
        yield* that(takenApart(kind, ["sh", "-c", kind.program]) === undefined, "it takes a command of a shell apart")
      })
    ),
    rule("souffleur runs the command that it names to a person", finished, (_, that) =>
      Effect.gen(function* () {
        const parts = takenApart(kind, [kind.program, ...kind.typed, "do it"])
        yield* that(parts?.prompt === "do it", `${kind.program} ${kind.typed.join(" ")} "do it" is refused`)
      })
    ),
    rule("souffleur runs the command that goes on with a session", finished, (_, that) =>
      Effect.gen(function* () {
        const said = kind.goOn(sessionId)
        const parts = takenApart(
          kind,
          [...said.matchAll(/"([^"]+)"|\S+/gu)].map(([word, quoted]) => quoted ?? word)
        )
        yield* that(parts !== undefined, `${said} is refused`)
        yield* that(
          parts?.session?._tag === "Resume" && parts.session.sessionId === sessionId,
          `${said} resumes no such session`
        )
      })
    ),
    rule(
      "a flag that lifts the ceiling or is unknown is refused, in a command and in AGENT_COMMAND",
      finished,
      (_, that) =>
        Effect.forEach([...lifting, ["--souffleur-unknown"], ["--souffleur-unknown=x"]], (flags) =>
          Effect.gen(function* () {
            yield* that(
              takenApart(kind, [kind.program, ...words, ...flags]) === undefined,
              `${flags.join(" ")} is kept`
            )
            const configured = kind.parseCommand(JSON.stringify([kind.program, ...flags]))
            yield* that(Result.isFailure(configured), `AGENT_COMMAND keeps ${flags.join(" ")}`)
          })
        )
    ),
    rule(
      "each launch has its ceiling, its session and its prompt, and its own flags are found again",
      finished,
      (made, that) =>
        Effect.forEach(permissions, (permission) =>
          Effect.gen(function* () {
            const { args, input, program } = yield* made.agent.command(
              order({ permission: clamp(permission, permission), print: false })
            )
            const typed = args.filter((arg) => input === undefined || !byInput.includes(arg))
            const parts = takenApart(kind, [program, ...typed, ...(input === undefined ? [] : ["--", input])])
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
    rule(
      "a launch in a window leaves standard input to a person, and print mode takes no window",
      finished,
      ({ agent }, that) =>
        Effect.forEach(permissions, (permission) =>
          Effect.forEach([true, false], (print) =>
            Effect.gen(function* () {
              const own = order({ permission: clamp(permission, permission), print })
              const { args, input, window = false } = yield* agent.command(own)
              yield* that(!print || !window, `${permission} takes a window in print mode`)
              yield* that(!window || input === undefined, `${permission} reads its prompt on standard input`)
              yield* that(
                input === flagLike || args.some((arg) => arg.endsWith(flagLike)),
                `${permission} has no prompt`
              )
            })
          )
        )
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
    )
  ]
}
