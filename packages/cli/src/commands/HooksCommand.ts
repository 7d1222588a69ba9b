import { TrustedFiles } from "@souffleur/node"
import type { HooksChanged } from "@souffleur/process"
import { Console, Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { settingsOf } from "@souffleur/embed/internal"
import { hookedAgents, hookPlaces, hooked, hooksTyped } from "../agent/HookPlaces.ts"
import { agentOfProgram, usualProgram } from "../agent/InstalledAgents.ts"
import { BadUsage } from "../Failure.ts"
import { printJson } from "../Printing.ts"
import { errandWords } from "../SmallEntry.ts"
import { addHooked, forgetHooked } from "../uninstall/HookedFiles.ts"
import { json, realProject } from "./Options.ts"

const flags = {
  agent: Flag.Literals(
    "agent",
    hookedAgents.map(({ program }) => program)
  ).pipe(Flag.withDescription("The agent's program (that of the folder)"), Flag.optional),
  projectDir: Flag.String("project-dir").pipe(
    Flag.withDescription("In the settings of this folder (.), of an agent that has some which stay out of git"),
    Flag.optional
  ),
  user: Flag.Boolean("user").pipe(
    Flag.withDescription("In the user's own settings: for all projects"),
    Flag.withDefault(false)
  ),
  json
}

/** Returns the agent with its hooks, the file of settings, and the command of the hooks in it. */
const meant = Effect.fnUntraced(function* ({
  agent,
  projectDir,
  user
}: {
  readonly agent: Option.Option<string>
  readonly projectDir: Option.Option<string>
  readonly user: boolean
}) {
  if (user && Option.isSome(projectDir))
    return yield* new BadUsage({ message: "give --user or --project-dir, not both" })
  const project = yield* realProject(Option.getOrElse(projectDir, () => "."))
  const settings = yield* settingsOf(project)
  const { stateDir } = settings
  const program = Option.isSome(agent) ? agent.value : yield* usualProgram(settings)
  const kind = yield* hooked(agentOfProgram(program))
  const { hooks, title } = kind
  const places = yield* hookPlaces(kind, settings, project)
  const ofProject = places.find(({ place }) => place === "project")
  if (ofProject === undefined && Option.isSome(projectDir))
    return yield* new BadUsage({ message: `${title} has hooks of the user alone: leave --project-dir out` })
  const { file } = (user ? undefined : ofProject) ?? places.at(-1)!
  const install = user ? `${hooksTyped(kind)} --user` : hooksTyped(kind)
  return { hooks, stateDir, file, install, command: hooks.command({ stateDir, self: yield* errandWords("hook") }) }
})

const sentences: Readonly<Record<HooksChanged["how"], string>> = {
  installed: "hooks installed",
  removed: "hooks taken out; the file held nothing else and is gone",
  restored: "hooks taken out; the file is byte for byte as it was",
  edited: "hooks taken out; words that others wrote since stay",
  "nothing to do": "nothing to do"
}

const printChange = Effect.fnUntraced(function* (change: HooksChanged, asJson: boolean) {
  const { backup, changed, how, path } = change
  if (asJson) return yield* printJson({ file: path, changed, how, backup })
  yield* Console.log(`${path}: ${sentences[how]}`)
  if (backup !== null) yield* Console.log(`as it was before: ${backup}`)
})

const install = Command.make(
  "install",
  flags,
  Effect.fnUntraced(function* (flags) {
    const { command, file, hooks, stateDir } = yield* meant(flags)
    yield* TrustedFiles.stateFolder(stateDir)
    yield* addHooked(stateDir, file)
    yield* printChange(yield* hooks.install(file, command), flags.json)
    if (!flags.json && hooks.onlyIf !== undefined) yield* Console.log(hooks.onlyIf)
  })
).pipe(Command.withDescription("Have the agent say what happens in it, as it happens"))

const uninstall = Command.make(
  "uninstall",
  flags,
  Effect.fnUntraced(function* (flags) {
    const { file, hooks, stateDir } = yield* meant(flags)
    const change = yield* hooks.uninstall(file)
    yield* forgetHooked(stateDir, file)
    yield* printChange(change, flags.json)
  })
).pipe(Command.withDescription("Take them out again; words that others wrote stay"))

const status = Command.make(
  "status",
  flags,
  Effect.fnUntraced(function* (flags) {
    const { file, hooks, install: typed } = yield* meant(flags)
    const { absent, events, missing, programs } = yield* hooks.status(file)
    if (flags.json) {
      return yield* printJson({ file, installed: events.length > 0, events, absent, programs, missing })
    }
    if (events.length === 0) return yield* Console.log(`${file}: no hooks of souffleur`)
    yield* Console.log(
      `${file}: ${absent.length === 0 ? `all ${hooks.events.length} hooks` : `hooks for ${events.join(", ")}`}`
    )
    if (absent.length > 0) yield* Console.log(`none for ${absent.join(", ")}: "${typed}" adds them`)
    for (const { self, stateDir } of programs) yield* Console.log(`${self.join(" ")} hook, into ${stateDir}`)
    if (missing.length > 0) yield* Console.log(`not there any more: ${missing.join(", ")}: "${typed}" again`)
    if (hooks.onlyIf !== undefined) yield* Console.log(hooks.onlyIf)
  })
).pipe(Command.withDescription("Where they are, for which events, and whether they can run"))

/** Installs, shows and removes the hooks of an agent (spec: command-line#setting-up). */
export const hooksCommand = Command.make("hooks").pipe(Command.withSubcommands([install, uninstall, status]))
