import { debugDefect } from "@souffleur/domain"
import { Cause, Console, Effect, Option, Runtime } from "effect"
import { CliConfig, CliError, CliOutput, Command, Completions, GlobalFlag } from "effect/cli"
import { adoptCommand } from "./commands/AdoptCommand.ts"
import { attachCommand } from "./commands/AttachCommand.ts"
import { compactCommand } from "./commands/CompactCommand.ts"
import { conductCommand } from "./commands/ConductCommand.ts"
import { configCommand } from "./commands/ConfigCommand.ts"
import { demoCommand } from "./commands/DemoCommand.ts"
import { doneCommand } from "./commands/DoneCommand.ts"
import { doctorCommand } from "./commands/DoctorCommand.ts"
import { estimateCommand } from "./commands/EstimateCommand.ts"
import { exportCommand } from "./commands/ExportCommand.ts"
import { hereCommand } from "./commands/HereCommand.ts"
import { hooksCommand } from "./commands/HooksCommand.ts"
import { goCommand } from "./commands/GoCommand.ts"
import { holdCommand } from "./commands/HoldCommand.ts"
import { initCommand } from "./commands/InitCommand.ts"
import { logCommand } from "./commands/LogCommand.ts"
import { mcpCommand } from "./commands/McpCommand.ts"
import { notifyCommand } from "./commands/NotifyCommand.ts"
import { releaseCommand } from "./commands/ReleaseCommand.ts"
import { retryCommand } from "./commands/RetryCommand.ts"
import { serviceCommand } from "./commands/ServiceCommand.ts"
import { runCommand } from "./commands/RunCommand.ts"
import { stateCommand } from "./commands/StateCommand.ts"
import { statusCommand } from "./commands/StatusCommand.ts"
import { uninstallCommand } from "./commands/UninstallCommand.ts"
import { watchCommand } from "./commands/WatchCommand.ts"
import { whyCommand } from "./commands/WhyCommand.ts"
import { Ended } from "./Failure.ts"
import { printLines } from "./Printing.ts"
import { defectCode, defective } from "./Uncaught.ts"
import { version } from "./Version.ts"
import { layerInstallation } from "./world/CommandInstallation.ts"

/** The root of all commands, without the services that they need. */
export const root = hereCommand.pipe(
  Command.withSubcommands([
    watchCommand,
    runCommand,
    statusCommand,
    logCommand,
    stateCommand,
    whyCommand,
    doneCommand,
    mcpCommand,
    releaseCommand,
    retryCommand,
    holdCommand,
    goCommand,
    adoptCommand,
    attachCommand,
    serviceCommand,
    conductCommand,
    doctorCommand,
    configCommand,
    initCommand,
    hooksCommand,
    notifyCommand,
    exportCommand,
    estimateCommand,
    compactCommand,
    demoCommand,
    uninstallCommand
  ])
)

const help = CliOutput.defaultFormatter({ colors: false })

/** Prints bad usage on standard error. Standard output is for facts, and requested help is a fact. */
const presenter: CliOutput.Presenter = {
  present: (event) => {
    switch (event._tag) {
      case "InvalidInvocation":
        return Console.error(
          `souffleur: ${event.errors.map(({ message }) => message).join("; ")}. See "${event.commandPath.join(" ")} --help"`
        )
      case "Help":
        return printLines(help.formatHelpDoc(event.helpDoc))
      case "Version":
        return Console.log(`${event.name} v${event.version}`)
    }
  }
}

/** Prints a script line by line, because a line break within one call is shown as a sign. */
const completions = GlobalFlag.Action({
  flag: GlobalFlag.Completions.flag,
  run: (shell, { command }) =>
    Option.match(shell, {
      onNone: () => Effect.void,
      onSome: (shell) => printLines(Completions.generate(command.name, shell, Completions.fromCommand(command)))
    })
})
const config = CliConfig.make({
  builtIns: GlobalFlag.BuiltIns.map((flag) => (flag === GlobalFlag.Completions ? completions : flag))
})

/** Tells a defect in one sentence. SOUFFLEUR_DEBUG adds its stack. */
const toldDefect = Effect.fnUntraced(function* (cause: Cause.Cause<unknown>) {
  yield* Console.error(`souffleur: ${defective(cause)}`)
  yield* debugDefect(cause)
  return yield* new Ended({ code: defectCode })
})

/**
 * Runs the command line: facts to stdout, everything else to stderr, exit codes (spec: command-line#exit-codes). Fails
 * with `Ended` where the exit code is not 0.
 */
export const cli = (args: ReadonlyArray<string>) =>
  Command.runWith(root, { version })(args).pipe(
    Effect.catchTag("ShowHelp", (help) =>
      help.errors.length === 0 ? Effect.void : Effect.fail(new Ended({ code: 2 }))
    ),
    Effect.catch((error) => {
      if (error._tag === "Ended") return Effect.fail(error)
      // The presenter has told it already.
      if (CliError.isCliError(error)) return Effect.fail(new Ended({ code: 2 }))
      // Further lines of the sentence are indented below it.
      const text = error.message.replaceAll("\n", "\n  ")
      return Effect.andThen(
        Console.error(`souffleur: ${text}`),
        Effect.fail(new Ended({ code: Runtime.getErrorExitCode(error) }))
      )
    }),
    Effect.catchCause((cause) => (Cause.hasDies(cause) ? toldDefect(cause) : Effect.failCause(cause))),
    Effect.provide(layerInstallation),
    Effect.provideService(CliOutput.Presenter, presenter),
    Effect.provideService(CliConfig.CliConfig, config)
  )
