import type { Start } from "../own/Detached.ts"
import { runTerminal, type WindowOptions } from "./Window.ts"

/** kitty's own environment may hold options for Node, which are not meant for the launcher. */
const withVariables = (environment: Start["environment"]) =>
  Object.entries({ ...environment, NODE_OPTIONS: "" }).flatMap(([name, value]) => ["--env", `${name}=${value}`])

/**
 * Asks the kitty that souffleur runs in (`KITTY_LISTEN_ON`) for a tab behind the current one. kitty runs the command
 * without a shell, as its own child. A late answer, or one that comes when the command ends, delays no receipt.
 */
export const startKitty = ({ environment, line }: Start, { cwd, title, variables }: WindowOptions) =>
  runTerminal({
    line: [
      "kitty",
      "@",
      "launch",
      "--type=tab",
      "--keep-focus",
      "--title",
      title,
      "--cwd",
      cwd,
      ...withVariables(environment),
      "--",
      ...line
    ],
    cwd,
    variables,
    refused: () => "kitty refused to open a window: are allow_remote_control and listen_on set?"
  })
