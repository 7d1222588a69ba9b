import { Permission, Settings } from "@souffleur/domain"
import { layerAgentFiles, layerHost, layerStoreReading } from "@souffleur/embed/internal"
import type { AgentCommits } from "@souffleur/process"
import { Console, Effect, Layer, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { firstTyped } from "../agent/FirstTyped.ts"
import { printJson } from "../Printing.ts"
import { everyWatch } from "../service/Service.ts"
import { install as installService, untilLogin } from "../service/ServiceManager.ts"
import { writeConfig } from "../setup/SetupConfig.ts"
import { removeHooks, writeHooks } from "../setup/SetupHooks.ts"
import { hookAnswers, setupAnswers } from "../setup/SetupQuestions.ts"
import { personOnly } from "../person/PersonOnly.ts"
import { json, projectDir } from "./Options.ts"
import { Project, withSettings } from "./ProjectCommand.ts"

/** Asks for the first settings. Each answer is a flag too (spec: command-line#setting-up). */
export const setupCommand = Command.make(
  "setup",
  {
    agent: Flag.String("agent").pipe(Flag.withDescription("The agent's program: AGENT_COMMAND"), Flag.optional),
    permission: Flag.Literals("permission", Permission.literals).pipe(
      Flag.withDescription("The most that a launch may have: MAX_EXTERNAL_PERMISSION"),
      Flag.optional
    ),
    commits: Flag.Boolean("commits").pipe(
      Flag.withDescription("Let the agent commit without a question in this project, for souffleur conduct"),
      Flag.optional
    ),
    hooks: Flag.Literals("hooks", hookAnswers).pipe(Flag.withDescription("Where the agent's hooks go"), Flag.optional),
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
    yield* Effect.provide(personOnly("a setup"), [
      layerStoreReading(settings),
      Layer.provideMerge(layerAgentFiles(settings), layerHost)
    ])
    const { commits, first, hooks, keys, own, permission, service } = yield* setupAnswers(flags, project)
    // Each file is told once it is written: a later step may fail.
    const told = (what: string, file: string) =>
      Effect.as(flags.json ? Effect.void : Console.log(`${what.padEnd(8)} ${file}`), { what, file })
    const allowed = Effect.fnUntraced(function* ({ allow }: AgentCommits) {
      const { path, write } = yield* allow(project)
      return yield* Effect.as(write, path)
    })
    const installed = Effect.gen(function* () {
      const done = yield* installService(everyWatch, true)
      const service = yield* told("service", done.file)
      if (!flags.json && untilLogin(done) !== "") yield* Console.log(untilLogin(done))
      return service
    })
    const wrote = [
      ...(keys.length === 0 ? [] : [yield* told("config", yield* writeConfig(project, keys))]),
      ...(commits === undefined ? [] : [yield* told("commits", yield* allowed(commits))]),
      ...(Option.isSome(own) && (hooks === "project" || hooks === "user")
        ? [yield* told("hooks", yield* writeHooks(own.value, project, hooks))]
        : []),
      ...(Option.isSome(own) && hooks === "none"
        ? yield* Effect.forEach(yield* removeHooks(own.value, project), (file) => told("no hooks", file))
        : []),
      ...(service ? [yield* installed] : [])
    ]
    if (flags.json) return yield* printJson({ wrote })
    const onlyIf = Option.getOrUndefined(own)?.hooks.onlyIf
    if (onlyIf !== undefined && wrote.some(({ what }) => what === "hooks")) yield* Console.log(onlyIf)
    yield* Console.log(wrote.length === 0 ? "Nothing is changed." : `Next: ${firstTyped(first, permission)}`)
  })
).pipe(withSettings)
