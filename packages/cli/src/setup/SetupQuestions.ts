import {
  answersMeaning,
  clamp,
  leastPermission,
  Permission,
  permissionMeanings,
  type PinnedKey,
  parseNotify,
  plain,
  wordAt,
  Settings
} from "@souffleur/domain"
import {
  agentOfProgram,
  commitsMendable,
  hasHooks,
  type ConfigTrust,
  trustOf,
  untrustedIn,
  usualProgram
} from "@souffleur/embed/internal"
import { Console, Effect, Equal, Option, Result } from "effect"
import { Prompt } from "effect/cli"
import { agentKind } from "../agent/Kind.ts"
import { BadUsage } from "../Failure.ts"
import { everyWatch } from "../service/Service.ts"
import { installed as services } from "../service/ServiceManager.ts"
import { Environment } from "../world/CommandEnvironment.ts"
import { agentQuestion, checkAgent } from "./AgentQuestion.ts"
import { hooksNow } from "./SetupHooks.ts"

/** The answers about hooks. */
export const hookAnswers = ["project", "user", "none"] as const
type HookAnswer = (typeof hookAnswers)[number]
/** The hooks stay as they are. */
type AsTheyAre = "as they are"

/** The answers that a person gave with the command. */
export interface AnswersGiven {
  readonly agent: Option.Option<string>
  readonly permission: Option.Option<Permission>
  readonly commits: Option.Option<boolean>
  readonly hooks: Option.Option<HookAnswer>
  readonly notify: Option.Option<string>
  readonly service: Option.Option<boolean>
  /** All else that the config file says is trusted. */
  readonly trust: boolean
  /** No question is asked: what was not given stays as it is. */
  readonly yes: boolean
}

/** Asks a person. Fails with `BadUsage` where the questions are broken off. */
const asked = <A>(prompt: Prompt.Prompt<A>) =>
  Effect.catchTag(Prompt.run(prompt), "QuitError", () =>
    Effect.fail(new BadUsage({ message: "nothing is set up: the questions were broken off" }))
  )

/** What each choice of a menu means, in a line. */
const meaning: Readonly<Record<HookAnswer | Permission, string>> = {
  ...permissionMeanings,
  project: "the agent says at once what it does, in this project alone",
  user: "the same in every project of yours",
  none: "souffleur reads the session's file, and learns it some seconds later"
}

/** Returns the choices of a menu, which begins at what holds now. */
const choicesOf = <A extends HookAnswer | Permission>(values: ReadonlyArray<A>, now: A | undefined) =>
  [...values]
    .sort((one, other) => Number(other === now) - Number(one === now))
    .map((value) => ({
      title: value === now ? `${value} (as now)` : value,
      description: meaning[value],
      value
    }))

/** Returns a text of the config file as a question may show it. */
const showable = (text: string) => (plain(text) === text ? text : "")

/** Returns an answer: the flag, else the usual one with `--yes`, else a person's. */
const answered = Effect.fnUntraced(function* <A, E, R>(
  flag: Option.Option<A>,
  {
    asks,
    name,
    usual,
    yes
  }: { readonly asks: Effect.Effect<A, E, R>; readonly name: string; readonly usual: A; readonly yes: boolean }
) {
  const { interactive } = yield* Environment
  if (Option.isSome(flag)) return flag.value
  if (yes) return usual
  if (!interactive)
    return yield* new BadUsage({
      message: `there is no terminal to ask at: say --${name}, or --yes for the usual answers`
    })
  return yield* asks
})

/**
 * Asks for the trust in those keys of the config file that no question showed. An agent may have written them, and a
 * setup trusts the whole file. Fails with `BadUsage` where a person does not accept them.
 */
const acceptRest = Effect.fnUntraced(function* (
  project: string,
  { shown, trust }: { readonly shown: ReadonlySet<PinnedKey>; readonly trust: boolean }
) {
  const { interactive } = yield* Environment
  const found = yield* trustOf(project)
  const rest = untrustedIn(found).filter((key) => !shown.has(key))
  if (rest.length === 0 || trust) return
  const said = (word: ConfigTrust["said"]) => rest.map((key) => plain(`${key}=${wordAt(word, key) ?? ""}`, 500))
  if (!interactive)
    return yield* new BadUsage({
      message: `${found.settings.source} has ${rest.join(", ")}, which nothing asked for and nothing trusts yet: look at it, then say --trust`
    })
  const accepted = yield* asked(
    Prompt.Confirm({ message: `The config file says this too. Trust it? ${said(found.said).join("; ")}` })
  )
  if (!accepted) return yield* new BadUsage({ message: "nothing is set up: the config file is not trusted" })
  if (!Equal.equals(found.said, (yield* trustOf(project)).said))
    return yield* new BadUsage({ message: "nothing is set up: the config file changed meanwhile, say it again" })
})

/** Says which answers the environment outranks. */
const warnOfVariables = Effect.fnUntraced(function* (keys: ReadonlyArray<string>) {
  const { variables } = yield* Environment
  const set = keys.filter((key) => (variables[`SOUFFLEUR_${key}`] ?? "") !== "")
  yield* Effect.forEach(set, (key) =>
    Console.error(`note: ${key} comes from the variable SOUFFLEUR_${key}, which counts before the config file`)
  )
})

