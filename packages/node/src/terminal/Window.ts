import { spawn } from "node:child_process"
import { isSecretVariable, LaunchFailed, type Variables } from "@souffleur/domain"
import { Effect } from "effect"
import type { Start } from "../own/Detached.ts"
import { pathOf } from "../launch/HostPrograms.ts"

/** The words by which a terminal is started, or asked, and the sentence that tells a bad end of them. */
export interface TerminalWords {
  readonly line: Start["line"]
  /** Absolute. */
  readonly cwd: string
  readonly refused: (code: number | null) => string
  /** The environment of the terminal. Absent: this process's own. */
  readonly variables?: Variables | undefined
}

/**
 * Runs the words of a terminal in a session of their own, which outlives souffleur. They get no secret of a channel, as
 * a person may open other windows in that terminal. The terminal does not report the pid of its command, so the result
 * is an effect that fails once the words have ended badly, and gives `false` until then. souffleur does not wait for
 * them: they may end at once, or with the command. Fails with `LaunchFailed` where there is no such program.
 */
export const runTerminal = ({
  cwd,
  line: [name, ...args],
  refused,
  variables = process.env
}: TerminalWords): Effect.Effect<Effect.Effect<false, LaunchFailed>, LaunchFailed> =>
  Effect.callback((resume) => {
    const missing = Effect.fail(new LaunchFailed({ message: `${name} cannot be started` }))
    const program = pathOf(name, variables["PATH"] ?? "")
    if (program === undefined) return resume(missing)
    const env = Object.fromEntries(Object.entries(variables).filter(([name]) => !isSecretVariable(name)))
    const child = spawn(program, args, { cwd, env, detached: true, stdio: "ignore" })
    child.unref()
    const answer = Effect.suspend(() =>
      child.signalCode === null && (child.exitCode ?? 0) === 0
        ? Effect.succeed(false as const)
        : Effect.fail(new LaunchFailed({ message: refused(child.exitCode) }))
    )
    child.on("error", () => resume(missing))
    child.on("spawn", () => resume(Effect.succeed(answer)))
  })

/** Options of a window. */
export interface WindowOptions {
  readonly title: string
  /** Absolute. */
  readonly cwd: string
  readonly variables?: TerminalWords["variables"]
}

/** Sets the title as xterm and its kin take it, then becomes the command. The shell reads a fixed text alone. */
const titled = String.raw`printf '\033]2;%s\007' "$SOUFFLEUR_TITLE"; exec "$0" "$@"`

/**
 * Opens a window of the desktop by the user's own words for a terminal (`TERMINAL_COMMAND`). A terminal may hand its
 * command to a server with another environment, so the variables are words of the command. They are no variables of the
 * terminal: it may have other windows too, and is not ended with the launch.
 */
export const startWindow = (
  terminal: Start["line"],
  { environment, line }: Start,
  { cwd, title, variables: around }: WindowOptions
) => {
  const variables = Object.entries({ ...environment, NODE_OPTIONS: "", SOUFFLEUR_TITLE: title })
  return runTerminal({
    line: [
      ...terminal,
      "/usr/bin/env",
      ...variables.map(([name, value]) => `${name}=${value}`),
      "/bin/sh",
      "-c",
      titled,
      ...line
    ],
    cwd,
    variables: around,
    refused: (code) => `${terminal[0]} ended ${code === null ? "by a signal" : `with exit code ${code}`}`
  })
}
