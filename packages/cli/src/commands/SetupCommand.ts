import { Permission, type PinnedKey, parseNotify, plain, Settings } from "@souffleur/domain"
import {
  type ConfigTrust,
  layerAgentFiles,
  layerHost,
  layerStoreReading,
  trustNow,
  trustOf,
  untrustedIn
} from "@souffleur/embed/internal"
import { findConfig, replaceDurably, resolveProgram } from "@souffleur/process"
import { Console, Effect, FileSystem, Layer, Option, Path, Result } from "effect"
import { Command, Flag, Prompt } from "effect/cli"
import { hooked } from "../agent/HookPlaces.ts"
import { agentOfProgram, installedAgents, typedWith, usualProgram } from "../agent/InstalledAgents.ts"
import { agentKind } from "../agent/Kind.ts"
import { BadUsage } from "../Failure.ts"
import { printJson } from "../Printing.ts"
import { everyWatch } from "../service/Service.ts"
import { install as installService, installed as services } from "../service/ServiceManager.ts"
import { hooksNow, removeHooks, writeHooks } from "../setup/SetupHooks.ts"
import { personOnly } from "../watching/PersonOnly.ts"
import { Environment } from "../world/CommandEnvironment.ts"
import { json, projectDir } from "./Options.ts"
import { Project, withSettings } from "./ProjectCommand.ts"

const places = ["project", "user", "none"] as const
type Place = (typeof places)[number]
/** The hooks stay as they are. */
type AsTheyAre = "as they are"

/** Sets keys in the text of a config file, and removes those without a value. All other lines stay as they are. */
const withKeys = (text: string, keys: ReadonlyArray<readonly [key: string, value: string]>): string => {
  const isOf = (key: string) => (line: string) => line.trim().startsWith(`${key}=`)
  const lines = text.trimEnd() === "" ? [] : text.trimEnd().split("\n")
  const kept = lines.filter((line) => !keys.some(([key]) => isOf(key)(line)))
  return `${[...kept, ...keys.flatMap(([key, value]) => (value === "" ? [] : [`${key}=${value}`]))].join("\n")}\n`
}

/** Asks a person. Fails with `BadUsage` where the questions are broken off. */
const asked = <A>(prompt: Prompt.Prompt<A>) =>
  Effect.catchTag(Prompt.run(prompt), "QuitError", () =>
    Effect.fail(new BadUsage({ message: "nothing is set up: the questions were broken off" }))
  )

/** Returns the choices of a menu, which begins at what holds now. */
const choicesOf = <A extends string>(values: ReadonlyArray<A>, now: A | undefined) =>
  [...values]
    .sort((one, other) => Number(other === now) - Number(one === now))
    .map((value) => ({
      title: value === now ? `${value} (as now)` : value,
      value
    }))

/** Says which answers the environment outranks. */
const warnOfVariables = Effect.fnUntraced(function* (keys: ReadonlyArray<string>) {
  const { variables } = yield* Environment
  const set = keys.filter((key) => (variables[`SOUFFLEUR_${key}`] ?? "") !== "")
  yield* Effect.forEach(set, (key) =>
    Console.error(`note: ${key} comes from the variable SOUFFLEUR_${key}, which counts before the config file`)
  )
})

/** Returns a text of the config file as a question may show it. */
const showable = (text: string) => (plain(text) === text ? text : "")

/** Returns an answer: the flag, else the usual one with `--yes`, else a person's. */
const answered = Effect.fnUntraced(function* <A>(
  flag: Option.Option<A>,
  {
    name,
    prompt,
    usual,
    yes
  }: { readonly name: string; readonly prompt: Prompt.Prompt<A>; readonly usual: A; readonly yes: boolean }
) {
  const { interactive } = yield* Environment
  if (Option.isSome(flag)) return flag.value
  if (yes) return usual
  if (!interactive)
    return yield* new BadUsage({
      message: `there is no terminal to ask at: say --${name}, or --yes for the usual answers`
    })
  return yield* asked(prompt)
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
  const said = ({ ceiling, programs }: ConfigTrust["said"]) =>
    rest.map((key) => plain(`${key}=${key === "MAX_EXTERNAL_PERMISSION" ? ceiling : (programs[key] ?? "")}`, 500))
  if (!interactive)
    return yield* new BadUsage({
      message: `${found.settings.source} has ${rest.join(", ")}, which nothing asked for and nothing trusts yet: look at it, then say --trust`
    })
  const accepted = yield* asked(
    Prompt.Confirm({ message: `The config file says this too. Trust it? ${said(found.said).join("; ")}` })
  )
  if (!accepted) return yield* new BadUsage({ message: "nothing is set up: the config file is not trusted" })
})

