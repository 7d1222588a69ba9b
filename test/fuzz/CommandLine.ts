import { Cause, Console, Effect, Exit, Layer, Option } from "effect"
import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { cli } from "../../packages/cli/src/Cli.ts"
import { Environment } from "../../packages/cli/src/world/CommandEnvironment.ts"
import { printing } from "../../packages/cli/src/Printing.ts"
import { holds } from "./Border.ts"
import { isPlain } from "./FuzzPlain.ts"
import { type Host, host, ran } from "./Settle.ts"

/** A home with a project in it. A command of souffleur runs there, in this very process. */
export interface Home {
  readonly project: string
  readonly state: string
  readonly claude: string
  readonly write: (path: string, data: string | Uint8Array) => string
}

export const homeIn = (folder: string): Home => {
  const write = (path: string, data: string | Uint8Array) => {
    const file = join(folder, path)
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    writeFileSync(file, data, { mode: 0o600 })
    return file
  }
  for (const name of ["opera", "claude/projects/x", "claude/sessions", "run"])
    mkdirSync(join(folder, name), { recursive: true, mode: 0o700 })
  return { project: join(folder, "opera"), state: join(folder, "state"), claude: join(folder, "claude"), write }
}

export interface Said {
  readonly code: number | "still at it"
  /** The printed text, one entry for each call that printed. */
  readonly lines: ReadonlyArray<string>
}

/** Time that a command may watch or wait, ms. */
const patience = 3000
/** The same of a command that ends by itself once the programs that it asks have answered, on a busy machine. */
export const asking = 60_000

/** Gives the command as a person would, and returns its output. A defect is thrown as it is. */
export const say = (folder: string, args: ReadonlyArray<string>, within = patience) =>
  saidBy(folder, cli(args), {}, within)

/** Runs a part of a command, and returns its output. */
export const saidBy = async <A>(
  folder: string,
  program: Effect.Effect<A, Effect.Error<ReturnType<typeof cli>>, Environment | Host>,
  more: Readonly<Record<string, string>> = {},
  within = patience
): Promise<Said> => {
  const { claude, project, state } = homeIn(folder)
  const variables = {
    PATH: "/usr/bin:/bin",
    HOME: folder,
    XDG_RUNTIME_DIR: join(folder, "run"),
    SOUFFLEUR_STATE_DIR: state,
    SOUFFLEUR_CLAUDE_DIR: claude,
    SOUFFLEUR_AGENT_COMMAND: "/bin/true",
    ...more
  }
  for (const name of ["HOME", "XDG_RUNTIME_DIR"] as const) process.env[name] = variables[name]
  const [out, err]: [Array<string>, Array<string>] = [[], []]
  const to =
    (lines: Array<string>) =>
    (...words: ReadonlyArray<unknown>) =>
      void lines.push(words.map(String).join(" "))
  const printer = printing(false, { log: to(out), error: to(err) })
  // Each line is a call of its own here, so that a line break of others is seen.
  const console = Object.fromEntries(Object.entries(printer)) as unknown as Console.Console
  const environment = Layer.succeed(Environment, {
    variables,
    cwd: project,
    platform: "linux",
    colour: false,
    columns: undefined,
    interactive: false,
    self: ["/bin/true", "souffleur"] as const,
    published: undefined
  })
  const said = program.pipe(
    Effect.timeoutOption(within),
    Effect.provide([environment, host]),
    Effect.provideService(Console.Console, console)
  )
  const exit = await ran(said)
  const ended = Exit.isFailure(exit) ? exit.cause.reasons.find(Cause.isFailReason)?.error.code : 0
  const stillAtIt = Exit.isSuccess(exit) && Option.isNone(exit.value)
  return { code: stillAtIt ? "still at it" : (ended ?? 0), lines: [...out, ...err] }
}

/**
 * Checks the output of a command, whatever foreign words are in it. Each call prints one line, and no terminal obeys
 * it.
 */
export const printsWell = ({ lines }: Said): void => {
  const stack = lines.find((line) => /^\s+at .*:\d+:\d+\)?$/u.test(line))
  holds(stack === undefined, "it prints a stack", stack)
  const obeyed = lines.find((line) => !isPlain(line) || line.includes("\n"))
  holds(obeyed === undefined, "it prints what a terminal obeys", obeyed)
}
