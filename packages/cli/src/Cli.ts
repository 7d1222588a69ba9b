import { debugDefect, plain } from "@souffleur/domain"
import { Cause, Console, Effect, FileSystem, Option, Runtime } from "effect"
import { CliConfig, CliError, CliOutput, Command, Completions, GlobalFlag } from "effect/cli"
import type { CompletedShell } from "./completions/CompletionFile.ts"
import { completionFor } from "./completions/IdCompletion.ts"
import { CompletionScript } from "./completions/CompletionScript.ts"
import { ordered, rootFor } from "./CommandTable.ts"
import { Ended, ofFullDisk } from "./Failure.ts"
import { withStep } from "./explain/NextStep.ts"
import { helpText } from "./help/HelpText.ts"
import { printLines } from "./Printing.ts"
import { defectCode, defective } from "./Uncaught.ts"
import { version } from "./Version.ts"
import { Environment } from "./world/CommandEnvironment.ts"
import { wrapped, wrappedText } from "./Wrapped.ts"

/** Tells a sentence on standard error. A terminal breaks it, and no line break of others. */
const wrappedMessage = (text: string, columns: number | undefined) =>
  Effect.forEach(wrapped(plain(`souffleur: ${text}`), columns, 2), (line) => Console.error(line), { discard: true })

/** Returns a sentence about bad usage in one line. The library would put the names that are near below it. */
const usage = (error: CliError.CliError): string => {
  if (!("suggestions" in error) || error.suggestions.length === 0) return `${error.message}.`
  const { message } =
    error._tag === "UnrecognizedOption"
      ? new CliError.UnrecognizedOption({ ...error, suggestions: [] })
      : new CliError.UnknownSubcommand({ ...error, suggestions: [] })
  return `${message}; did you mean ${error.suggestions.join(" or ")}?`
}

/** Prints bad usage on standard error. Standard output is for facts, and requested help is a fact. */
const presenter = (args: ReadonlyArray<string>) =>
  Effect.map(Environment, ({ columns }): CliOutput.Presenter => ({
    present: (event) => {
      switch (event._tag) {
        case "InvalidInvocation":
          return wrappedMessage(
            `${event.errors.map(usage).join(" ")} See "${event.commandPath.join(" ")} --help"`,
            columns
          )
        case "Help":
          return printLines(wrappedText(helpText(event.helpDoc, args), columns))
        case "Version":
          return Console.log(`${event.name} v${event.version}`)
      }
    }
  }))

/** Prints a script line by line, because a line break within one call is shown as a sign. */
const completions = GlobalFlag.Action({
  flag: GlobalFlag.Completions.flag,
  run: (shell, { command }) =>
    Option.match(shell, {
      onNone: () => Effect.void,
      onSome: (shell) => printLines(completionFor(Completions.fromCommand(command), shell))
    })
})

/** The flags of every command. The wizard of Effect prints control sequences, which our console shows as signs. */
const config = CliConfig.make({
  builtIns: GlobalFlag.BuiltIns.flatMap((flag) =>
    flag === GlobalFlag.Wizard ? [] : [flag === GlobalFlag.Completions ? completions : flag]
  )
})

/** Tells a defect in one sentence. SOUFFLEUR_DEBUG adds its stack. */
const toldDefect = Effect.fnUntraced(function* (cause: Cause.Cause<unknown>) {
  yield* Console.error(`souffleur: ${defective(cause)}`)
  yield* debugDefect(cause)
  return yield* new Ended({ code: defectCode })
})

/** Makes the script of a shell from every command. */
const madeScript = (shell: CompletedShell) =>
  Effect.map(rootFor(["--completions"]), (root) => completionFor(Completions.fromCommand(root), shell))

/** Returns the script of a shell, which the published command has as a file. */
const scripts = CompletionScript.of(
  Effect.fnUntraced(function* (shell) {
    const fs = yield* FileSystem.FileSystem
    const { published } = yield* Environment
    const made = madeScript(shell)
    return yield* published === undefined
      ? made
      : Effect.catch(fs.readFileString(`${published}/completions/souffleur.${shell}`), () => made)
  })
)

/**
 * Runs the command line: facts to stdout, everything else to stderr, exit codes (spec: command-line#exit-codes). Fails
 * with `Ended` where the exit code is not 0.
 */
export const cli = (args: ReadonlyArray<string>) =>
  rootFor(args).pipe(
    Effect.flatMap((root) => Command.runWith(root, { version })(ordered(args))),
    Effect.catchTag("ShowHelp", (help) =>
      help.errors.length === 0 ? Effect.void : Effect.fail(new Ended({ code: 2 }))
    ),
    Effect.catch((error) => {
      if (error._tag === "Ended") return Effect.fail(error)
      // The presenter has already printed it.
      if (CliError.isCliError(error)) return Effect.fail(new Ended({ code: 2 }))
      const told = error._tag === "PlatformError" ? ofFullDisk(error) : error
      return Effect.andThen(
        Effect.flatMap(Environment, ({ columns }) => wrappedMessage(withStep(told), columns)),
        Effect.fail(new Ended({ code: Runtime.getErrorExitCode(told) }))
      )
    }),
    Effect.catchCause((cause) => (Cause.hasDies(cause) ? toldDefect(cause) : Effect.failCause(cause))),
    Effect.provideService(CompletionScript, scripts),
    Effect.provideServiceEffect(CliOutput.Presenter, presenter(args)),
    Effect.provideService(CliConfig.CliConfig, config)
  )
