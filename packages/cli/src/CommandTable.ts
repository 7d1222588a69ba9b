import { Effect, Layer } from "effect"
import { Command } from "effect/cli"
import type { hereCommand } from "./commands/HereCommand.ts"
import { json, projectDir } from "./commands/Options.ts"

/** Describes a command for the help, and loads it where it is asked for. A start is mostly the load of modules. */
const entry = <const Name extends string, Input, ContextInput, E, R>(
  name: Name,
  description: string,
  load: () => Promise<Command.Command<Name, Input, ContextInput, E, R>>,
  alias?: string
) => {
  const described = <I, C, E, R>(command: Command.Command<Name, I, C, E, R>): Command.Command<Name, I, C, E, R> =>
    Command.withDescription(alias === undefined ? command : Command.withAlias(command, alias), description)
  return {
    names: [name, alias ?? name],
    load: async () => described(await load()),
    mention: described(Command.make(name))
  }
}

/** Every command but the help, in the order of the help. */
const others = [
  entry(
    "watch",
    "Watch one Conductor, in the foreground, until its work is complete",
    async () => (await import("./commands/WatchCommand.ts")).watchCommand
  ),
  entry(
    "run",
    "Start a command and watch it, without comms: an agent is recovered with its conversation, any other command is run again",
    async () => (await import("./commands/RunCommand.ts")).runCommand
  ),
  entry(
    "status",
    "The watches of this machine that live or have news, or one",
    async () => (await import("./commands/StatusCommand.ts")).statusCommand
  ),
  entry("log", "The events of a watch, or of all", async () => (await import("./commands/LogCommand.ts")).logCommand),
  entry(
    "state",
    "The state of a watch, now or as it was, by replay",
    async () => (await import("./commands/StateCommand.ts")).stateCommand
  ),
  entry(
    "why",
    "The last (or that) decision: its evidence, its rule, its action",
    async () => (await import("./commands/WhyCommand.ts")).whyCommand
  ),
  entry(
    "done",
    "Say that the work is complete, as its agent, from a hook, or by hand: the watch ends",
    async () => (await import("./commands/DoneCommand.ts")).doneCommand
  ),
  entry(
    "mcp",
    "A server of tools for the agent itself, on standard input and output",
    async () => (await import("./commands/McpCommand.ts")).mcpCommand
  ),
  entry(
    "release",
    "End a watch; its Conductor is left as it is",
    async () => (await import("./commands/ReleaseCommand.ts")).releaseCommand,
    "stop"
  ),
  entry(
    "resume",
    "Go on with a watch, or with all, each by a souffleur of its own: such as after a reboot",
    async () => (await import("./commands/ResumeCommand.ts")).resumeCommand
  ),
  entry(
    "retry",
    "Try a recovery again that failed closed or was withheld; else allow as much again as MAX_TOKENS, MAX_DOLLARS and MAX_TIME say",
    async () => (await import("./commands/RetryCommand.ts")).retryCommand
  ),
  entry(
    "hold",
    "Hold a watch: nothing is stopped or launched until go, and watching goes on",
    async () => (await import("./commands/HoldCommand.ts")).holdCommand
  ),
  entry(
    "go",
    "End a hold, or a wait for a limit, an outage, quiet hours or a pause, now",
    async () => (await import("./commands/GoCommand.ts")).goCommand
  ),
  entry(
    "adopt",
    "Watch this process from now on",
    async () => (await import("./commands/AdoptCommand.ts")).adoptCommand
  ),
  entry(
    "attach",
    "Go to where the Conductor runs now, or follow its output",
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
    "Copy the log of this host to the hub of a fleet, by a process of its own",
    async () => (await import("./commands/FleetCommand.ts")).fleetCommand
  ),
  entry(
    "hub",
    "The hub of a fleet: it keeps a copy of the log of each host in Postgres",
    async () => (await import("./commands/HubCommand.ts")).hubCommand
  ),
  entry(
    "service",
    "Run a watch, or all, under systemd or launchd: it outlives logouts, crashes and reboots",
    async () => (await import("./commands/ServiceCommand.ts")).serviceCommand
  ),
  entry(
    "conduct",
    "Drive a plan through implementer and reviewer agents, unattended, to its end",
    async () => (await import("./commands/ConductCommand.ts")).conductCommand
  ),
  entry(
    "report",
    "The last hours: deaths, recoveries, waits, tasks done, and what needs you",
    async () => (await import("./commands/ReportCommand.ts")).reportCommand
  ),
  entry(
    "metrics",
    "The numbers of all watches and runs, as Prometheus reads them",
    async () => (await import("./commands/MetricsCommand.ts")).metricsCommand
  ),
  entry(
    "traces",
    "Export the recoveries of the last hours as traces, by OTLP",
    async () => (await import("./commands/TracesCommand.ts")).tracesCommand
  ),
  entry(
    "doctor",
    "Is everything in place and consistent, and what to do where it is not",
    async () => (await import("./commands/DoctorCommand.ts")).doctorCommand
  ),
  entry(
    "config",
    "The settings in force, and where they come from",
    async () => (await import("./commands/ConfigCommand.ts")).configCommand
  ),
  entry(
    "init",
    "Comms tables and rows where there are none",
    async () => (await import("./commands/InitCommand.ts")).initCommand
  ),
  entry(
    "setup",
    "Set up agent, permission, hooks, notices and service, one question each",
    async () => (await import("./commands/SetupCommand.ts")).setupCommand
  ),
  entry(
    "hooks",
    "Hooks of the agent: exact and immediate evidence of what it does",
    async () => (await import("./commands/HooksCommand.ts")).hooksCommand
  ),
  entry(
    "notify",
    "The channels of notices, and a test of them",
    async () => (await import("./commands/NotifyCommand.ts")).notifyCommand
  ),
  entry(
    "export",
    "A session's conversation as Markdown",
    async () => (await import("./commands/ExportCommand.ts")).exportCommand
  ),
  entry(
    "estimate",
    "How many tokens an export is estimated at",
    async () => (await import("./commands/EstimateCommand.ts")).estimateCommand
  ),
  entry(
    "compact",
    "Compact a session in place, once its process has ended",
    async () => (await import("./commands/CompactCommand.ts")).compactCommand
  ),
  entry(
    "demo",
    "The main job on real processes, in a temporary folder, narrated; demo conduct: its second act",
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

/** Every command, in the order of the help. */
const entries = [
  ...others,
  entry("help", "The help of a command, or of all", async () =>
    (await import("./commands/HelpCommand.ts")).helpCommand(others.flatMap(({ names }) => names))
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
  const known = args.filter((arg) => entries.some(({ names }) => names.includes(arg)))
  const [first] = known
  const asked = known.slice(0, first === "help" ? 2 : 1)
  const named = entries.filter(({ names }) => all || asked.some((name) => names.includes(name)))
  const loaded = yield* Effect.promise(() =>
    Promise.all<Awaited<ReturnType<Entry["load"]>>>(named.map(({ load }) => load()))
  )
  const commands = entries.map(({ mention }) => loaded.find(({ name }) => name === mention.name) ?? mention)
  const alone = first === undefined && !args.some((arg) => arg === "-h" || arg === "--help")
  const here = alone ? (yield* Effect.promise(() => import("./commands/HereCommand.ts"))).hereCommand : root
  return here.pipe(
    Command.withDescription("Brings a dead or hung AI coding agent back, with its context"),
    Command.withSubcommands(commands),
    Command.provide(installed)
  )
})
