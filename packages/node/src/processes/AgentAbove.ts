// This file does not load Effect, because a tool call waits for it.

/** A process above a hook's. */
export interface ProcessAbove {
  readonly pid: number
  /** Its command line; empty where it cannot be read. */
  readonly words: ReadonlyArray<string>
}

/** A launcher has the agent's command line, or its program's script and arguments. */
const launches = (program: string, launcher: ReadonlyArray<string>, agent: ReadonlyArray<string>): boolean => {
  const [, script = "", ...args] = launcher
  const ends = (words: ReadonlyArray<string>) =>
    words.every((word, at) => word === agent[agent.length - words.length + at])
  const isAgain = launcher.length === agent.length && ends(launcher)
  return isAgain || (script.split("/").at(-1) === program && ends(args))
}

/**
 * Finds the process of an agent that ran a hook, by the processes above the hook, the nearest first. The agent is the
 * nearest that is no shell of the hook. A launcher that waits for it is named in its place.
 */
export const agentAbove = (program: string, above: Iterable<ProcessAbove>): number | undefined => {
  let agent: ProcessAbove | undefined
  for (const one of above) {
    if (agent !== undefined && !launches(program, one.words, agent.words)) break
    if (agent !== undefined || !one.words.some((word) => word.includes(` hook ${program} `))) agent = one
  }
  return agent?.pid
}