/** Writes keys into the config file in use, else into the project's own. Trusts it by this person's word. */
const writeConfig = Effect.fnUntraced(function* (
  project: string,
  keys: ReadonlyArray<readonly [key: string, value: string]>
) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const { refused, source } = yield* findConfig(project)
  if (refused !== null) return yield* new BadUsage({ message: `${refused}: nothing is set up` })
  const file = source ?? path.join(project, ".orchestra_configs", "souffleur")
  yield* fs.makeDirectory(path.dirname(file), { recursive: true, mode: 0o700 })
  yield* replaceDurably(file, withKeys(source === null ? "" : yield* fs.readFileString(file), keys))
  yield* trustNow(project)
  return file
}, Effect.scoped)

/** Warns of an agent that is not installed yet. A setup may come before it. */
const warnOfMissing = Effect.fnUntraced(function* (program: string) {
  const { variables } = yield* Environment
  yield* Effect.catchTag(resolveProgram(program, variables["PATH"] ?? ""), "AgentNotFound", ({ problem }) =>
    Console.error(`warning: ${problem}: nothing can be launched until it is installed`)
  )
})

/** Asks for the first settings. Each answer is a flag too (spec: command-line#setting-up). */
export const setupCommand = Command.make(
  "setup",
  {
    agent: Flag.String("agent").pipe(Flag.withDescription("The agent's program: AGENT_COMMAND"), Flag.optional),
    permission: Flag.Literals("permission", Permission.literals).pipe(
      Flag.withDescription("The most that a launch may have: MAX_EXTERNAL_PERMISSION"),
      Flag.optional
    ),
    hooks: Flag.Literals("hooks", places).pipe(Flag.withDescription("Where the agent's hooks go"), Flag.optional),
    notify: Flag.String("notify").pipe(
      Flag.withDescription("Channels of notices, such as ntfy:TOPIC: NOTIFY; none: no notices"),
      Flag.optional
    ),
    service: Flag.Boolean("service").pipe(
      Flag.withDescription("Keep every watch running after a reboot, by the system's service manager"),
      Flag.optional
    ),
    trust: Flag.Boolean("trust").pipe(
      Flag.withDescription("Trust all else that the config file says, without a question"),
      Flag.withDefault(false)
    ),
    yes: Flag.Boolean("yes").pipe(
      Flag.withDescription("Ask nothing: a setting that is not named stays as it is"),
      Flag.withDefault(false)
    ),
    projectDir,
    json
  },
  Effect.fnUntraced(function* (flags) {
    const project = yield* Project
    const settings = yield* Settings
    const { yes } = flags
    yield* Effect.provide(personOnly("a setup"), [
      layerStoreReading(settings),
      Layer.provideMerge(layerAgentFiles(settings), layerHost)
    ])
    const questions = [
      ["AGENT_COMMAND", flags.agent],
      ["MAX_EXTERNAL_PERMISSION", flags.permission],
      ["NOTIFY", flags.notify]
    ] as const
    const shown = new Set<PinnedKey>(questions.flatMap(([key, flag]) => (yes && Option.isNone(flag) ? [] : [key])))
    // The config file alone has a ceiling.
    yield* warnOfVariables([...shown].filter((key) => key !== "MAX_EXTERNAL_PERMISSION"))
    const notifyNow = Settings.json(settings)["notify"] as ReadonlyArray<string>
    const installed = (yield* installedAgents).map(({ program }) => program)
    const usual = yield* usualProgram(settings)
    const agent = yield* answered(flags.agent, {
      name: "agent",
      usual: settings.agentCommand,
      prompt: Prompt.String({
        message: installed.length === 0 ? "Which agent?" : `Which agent? Found: ${installed.join(", ")}`,
        default: settings.agentCommand === agentKind.program ? usual : showable(settings.agentCommand)
      }),
      yes
    })
    const permission = yield* answered(flags.permission, {
      name: "permission",
      usual: settings.maxExternalPermission,
      prompt: Prompt.Select({
        message: "The most that a launch may have?",
        choices: choicesOf(Permission.literals, settings.maxExternalPermission)
      }),
      yes
    })
    if ([agent, ...Option.toArray(flags.notify)].some((text) => /[\0\n\r]/u.test(text)))
      return yield* new BadUsage({ message: "an answer is one line" })
    const { program } = yield* Effect.fromResult(agentKind.parseCommand(agent))
    const kind = agentOfProgram(program)
    const own = yield* Effect.option(hooked(kind))
    const choices = places.filter(
      (place) =>
        place === "none" || Option.exists(own, ({ hooks }) => place === "user" || hooks.ofProject !== undefined)
    )
    if (Option.exists(flags.hooks, (place) => !choices.includes(place)))
      return yield* new BadUsage({
        message: `${kind.title} has ${Option.isNone(own) ? "no hooks of souffleur" : "hooks of the user alone"}: --hooks takes ${choices.join(" or ")}`
      })
    const hooks = yield* answered<Place | AsTheyAre>(flags.hooks, {
      name: "hooks",
      usual: "as they are",
      prompt: Prompt.Select<Place>({
        message: "Hooks of the agent?",
        choices: choicesOf(choices, Option.isNone(own) ? undefined : yield* hooksNow(own.value, project))
      }),
      yes: yes || Option.isNone(own)
    })
    const channelsAsked = yield* answered(flags.notify, {
      name: "notify",
      usual: notifyNow.join(" "),
      prompt: Prompt.String({
        message: "Notices, such as ntfy:TOPIC (empty: none)?",
        default: showable(notifyNow.join(" "))
      }),
      yes
    })
    const notify = channelsAsked.trim() === "none" ? "" : channelsAsked
    const service = yield* answered(flags.service, {
      name: "service",
      usual: false,
      prompt: Prompt.Confirm({
        message: "Keep every watch running after a reboot?",
        initial: (yield* services()).some(({ id }) => id === everyWatch)
      }),
      yes
    })
    yield* warnOfMissing(program)
    const channels = notify.trim() === "" ? Result.succeed([]) : parseNotify(notify)
    if (Result.isFailure(channels)) return yield* new BadUsage({ message: `--notify ${channels.failure}` })

    const keys = [
      ...(agent === settings.agentCommand ? [] : [["AGENT_COMMAND", agent] as const]),
      ...(permission === settings.maxExternalPermission ? [] : [["MAX_EXTERNAL_PERMISSION", permission] as const]),
      ...(notify === notifyNow.join(" ") ? [] : [["NOTIFY", notify] as const])
    ]
    if (keys.length > 0) yield* acceptRest(project, { shown, trust: flags.trust })
    // Each file is told once it is written: a later step may fail.
    const told = (what: string, file: string) =>
      Effect.as(flags.json ? Effect.void : Console.log(`${what.padEnd(8)} ${file}`), { what, file })
    const wrote = [
      ...(keys.length === 0 ? [] : [yield* told("config", yield* writeConfig(project, keys))]),
      ...(Option.isSome(own) && (hooks === "project" || hooks === "user")
        ? [yield* told("hooks", yield* writeHooks(own.value, project, hooks))]
        : []),
      ...(Option.isSome(own) && hooks === "none"
        ? yield* Effect.forEach(yield* removeHooks(own.value, project), (file) => told("no hooks", file))
        : []),
      ...(service ? [yield* told("service", (yield* installService(everyWatch, true)).file)] : [])
    ]
    if (flags.json) return yield* printJson({ wrote })
    const onlyIf = Option.getOrUndefined(own)?.hooks.onlyIf
    if (onlyIf !== undefined && wrote.some(({ what }) => what === "hooks")) yield* Console.log(onlyIf)
    yield* Console.log(wrote.length === 0 ? "Nothing is changed." : `Next: ${typedWith(program, '"do it"')}`)
  })
).pipe(withSettings)
