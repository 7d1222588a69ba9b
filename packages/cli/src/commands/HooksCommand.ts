import { type HooksChanged, type HooksOrder, type HooksSeen, SouffleurSetup } from "@souffleur/embed"
import {
  agentOfProgram,
  hooksTyped,
  layerAgentFiles,
  layerHost,
  layerStoreReading,
  settingsOf,
  trustNow
} from "@souffleur/embed/internal"
import { Console, Effect, Layer, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { agentsWithHooks } from "../agent/HookedAgent.ts"
import { agentKind, agentKinds } from "../agent/Kind.ts"
import { BadUsage } from "../Failure.ts"
import { printJson } from "../Printing.ts"
import { personOnly } from "../person/PersonOnly.ts"
import { json, realProject } from "./Options.ts"

const namesOf = (kinds: typeof agentsWithHooks) => kinds.map(({ title }) => title).join(", ")

const flags = {
  // An agent without hooks is told as such.
  agent: Flag.Literals(
    "agent",
    agentKinds.map(({ program }) => program)
  ).pipe(Flag.withDescription("The agent (the usual one of this folder)"), Flag.optional),
  projectDir: Flag.String("project-dir").pipe(
    Flag.withDescription(
      `The project whose settings get them (.): ${namesOf(agentsWithHooks.filter(({ hooks }) => hooks.ofProject !== undefined))} alone`
    ),
    Flag.optional
  ),
  user: Flag.Boolean("user").pipe(
    Flag.withDescription("The user's own settings get them: for all projects"),
    Flag.withDefault(false)
  ),
  json
}

/** Returns the hooks that are meant. Fails with `BadUsage` where two places are named. */
const orderOf = Effect.fnUntraced(function* ({
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
  const order: HooksOrder = {
    project: yield* realProject(Option.getOrElse(projectDir, () => ".")),
    ...(Option.isSome(agent) ? { agent: agent.value } : {}),
    ...(user ? { place: "user" } : Option.isSome(projectDir) ? { place: "project" } : {})
  }
  return order
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

/** Says what keeps the agent from running its hooks. */
const printConditions = Effect.fnUntraced(function* ({ off, onlyIf, unapproved }: HooksSeen) {
  if (off !== null) yield* Console.log(`none of them runs: the file has ${off}`)
  if (onlyIf === null || unapproved?.length === 0) return
  if (unapproved !== undefined) yield* Console.log(`left out until you approve them: ${unapproved.join(", ")}`)
  yield* Console.log(onlyIf)
})

/** Has each session watched from now on by a person's word, who thereby trusts the config file of the folder. */
const watching = Effect.fnUntraced(function* (project: string) {
  const settings = yield* settingsOf(project)
  yield* Effect.provide(personOnly("hooks install --watch"), [
    layerStoreReading(settings),
    Layer.provideMerge(layerAgentFiles(settings), layerHost)
  ])
  return Effect.asVoid(Effect.scoped(trustNow(project)))
})

const install = Command.make(
  "install",
  {
    ...flags,
    watch: Flag.Boolean("watch").pipe(
      Flag.withDescription("Have each session of the project watched from its first prompt on; --no-watch ends that"),
      Flag.optional
    )
  },
  Effect.fnUntraced(function* (flags) {
    const setup = yield* SouffleurSetup
    const watch = Option.getOrUndefined(flags.watch)
    const order = { ...(yield* orderOf(flags)), ...(watch === undefined ? {} : { watch }) }
    const trusts = watch === true ? yield* watching(order.project) : Effect.void
    const change = yield* setup.installHooks(order)
    yield* trusts
    yield* printChange(change, flags.json)
    if (!flags.json) yield* printConditions(yield* setup.hooks({ ...order, agent: change.agent }))
  })
).pipe(Command.withDescription(`Add hooks to the settings of an agent: ${namesOf(agentsWithHooks)}`))

const uninstall = Command.make(
  "uninstall",
  flags,
  Effect.fnUntraced(function* (flags) {
    const setup = yield* SouffleurSetup
    yield* printChange(yield* setup.uninstallHooks(yield* orderOf(flags)), flags.json)
  })
).pipe(Command.withDescription("Take the hooks out; words that others wrote stay"))

const status = Command.make(
  "status",
  flags,
  Effect.fnUntraced(function* (flags) {
    const setup = yield* SouffleurSetup
    const order = yield* orderOf(flags)
    const seen = yield* setup.hooks(order)
    const { absent, agent, events, missing, off, path: file, programs, unapproved, wanted } = seen
    if (flags.json) {
      const installed = events.length > 0
      return yield* printJson({ file, installed, events, absent, programs, missing, off, unapproved })
    }
    if (events.length === 0) return yield* Console.log(`${file}: no hooks of souffleur`)
    yield* Console.log(
      `${file}: ${absent.length === 0 ? `all ${wanted.length} hooks` : `hooks for ${events.join(", ")}`}`
    )
    const words =
      order.place === "user" ? ["--user"] : order.place === "project" ? ["--project-dir", order.project] : []
    const typed = hooksTyped(agentKind, agentOfProgram(agentKind, agent), ...words)
    if (absent.length > 0) yield* Console.log(`none for ${absent.join(", ")}: "${typed}" adds them`)
    for (const { self, stateDir } of programs) yield* Console.log(`${self.join(" ")} hook, into ${stateDir}`)
    if (programs.some(({ watch }) => watch)) yield* Console.log("each session is watched from its first prompt on")
    if (missing.length > 0) yield* Console.log(`not there any more: ${missing.join(", ")}: "${typed}" again`)
    yield* printConditions(seen)
  })
).pipe(Command.withDescription("Show which hooks there are, and whether they can run"))

/** Installs, shows and removes the hooks of an agent (spec: command-line#setting-up). */
export const hooksCommand = Command.make("hooks").pipe(
  Command.withSubcommands([install, uninstall, status]),
  Command.provide(SouffleurSetup.layer)
)
