import { Effect } from "effect"
import { Argument, CliError, Command, Flag } from "effect/cli"
import { BadUsage } from "../Failure.ts"

/** Makes the command that shows the help of another one. `names`: the commands that there are. */
export const helpCommand = (names: ReadonlyArray<string>) =>
  Command.make(
    "help",
    {
      all: Flag.Boolean("all").pipe(Flag.withDescription("Every command, and every flag"), Flag.withDefault(false)),
      words: Argument.String("command").pipe(
        Argument.withDescription("A command, such as run or conduct status; nothing: the usual commands"),
        Argument.variadic()
      )
    },
    Effect.fnUntraced(function* ({ words }) {
      const [first] = words
      if (first !== undefined && !names.includes(first))
        return yield* new BadUsage({
          message: `there is no command ${JSON.stringify(first)}: "souffleur help --all" lists all`
        })
      return yield* new CliError.ShowHelp({ commandPath: ["souffleur", ...words], errors: [] })
    })
  )
