import { Settings } from "@souffleur/domain"
import { pluginsHere } from "@souffleur/embed/internal"
import type { PluginChanged, PluginStatus } from "@souffleur/process"
import { Console, Effect } from "effect"
import { Command } from "effect/cli"
import { agentKind } from "../agent/Kind.ts"
import { printJson } from "../Printing.ts"
import { Environment } from "../world/CommandEnvironment.ts"
import { json, projectDir } from "./Options.ts"
import { withSettings } from "./ProjectCommand.ts"

const flags = { projectDir, json }

/** The first agent that souffleur has a plugin for. */
const plugged = Effect.gen(function* () {
  const [first] = yield* pluginsHere(agentKind, yield* Settings)
  return first!
})

/** Tells a change. `then` is said where there was one. */
const told = Effect.fnUntraced(function* ({ changed, path }: PluginChanged, asJson: boolean, then: string) {
  if (asJson) return yield* printJson({ file: path, changed })
  yield* Console.log(`${path}: ${changed ? then : "nothing to do"}`)
})

const install = Command.make(
  "install",
  flags,
  Effect.fnUntraced(function* ({ json }) {
    const { agentDir, plugin, title } = yield* plugged
    const { self } = yield* Environment
    yield* told(yield* plugin.install(agentDir, self), json, `installed; type in ${title}: ${plugin.typed}`)
  })
).pipe(withSettings, Command.withDescription("Add a command to the agent that starts a watch"))

const uninstall = Command.make(
  "uninstall",
  flags,
  Effect.fnUntraced(function* ({ json }) {
    const { agentDir, plugin } = yield* plugged
    yield* told(yield* plugin.uninstall(agentDir), json, "taken out")
  })
).pipe(withSettings, Command.withDescription("Take that command out"))

const sentences: Readonly<Record<PluginStatus["is"], string>> = {
  none: "no plugin of souffleur",
  current: "installed",
  outdated: 'of another version: "souffleur plugin install" replaces it',
  foreign: "another program's"
}

const status = Command.make(
  "status",
  flags,
  Effect.fnUntraced(function* ({ json }) {
    const { agentDir, plugin } = yield* plugged
    const { is, missing, path } = yield* plugin.status(agentDir)
    if (json) return yield* printJson({ file: path, is, missing })
    yield* Console.log(`${path}: ${sentences[is]}`)
    if (missing.length > 0)
      yield* Console.log(`not there any more: ${missing.join(", ")}: "souffleur plugin install" again`)
  })
).pipe(withSettings, Command.withDescription("Show whether that command is there, and of this version"))

/** Installs, shows and removes the plugin of an agent (spec: command-line#setting-up). */
export const pluginCommand = Command.make("plugin").pipe(Command.withSubcommands([install, uninstall, status]))
