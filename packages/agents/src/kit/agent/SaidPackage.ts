import { capsIn } from "@souffleur/domain"
import type { AgentOptions, AgentPackage } from "@souffleur/process"
import { readAgentCommand, type ProgramWords } from "../command/AgentWords.ts"
import type { FlagTable } from "../command/FlagTable.ts"
import { argumentsOfProgram } from "../command/RunsProgram.ts"
import type { AgentDialect } from "./AgentDialect.ts"
import { layerSaidAgent } from "./SaidAgent.ts"

/** Fields of a dialect that the package has too, and those with a usual value. */
type Known = "capNames" | "caps" | "exits" | "loginFiles" | "name" | "stall" | "title"
type Usual = "folder" | "runs"

/** All that tells an agent with one file of JSON lines a session from another such agent. */
export interface SaidFacts
  extends Omit<AgentPackage, "layer" | "owns" | "parseCommand">, Pick<ProgramWords, "is" | "verb"> {
  readonly flags: FlagTable
  /** The files in which the agent keeps its login, from its folder. Absent: it keeps the login elsewhere. */
  readonly loginFiles?: ReadonlyArray<string>
  /**
   * Makes its dialect by the settings. Without a `folder`, its session files are in `sessions`. Without `runs`, a
   * command line is of the agent where its program runs, or an interpreter that runs this program.
   */
  readonly dialect: (options: AgentOptions) => Omit<AgentDialect, Known | Usual> & Partial<Pick<AgentDialect, Usual>>
}

/** Makes an agent package by the facts of its agent. */
export const saidPackage = ({ dialect, flags, is, loginFiles, verb, ...facts }: SaidFacts): AgentPackage => {
  const { ends, program, sessions, stall, title } = facts
  return {
    ...facts,
    owns: ([word]) => is(word),
    parseCommand: readAgentCommand({ program, is, ...(verb === undefined ? {} : { verb }) }, flags),
    layer: (options) =>
      layerSaidAgent({
        name: program,
        title,
        stall,
        ...(ends?.exits === undefined ? {} : { exits: ends.exits }),
        ...(loginFiles === undefined ? {} : { loginFiles: loginFiles.map((file) => `${options.agentDir}/${file}`) }),
        caps: capsIn(options.agentCommand.args, flags.caps ?? {}),
        capNames: { flags: flags.caps ?? {} },
        folder: `${options.agentDir}/${sessions}`,
        runs: (words) => argumentsOfProgram(is, words) !== undefined,
        ...dialect(options)
      })
  }
}
