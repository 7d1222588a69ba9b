import { Effect, Layer } from "effect"
import { Command } from "effect/cli"
import { commandGroups } from "./help/CommandGroups.ts"
import type { hereCommand } from "./commands/HereCommand.ts"
import { json, projectDir } from "./commands/Options.ts"

/** Describes a command for the help, and loads it where it is asked for. A start is mostly the load of modules. */
const entry = <const Name extends string, Input, ContextInput, E, R>(
  name: Name,
  description: string,
  load: () => Promise<Command.Command<Name, Input, ContextInput, E, R>>
) => ({
  name,
  load: async () => Command.withDescription(await load(), description),
  mention: Command.withDescription(Command.make(name), description)
})

/** Every command but the help. */
const others = [
  entry(
    "watch",
    "Watch an agent that runs already, until its work is complete",
    async () => (await import("./commands/WatchCommand.ts")).watchCommand
  ),
  entry(
    "run",
    "Start an agent, and bring it back with its conversation; any other command is run again",
    async () => (await import("./commands/RunCommand.ts")).runCommand
  ),
  entry(
    "status",
    "Show the watches that live or have news, or one watch",
    async () => (await import("./commands/StatusCommand.ts")).statusCommand
  ),
  entry(
    "log",
    "Print the events of a watch, or of all",
    async () => (await import("./commands/LogCommand.ts")).logCommand
  ),
  entry(
    "state",
    "Print the state of a watch, as it is or as it was",
    async () => (await import("./commands/StateCommand.ts")).stateCommand
  ),
  entry(
    "why",
    "Explain the last decision, or an earlier one: its evidence, its rule, its action",
    async () => (await import("./commands/WhyCommand.ts")).whyCommand
  ),
  entry(
    "done",
    "Say that the work is complete: the watch ends",
    async () => (await import("./commands/DoneCommand.ts")).doneCommand
  ),
  entry(
    "mcp",
    "Serve tools to the agent itself, on standard input and output",
    async () => (await import("./commands/McpCommand.ts")).mcpCommand
  ),
  entry(
    "stop",
    "End an agent with all that it started, and its watch",
    async () => (await import("./commands/StopCommand.ts")).stopCommand
  ),
  entry(
    "release",
    "End a watch, and leave its agent as it is",
    async () => (await import("./commands/ReleaseCommand.ts")).releaseCommand
  ),
  entry(
    "resume",
    "Go on with a watch, or with all, such as after a reboot",
    async () => (await import("./commands/ResumeCommand.ts")).resumeCommand
  ),
  entry(
    "retry",
    "Try a failed recovery again, or hand the conversation over to another agent",
    async () => (await import("./commands/RetryCommand.ts")).retryCommand
  ),
  entry(
    "hold",
    "Watch on, and stop or launch nothing, until go",
    async () => (await import("./commands/HoldCommand.ts")).holdCommand
  ),
  entry(
    "go",
    "End a hold, or a wait for a limit, an outage, quiet hours or a pause",
    async () => (await import("./commands/GoCommand.ts")).goCommand
  ),
  entry(
    "adopt",
    "Have a watch follow a process that you name",
    async () => (await import("./commands/AdoptCommand.ts")).adoptCommand
  ),
  entry(
    "output",
    "Print what the agent printed, or go on with it as it prints",
    async () => (await import("./commands/OutputCommand.ts")).outputCommand
  ),
  entry(
    "attach",
    "Show the window of the agent, or follow its output",
    async () => (await import("./commands/AttachCommand.ts")).attachCommand
  ),
  entry(
    "page",
    "Show watches and runs in a browser, by a server on this machine alone",
    async () => (await import("./commands/PageCommand.ts")).pageCommand
  ),
  entry(
    "top",
    "Show watches and runs in this terminal, live, with keys for what can be done",
    async () => (await import("./commands/TopCommand.ts")).topCommand
  ),
  entry(
    "fleet",
    "Join a fleet of hosts: ship this host's log to a hub, and say words to other hosts",
    async () => (await import("./commands/FleetCommand.ts")).fleetCommand
  ),
  entry(
    "hub",
    "Run the hub of a fleet, which keeps a copy of each host's log in Postgres",
    async () => (await import("./commands/HubCommand.ts")).hubCommand
  ),
  entry(
    "service",
    "Keep a watch, or all, alive after a logout, a crash or a reboot, by systemd or launchd",
    async () => (await import("./commands/ServiceCommand.ts")).serviceCommand
  ),
  entry(
    "conduct",
    "Take a plan to its end, by implementer and reviewer agents",
    async () => (await import("./commands/ConductCommand.ts")).conductCommand
  ),
  entry(
    "report",
    "Report the last hours: deaths, recoveries, waits, tasks done, and what needs you",
    async () => (await import("./commands/ReportCommand.ts")).reportCommand
  ),
  entry(
    "metrics",
    "Print the numbers of all watches and runs for Prometheus",
    async () => (await import("./commands/MetricsCommand.ts")).metricsCommand
  ),
  entry(
    "traces",
    "Export the recoveries of the last hours as traces, by OTLP",
    async () => (await import("./commands/TracesCommand.ts")).tracesCommand
  ),
  entry(
    "doctor",
    "Check what souffleur needs, and say what to do where something is wrong",
    async () => (await import("./commands/DoctorCommand.ts")).doctorCommand
  ),
  entry(
    "config",
    "Show the settings in force and where they come from, or trust the config file",
    async () => (await import("./commands/ConfigCommand.ts")).configCommand
  ),
  entry(
    "init",
    "Make the tables and rows of comms.db where there are none",
    async () => (await import("./commands/InitCommand.ts")).initCommand
  ),
  entry(
    "setup",
    "Set up agent, permission, hooks, notices and service, one question each",
    async () => (await import("./commands/SetupCommand.ts")).setupCommand
  ),
  entry(
    "hooks",
    "Install, show or remove hooks, by which an agent says at once what it does",
    async () => (await import("./commands/HooksCommand.ts")).hooksCommand
  ),
  entry(
    "plugin",
    "Install, show or remove a command of the agent, by which a Conductor starts its watchdog",
    async () => (await import("./commands/PluginCommand.ts")).pluginCommand
  ),
  entry(
    "notify",
    "List the channels of notices, or test them",
    async () => (await import("./commands/NotifyCommand.ts")).notifyCommand
  ),
  entry(
    "export",
    "Write the conversation of a session as Markdown",
    async () => (await import("./commands/ExportCommand.ts")).exportCommand
  ),
  entry(
    "estimate",
    "Estimate the tokens of an export",
    async () => (await import("./commands/EstimateCommand.ts")).estimateCommand
  ),
  entry(
    "compact",
    "Compact a session in place, once its process has ended",
    async () => (await import("./commands/CompactCommand.ts")).compactCommand
  ),
  entry(
    "demo",
    "Kill an agent and bring it back, on real processes in a temporary folder",
    async () => (await import("./commands/DemoCommand.ts")).demoCommand
  ),
  entry(
    "completions",
    "Write the completion of your shell, or remove it",
    async () => (await import("./commands/CompletionsCommand.ts")).completionsCommand
  ),
  entry(
    "uninstall",
    "Remove hooks, services, trust and all else that souffleur wrote here",
    async () => (await import("./commands/UninstallCommand.ts")).uninstallCommand
  )
]

