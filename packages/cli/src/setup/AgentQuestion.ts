import { plain, type ResolvedSettings } from "@souffleur/domain"
import { agentOfProgram, agentsHere, agentStanding, installsAgent } from "@souffleur/embed/internal"
import { resolveProgram } from "@souffleur/process"
import { Console, Effect, Result } from "effect"
import { Prompt } from "effect/cli"
import { agentKind } from "../agent/Kind.ts"
import { table } from "../explain/TextTable.ts"
import { BadUsage } from "../Failure.ts"
import { Environment } from "../world/CommandEnvironment.ts"

/** Asks which agent is the usual one, with how each is on this host. A command of the user's own is a choice too. */
export const agentQuestion = Effect.fnUntraced(function* (settings: ResolvedSettings, usual: string) {
  const known = yield* agentsHere(settings)
  const rows = table(known.map((one) => [one.kind.title, agentStanding(one)]))
  const choices = known.map(({ kind }, n) => ({ title: rows[n]!, value: kind.program }))
  const isKnown = choices.some(({ value }) => value === usual)
  const all = isKnown ? choices : [{ title: `${plain(usual, 200)} (as now)`, value: usual }, ...choices]
  return Prompt.Select({
    message: "Which agent?",
    choices: all.map((choice) => ({ ...choice, selected: choice.value === usual }))
  })
})

/**
 * Warns of an agent that is not installed yet, since a setup may come before it. Fails with `BadUsage` for a new
 * program that is no agent that souffleur knows, and is nowhere.
 */
export const checkAgent = Effect.fnUntraced(function* (program: string, isNew: boolean) {
  const { variables } = yield* Environment
  const found = yield* Effect.result(resolveProgram(program, variables["PATH"] ?? ""))
  const kind = agentOfProgram(agentKind, program)
  const isKnown = kind.owns([program])
  if (Result.isSuccess(found))
    return isKnown
      ? undefined
      : yield* Console.error(
          `note: ${plain(program, 200)} is none of the agents by its name: it is taken for ${kind.title}`
        )
  if (!isKnown && isNew)
    return yield* new BadUsage({
      message: `${plain(program, 200)} is no agent that souffleur knows, and no program in PATH: say one of ${(agentKind.all ?? []).map((one) => one.program).join(", ")}`
    })
  yield* Console.error(
    `warning: ${found.failure.problem}: nothing can be launched until it is installed${isKnown ? `, such as by "${installsAgent(kind)}"` : ""}`
  )
})
