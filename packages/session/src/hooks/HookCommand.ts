import type { HookProgram } from "@souffleur/process"
import { Option } from "effect"

/**
 * Quotes a text as one word for a shell of the Bourne kind. Each agent runs a hook with such a shell (spec:
 * behaviour#hooks-of-the-agent).
 */
const quoted = (word: string) => `'${word.replaceAll("'", "'\\''")}'`

const before = "SOUFFLEUR_STATE_DIR="
/** The end of a line, which names the agent. The first agent's own environment names its process. */
const after = (agent: string | undefined) => ` hook${agent === undefined ? "" : ` ${agent}`} 2>/dev/null || true`

/**
 * Makes the command line for the settings. It names the state folder, because the agent's environment may lack it. It
 * succeeds even if souffleur is gone, so that the agent is not disturbed.
 */
export const hookCommand = ({ agent, self, stateDir }: HookProgram): string =>
  `${before}${[stateDir, ...self].map(quoted).join(" ")}${after(agent)}`

/** Returns the program of a line that is ours, wherever it was installed from. `None`: the line is not ours. */
export const hookProgram = (line: string): Option.Option<HookProgram> => {
  const end = / hook(?: ([a-z]+))? 2>\/dev\/null \|\| true$/u.exec(line)
  if (!line.startsWith(before) || end === null) return Option.none()
  const words = line.slice(before.length, end.index)
  const word = /'[^']*'(?:\\''[^']*')*/gs
  const [stateDir, program, ...args] = [...words.matchAll(word)].map(([text]) =>
    text.slice(1, -1).replaceAll("'\\''", "'")
  )
  if (stateDir === undefined || program === undefined) return Option.none()
  const found: HookProgram = { stateDir, self: [program, ...args], ...(end[1] === undefined ? {} : { agent: end[1] }) }
  return hookCommand(found) === line ? Option.some(found) : Option.none()
}
