import { Console, Effect } from "effect"
import { cli } from "../src/Cli.ts"
import { printing } from "../src/Printing.ts"
import { Environment } from "../src/world/CommandEnvironment.ts"
import { surroundingsIn } from "./Surroundings.ts"

/** The lines that a command prints in a folder, to either stream, with these variables and no terminal. */
export const printed = (cwd: string, variables: Readonly<Record<string, string>>, ...args: ReadonlyArray<string>) =>
  printedAt({ cwd, variables, interactive: false }, ...args)

/** The same, where a question may be asked at a terminal. `lines` has what a command printed before it failed. */
export const printedAt = Effect.fnUntraced(function* (
  {
    cwd,
    interactive,
    lines = [],
    variables
  }: Pick<Environment["Service"], "cwd" | "interactive" | "variables"> & { readonly lines?: Array<string> },
  ...args: ReadonlyArray<string>
) {
  const log = (text: string) => void lines.push(...text.split("\n"))
  yield* cli(args).pipe(
    Effect.provideService(Console.Console, printing(false, { log, error: log })),
    Effect.provideService(
      Environment,
      surroundingsIn(cwd, variables, { interactive, columns: interactive ? 120 : undefined })
    )
  )
  return lines
})
