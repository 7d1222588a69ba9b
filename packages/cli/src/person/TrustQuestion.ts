import { plain, wordAt } from "@souffleur/domain"
import { type ConfigUntrusted, type PlanOrder, type ProgramsUntrusted, Souffleur } from "@souffleur/embed"
import { layerAgentFiles, settingsOf, trustOf } from "@souffleur/embed/internal"
import { shellWord } from "@souffleur/plan"
import { Effect, Equal } from "effect"
import { Prompt } from "effect/cli"
import { Environment } from "../world/CommandEnvironment.ts"
import { BadUsage } from "../Failure.ts"
import { signOfAgent } from "./PersonOnly.ts"

/** UTF-16 units of a line of the config file in a question. */
const maxLine = 500

/** Asks a person at a terminal. Without a word it is no. */
export const confirmed = (message: string) =>
  Effect.catchTag(Prompt.run(Prompt.Confirm({ message })), "QuitError", () => Effect.succeed(false))

/**
 * Shows a person what a config file asks for beyond what is trusted, and asks for that trust. A file that changed
 * meanwhile has got none.
 */
const accepted = Effect.fnUntraced(function* (project: string) {
  const { keys, said, settings } = yield* trustOf(project)
  const lines = keys.map((key) => plain(`${key}=${wordAt(said, key) ?? ""}`, maxLine))
  const message = `${settings.source ?? "The config file is gone, which"} asks for what is not trusted. Trust it? ${lines.join("; ")}`
  return (yield* confirmed(message)) && Equal.equals(said, (yield* trustOf(project)).said)
})

/**
 * Does what a config file must be trusted for. A refusal becomes a question to a person at a terminal, and is final
 * everywhere else (spec: behaviour#trust).
 */
export const orTrusted = Effect.fnUntraced(function* <A, E extends { readonly _tag: string }, R>(
  project: string,
  does: Effect.Effect<A, E | ConfigUntrusted, R>
) {
  const asks = Effect.fnUntraced(function* (refusal: ConfigUntrusted) {
    const { interactive } = yield* Environment
    if (!interactive) return yield* refusal
    const isAgent = yield* Effect.provide(signOfAgent, layerAgentFiles(yield* settingsOf(project)))
    if (isAgent !== undefined || !(yield* accepted(project))) return yield* refusal
    yield* Souffleur.use((souffleur) => souffleur.trust(project))
    return yield* does
  })
  return yield* Effect.catchIf(does, (error): error is ConfigUntrusted => error._tag === "ConfigUntrusted", asks)
})

/**
 * Conducts a plan whose programs a person must trust. A refusal becomes a question at a terminal, and says the command
 * for a later word everywhere else (spec: behaviour#gate).
 */
export const orProgramsTrusted = Effect.fnUntraced(function* <A, E extends { readonly _tag: string }, R>(
  { plan: file, project }: Pick<PlanOrder, "plan" | "project">,
  does: Effect.Effect<A, E | ProgramsUntrusted, R>
) {
  const asks = Effect.fnUntraced(function* ({ message, plan, programs }: ProgramsUntrusted) {
    const { cwd, interactive } = yield* Environment
    const folder = project === cwd ? "" : ` --project-dir ${shellWord(project)}`
    const refusal = new BadUsage({
      message: `${plain(message, maxLine)}: read them, then say "souffleur conduct plan ${shellWord(plan)} --trust${folder}"`
    })
    // Nobody says yes to what is not shown.
    if (!interactive || programs.some((line) => line.length > maxLine)) return yield* refusal
    const isAgent = yield* Effect.provide(signOfAgent, layerAgentFiles(yield* settingsOf(project)))
    const question = `The plan runs programs itself, outside of any agent's permission. Run them? ${programs.map((words) => plain(words, maxLine)).join("; ")}`
    if (isAgent !== undefined || !(yield* confirmed(question))) return yield* refusal
    yield* Souffleur.use((souffleur) => souffleur.trustPlan({ project, plan: file }, programs))
    return yield* does
  })
  return yield* Effect.catchIf(does, (error): error is ProgramsUntrusted => error._tag === "ProgramsUntrusted", asks)
})
