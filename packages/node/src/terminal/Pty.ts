import { LaunchFailed } from "@souffleur/domain"
import { Effect } from "effect"
import type { Start } from "../own/Detached.ts"
import { pathOf } from "../launch/HostPrograms.ts"
import type { WindowFiles } from "../launch/LaunchEnds.ts"
import { lateCode } from "../launch/LaunchFile.ts"

const missing = new LaunchFailed({
  message:
    process.platform === "linux"
      ? 'the command needs a terminal, and the program "script", which gives it one, is not in PATH: install util-linux'
      : "the command needs a terminal, which souffleur makes on Linux alone: run it in a window of tmux or kitty"
})

/** Finds the `script` of util-linux. Other systems have a program of that name with other flags. */
const scriptPath = () => (process.platform === "linux" ? pathOf("script") : undefined)

/** True if this machine can give a command a terminal. */
export const hasPty = Effect.sync(() => scriptPath() !== undefined)

/** The variable with one word of the command line. */
const wordName = (index: number) => `SOUFFLEUR_WORD_${index}`

/** The line of a shell that becomes a command. */
const becoming = (line: Start["line"]): string => `exec${line.map((_, index) => ` "$${wordName(index)}"`).join("")}`

const scriptWith = (command: string) => ["--quiet", "--return", "--flush", "--command", command, "/dev/null"] as const

/** Fails with `LaunchFailed` where there is no `script`. */
const withScript = Effect.fnUntraced(function* ({ environment, line }: Start) {
  const script = scriptPath()
  if (script === undefined) return yield* missing
  const variables = {
    ...environment,
    PATH: "/usr/local/bin:/usr/bin:/bin",
    SHELL: "/bin/sh",
    ...Object.fromEntries(line.map((word, index) => [wordName(index), word]))
  }
  return { script, variables }
})

/**
 * Returns a start with a terminal of its own, of 80 columns and 24 rows. `script` of util-linux makes it, and copies
 * what is printed. It ends with the command's exit code, or with 128 and the number of a signal. Its shell reads a
 * fixed text alone: the words of the command line are variables. Fails with `LaunchFailed` where there is no `script`.
 */
export const inPty = Effect.fn("inPty")(function* (start: Start) {
  const { script, variables } = yield* withScript(start)
  const command = `stty rows 24 cols 80; ${becoming(start.line)}`
  return { line: [script, ...scriptWith(command)], environment: variables } satisfies Start
})

/** Lines of a shell: keep the exit code of an end, and tell it under its name. A launcher that came late has none. */
const recordCode = `code=$?; [ $code = ${lateCode} ] || printf %s $code > "$SOUFFLEUR_WINDOW"`
const tellEnd = `[ ! -s "$SOUFFLEUR_WINDOW" ] || ln "$SOUFFLEUR_WINDOW" "$SOUFFLEUR_EXIT"`

/**
 * Returns a start of an agent in a window, which is the agent's own. A shell waits for it, and keeps its exit code
 * under `exit`, whether souffleur lives or not. The shell reads a fixed text alone. It ends with a closed window, and
 * tells nothing of that end.
 */
export const asWindow = ({ environment, line }: Start, { exit, window }: Omit<WindowFiles, "output">): Start => ({
  // A signal to the whole tree must not end the shell before the agent: the window would close on it.
  line: ["/bin/sh", "-c", `trap : INT TERM; "$0" "$@"; ${recordCode}; ${tellEnd}`, ...line],
  environment: { ...environment, SOUFFLEUR_WINDOW: window, SOUFFLEUR_EXIT: exit }
})

/**
 * Returns a start for a window. `script` gives the command the size and the keys of the window. A copy of its
 * output is in `output`. Then its exit code is under `exit`, whether souffleur lives or not. The end of a launcher that
 * came late is not told. `script` blocks the signal of a closed window, so a shell ends it by another one. Both shells
 * read a fixed text alone. Fails with `LaunchFailed` where there is no `script`.
 */
export const inWindow = Effect.fn("inWindow")(function* (start: Start, { exit, output, window }: WindowFiles) {
  const { script, variables } = yield* withScript(start)
  const shell = [
    `{ "$0" "$@" <&3 & trap "kill -TERM $!" HUP; wait $!; ${recordCode}; } 3<&0 | (umask 077; exec tee -a "$SOUFFLEUR_OUTPUT")`,
    tellEnd
  ].join("\n")
  return {
    line: ["/bin/sh", "-c", shell, script, ...scriptWith(becoming(start.line))],
    environment: { ...variables, SOUFFLEUR_OUTPUT: output, SOUFFLEUR_WINDOW: window, SOUFFLEUR_EXIT: exit }
  } satisfies Start
})