/**
 * Asks for each answer that was not given, and for the trust in the rest of the config file. Returns the answers and
 * writes nothing. Fails with `BadUsage` where an answer is none, or is missing and no person can be asked.
 */
export const setupAnswers = Effect.fn("setupAnswers")(function* (given: AnswersGiven, project: string) {
  const settings = yield* Settings
  const { yes } = given
  const questions = [
    ["AGENT_COMMAND", given.agent],
    ["MAX_EXTERNAL_PERMISSION", given.permission],
    ["NOTIFY", given.notify]
  ] as const
  const shown = new Set<PinnedKey>(questions.flatMap(([key, flag]) => (yes && Option.isNone(flag) ? [] : [key])))
  // The config file alone has a ceiling.
  yield* warnOfVariables([...shown].filter((key) => key !== "MAX_EXTERNAL_PERMISSION"))
  const notifyNow = Settings.json(settings)["notify"] as ReadonlyArray<string>
  const usual = yield* usualProgram(settings)
  const agent = yield* answered(given.agent, {
    name: "agent",
    usual: settings.agentCommand,
    asks: Effect.flatMap(
      agentQuestion(settings, settings.agentCommand === agentKind.program ? usual : settings.agentCommand),
      asked
    ),
    yes
  })
  const permission = yield* answered(given.permission, {
    name: "permission",
    usual: settings.maxExternalPermission,
    asks: asked(
      Prompt.Select({
        message: "The most that a launch may have?",
        choices: choicesOf(Permission.literals, settings.maxExternalPermission)
      })
    ),
    yes
  })
  if ([agent, ...Option.toArray(given.notify)].some((text) => /[\0\n\r]/u.test(text)))
    return yield* new BadUsage({ message: "an answer is one line" })
  const { args, program } = yield* Effect.fromResult(agentKind.parseCommand(agent))
  yield* checkAgent(program, agent !== settings.agentCommand)
  const kind = agentOfProgram(agentKind, program)
  const own = Option.liftPredicate(kind, hasHooks)
  const choices = hookAnswers.filter(
    (place) => place === "none" || Option.exists(own, ({ hooks }) => place === "user" || hooks.ofProject !== undefined)
  )
  if (Option.exists(given.hooks, (place) => !choices.includes(place)))
    return yield* new BadUsage({
      message: `${kind.title} has ${Option.isNone(own) ? "no hooks of souffleur" : "hooks of the user alone"}: --hooks takes ${choices.join(" or ")}`
    })
  const hooks = yield* answered(given.hooks as Option.Option<HookAnswer | AsTheyAre>, {
    name: "hooks",
    usual: "as they are",
    asks: asked(
      Prompt.Select<HookAnswer>({
        message: "Hooks of the agent?",
        choices: choicesOf(choices, Option.isNone(own) ? undefined : yield* hooksNow(own.value, project))
      })
    ),
    yes: yes || Option.isNone(own)
  })
  if (Option.isSome(given.commits) && kind.commits === undefined)
    return yield* new BadUsage({ message: `${kind.title} has no rule about commits: its permission decides` })
  const commits = yield* answered(given.commits, {
    name: "commits",
    usual: false,
    asks: asked(
      Prompt.Confirm({
        message: "May the agent commit here without a question, as souffleur conduct needs it?",
        initial: false
      })
    ),
    yes:
      yes ||
      !(yield* commitsMendable(kind, settings, {
        project,
        words: [program, ...args],
        permission: clamp(leastPermission, permission)
      }))
  })
  const channelsAsked = yield* answered(given.notify, {
    name: "notify",
    usual: notifyNow.join(" "),
    asks: asked(
      Prompt.String({
        message: "Where are you told that you are needed, such as ntfy:TOPIC or desktop (empty: nowhere)?",
        default: showable(notifyNow.join(" "))
      })
    ),
    yes
  })
  if (settings.notifyAnswers === "yes") yield* Console.error(`Answers: ${answersMeaning}.`)
  const notify = channelsAsked.trim() === "none" ? "" : channelsAsked
  const service = yield* answered(given.service, {
    name: "service",
    usual: false,
    asks: asked(
      Prompt.Confirm({
        message: "Keep every watch running after a reboot, by a service of your own user?",
        initial: (yield* services()).some(({ id }) => id === everyWatch)
      })
    ),
    yes
  })
  const channels = notify.trim() === "" ? Result.succeed([]) : parseNotify(notify)
  if (Result.isFailure(channels)) return yield* new BadUsage({ message: `--notify ${channels.failure}` })

  const keys = [
    ...(agent === settings.agentCommand ? [] : [["AGENT_COMMAND", agent] as const]),
    ...(permission === settings.maxExternalPermission ? [] : [["MAX_EXTERNAL_PERMISSION", permission] as const]),
    ...(notify === notifyNow.join(" ") ? [] : [["NOTIFY", notify] as const])
  ]
  if (keys.length > 0) yield* acceptRest(project, { shown, trust: given.trust })
  // Nothing is written for a setting that stays, and what it names may not be installed.
  const first = agent === settings.agentCommand ? usual : program
  return { commits: commits ? kind.commits : undefined, first, hooks, keys, own, permission, service }
})