/** Every command. */
const entries = [
  ...others,
  entry("help", "Show the help of a command, or of all", async () =>
    (await import("./commands/HelpCommand.ts")).helpCommand(others.map(({ name }) => name))
  )
]

/** The installation, loaded for a command that runs. It has everything that is known about the agent. */
const installed = Layer.unwrap(
  Effect.map(
    Effect.promise(() => import("./world/CommandInstallation.ts")),
    ({ layerInstallation }) => layerInstallation
  )
)

/** The root of all commands, as the help mentions it. Alone it says what is here. */
const root: typeof hereCommand = Command.make("souffleur", { projectDir, json })

type Entry = (typeof entries)[number]

/**
 * Moves `--project-dir DIR` before a command behind its words, where each command takes it. The words after `--` stay
 * as they are.
 */
export const ordered = (args: ReadonlyArray<string>): ReadonlyArray<string> => {
  const [first = "", second = ""] = args
  const count = first === "--project-dir" ? 2 : first.startsWith("--project-dir=") ? 1 : 0
  const [moved, rest] = [args.slice(0, count), args.slice(count)]
  const end = rest.includes("--") ? rest.indexOf("--") : rest.length
  return count === 0 || second === "" || rest.length === 0
    ? args
    : [...rest.slice(0, end), ...moved, ...rest.slice(end)]
}

/**
 * Returns the root of all commands for a command line. It has the named command, and mentions the others for the help.
 * The flag `--completions` reads every command. The help reads the command that it shows.
 */
export const rootFor = Effect.fnUntraced(function* (args: ReadonlyArray<string>) {
  const all = args.some((arg) => /^--completions(?:=|$)/u.test(arg))
  const known = args.filter((arg) => entries.some(({ name }) => name === arg))
  const [first] = known
  const asked = new Set(known.slice(0, first === "help" ? 2 : 1))
  const named = entries.filter(({ name }) => all || asked.has(name))
  const loaded = yield* Effect.promise(() =>
    Promise.all<Awaited<ReturnType<Entry["load"]>>>(named.map(({ load }) => load()))
  )
  const commands = entries.map(({ mention }) => loaded.find(({ name }) => name === mention.name) ?? mention)
  const alone = first === undefined && !args.some((arg) => arg === "-h" || arg === "--help")
  const here = alone ? (yield* Effect.promise(() => import("./commands/HereCommand.ts"))).hereCommand : root
  return here.pipe(
    Command.withDescription("Brings a dead or hung AI coding agent back, with its context"),
    Command.withSubcommands(
      commandGroups.map(({ group, more, usual }) => ({
        group,
        commands: [...usual, ...more].flatMap((name) => commands.filter((command) => command.name === name))
      }))
    ),
    Command.provide(installed)
  )
})
