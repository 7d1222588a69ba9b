import type { HookProgram } from "@souffleur/process"
import { Option } from "effect"
import { shellWords, wordsOfShell } from "../command/ShellWords.ts"

const before = "SOUFFLEUR_STATE_DIR="
/** The end of a line, which names the agent. The first agent's own environment names its process. */
const after = ({ agent, watch }: Pick<HookProgram, "agent" | "watch">) =>
  ` hook${agent === undefined ? "" : ` ${agent}`}${watch === undefined ? "" : " --watch"} 2>/dev/null || true`

/**
 * Makes the command line for the settings, which each agent runs with a shell. It names the state folder, because the
 * agent's environment may lack it. It succeeds even if souffleur is gone, so that the agent is not disturbed.
 */
export const hookCommand = ({ self, stateDir, ...rest }: HookProgram): string =>
  `${before}${shellWords([stateDir, ...self])}${after(rest)}`

/** Returns the program of a line that is ours, wherever it was installed from. `None`: the line is not ours. */
export const hookProgram = (line: string): Option.Option<HookProgram> => {
  const end = / hook(?: ([a-z]+))?( --watch)? 2>\/dev\/null \|\| true$/u.exec(line)
  if (!line.startsWith(before) || end === null) return Option.none()
  const [stateDir, program, ...args] = wordsOfShell(line.slice(before.length, end.index))
  if (stateDir === undefined || program === undefined) return Option.none()
  const found: HookProgram = {
    stateDir,
    self: [program, ...args],
    ...(end[1] === undefined ? {} : { agent: end[1] }),
    ...(end[2] === undefined ? {} : { watch: true })
  }
  return hookCommand(found) === line ? Option.some(found) : Option.none()
}
