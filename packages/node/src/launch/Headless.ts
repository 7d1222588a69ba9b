import { LaunchFailed } from "@souffleur/domain"
import { Effect } from "effect"
import { detached, type Start } from "../own/Detached.ts"
import { follow } from "../processes/ChildEnds.ts"
import { lateCode, launchVariable } from "./LaunchFile.ts"

interface HeadlessOptions {
  readonly cwd: string
  /** Absolute path of the file that its standard output is appended to. */
  readonly output: string
  /** Absolute path of the same for its standard error. Absent: both go to one file. */
  readonly errors?: string | undefined
  readonly input?: string | null
}

/**
 * Lines of a shell that waits for a launch. What a shell says of a killed child is no output of the launch. A signal to
 * the whole group must not end the shell first. The code is written over the blanks of a file that is there. A launcher
 * that left no receipt, or came late, has no end to tell.
 */
const waiting = [
  "exec 3>&2 2>/dev/null; trap : HUP INT TERM",
  `(${launchVariable}="$SOUFFLEUR_LAUNCH"; export ${launchVariable}; exec "$0" "$@" 2>&3 3>&-); code=$?`,
  `[ $code = ${lateCode} ] || [ ! -e "$SOUFFLEUR_RECEIPT" ] || [ ! -e "$SOUFFLEUR_EXIT" ] || printf %s $code 1<> "$SOUFFLEUR_EXIT"`
].join("\n")

/**
 * Returns a start whose exit code is kept under `exit`, whether souffleur lives or not: the parent of a process alone
 * learns how it ended. That parent is a shell, which reads no word of the command. It does not carry the launch's mark,
 * so that it is no part of the agent's tree, and outlives it by a moment. `receipt` and `exit` are absolute paths.
 */
export const waitedFor = (
  { environment: { [launchVariable]: launch, ...environment }, line }: Start,
  { exit, receipt }: { readonly exit: string; readonly receipt: string }
): Start => ({
  line: ["/bin/sh", "-c", waiting, ...line],
  environment: { ...environment, SOUFFLEUR_LAUNCH: launch, SOUFFLEUR_RECEIPT: receipt, SOUFFLEUR_EXIT: exit }
})

/**
 * Starts a detached command, with `input` to read, and succeeds with its pid. The command outlives the scope.
 * `effect/process` takes no file for output. Fails with `LaunchFailed` where the command cannot be started.
 */
export const startHeadless = (
  start: Start,
  { cwd, errors, input = null, output }: HeadlessOptions
): Effect.Effect<number, LaunchFailed> =>
  Effect.callback((resume) => {
    const failed = (message = `${start.line[0]} cannot be started`) =>
      resume(Effect.fail(new LaunchFailed({ message, momentary: true })))
    try {
      const child = detached(start, cwd, { output, errors, input })
      child.on("error", () => failed())
      follow(child)
      child.on("spawn", () => resume(Effect.succeed(child.pid ?? 0)))
    } catch (error) {
      failed(error instanceof Error ? error.message : undefined)
    }
  })
