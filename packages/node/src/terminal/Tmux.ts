import { execFile } from "node:child_process"
import { LaunchFailed, plain, type Variables } from "@souffleur/domain"
import { Effect } from "effect"
import type { Start } from "../own/Detached.ts"
import { pathOf } from "../launch/HostPrograms.ts"

/** Names a tmux server and a pane. The default is the server of `$TMUX`, and the pane `$TMUX_PANE`. */
export interface TmuxPlace {
  readonly socket?: string
  readonly pane?: string
  /** The environment that names both, and in which `tmux` is found. Absent: this process's own. */
  readonly variables?: Variables | undefined
}

/** UTF-16 units of what tmux says of a failure. */
const maxWhy = 200

/** What tmux says of a server that is not there. */
const isGone = /^(?:no server running|error connecting|lost server|server exited)/u

const tmux = (
  { socket, variables = process.env }: TmuxPlace,
  args: ReadonlyArray<string>
): Effect.Effect<string, LaunchFailed> =>
  Effect.callback((resume, signal) => {
    const server = socket === undefined ? [] : ["-L", socket]
    const failed = (why: string) =>
      resume(
        Effect.fail(
          new LaunchFailed({
            message: isGone.test(why) ? "tmux is gone" : `tmux ${args[0]} failed: ${plain(why, maxWhy)}`
          })
        )
      )
    const program = pathOf("tmux", variables["PATH"] ?? "")
    if (program === undefined) return failed("there is no program tmux in PATH")
    execFile(program, [...server, ...args], { signal, env: variables }, (error, stdout, stderr) =>
      error === null ? resume(Effect.succeed(stdout.trim())) : failed(stderr.trim() || "it gave no answer")
    )
  })

/** tmux would expand `#(…)` as a command of a shell, and end its own command at a trailing `;`. */
const windowName = (title: string): string => title.replaceAll("#", "##").replace(/;$/, "\\;")

/**
 * Opens a window in the session of that pane, behind the current one, and succeeds with its pid. If that pane is
 * gone, the window is in the newest session of its server. tmux runs a command of
 * two or more words without a shell, but in the server's environment. Node's options in that environment are not meant
 * for the launcher. Fails with `LaunchFailed` where tmux refuses.
 */
export const startTmux = Effect.fnUntraced(function* (place: TmuxPlace, { environment, line }: Start, title: string) {
  const pane = place.pane ?? (place.variables ?? process.env)["TMUX_PANE"]
  const session = pane === undefined ? "" : yield* tmux(place, ["display-message", "-p", "-t", pane, "#{session_id}"])
  // tmux succeeds and prints nothing for a pane that is gone. Then it chooses another session of its server.
  const target = session === "" ? [] : ["-t", `${session}:`]
  const variables = Object.entries({ ...environment, NODE_OPTIONS: "" }).flatMap(([name, value]) => [
    "-e",
    `${name}=${value}`
  ])
  const window = ["new-window", "-d", "-P", "-F", "#{pane_pid}", "-n", windowName(title), ...variables, ...target]
  const pid = Number(yield* tmux(place, [...window, "--", ...line]))
  return Number.isInteger(pid) && pid > 1
    ? pid
    : yield* new LaunchFailed({ message: "tmux did not say which process it started" })
})
