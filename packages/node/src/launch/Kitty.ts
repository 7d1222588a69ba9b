import { spawn } from "node:child_process"
import { LaunchFailed } from "@souffleur/domain"
import { Effect } from "effect"
import type { Start } from "../own/Detached.ts"
import { pathOf } from "./HostPrograms.ts"

/** Options of a window of kitty. */
export interface KittyWindow {
  readonly title: string
  readonly cwd: string
}

/** kitty's own environment may hold options for Node, which are not meant for the launcher. */
const withVariables = (environment: Start["environment"]) =>
  Object.entries({ ...environment, NODE_OPTIONS: "" }).flatMap(([name, value]) => ["--env", `${name}=${value}`])

const missing = new LaunchFailed({ message: "kitty cannot be started" })
const refused = new LaunchFailed({
  message: "kitty refused to open a window: are allow_remote_control and listen_on set?"
})

/**
 * Asks the kitty that souffleur runs in (`KITTY_LISTEN_ON`) for a tab behind the current one. kitty runs the command
 * without a shell, as its own child, and does not report its pid. So the result is an effect that fails once kitty has
 * refused, and gives `false` until then. souffleur does not wait for kitty: an answer that is late, or comes when the
 * command ends, delays no receipt.
 */
export const startKitty = (
  { environment, line }: Start,
  { cwd, title }: KittyWindow
): Effect.Effect<Effect.Effect<false, LaunchFailed>, LaunchFailed> =>
  Effect.callback((resume) => {
    const tab = [
      "@",
      "launch",
      "--type=tab",
      "--keep-focus",
      "--title",
      title,
      "--cwd",
      cwd,
      ...withVariables(environment)
    ]
    const program = pathOf("kitty")
    if (program === undefined) return resume(Effect.fail(missing))
    const child = spawn(program, [...tab, "--", ...line], { detached: true, stdio: "ignore" })
    child.unref()
    const answer = Effect.suspend(() =>
      child.signalCode === null && (child.exitCode ?? 0) === 0 ? Effect.succeed(false as const) : Effect.fail(refused)
    )
    child.on("error", () => resume(Effect.fail(missing)))
    child.on("spawn", () => resume(Effect.succeed(answer)))
  })
