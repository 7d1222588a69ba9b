import { Agent, type AgentProgram, capsGiven } from "@souffleur/domain"
import type { AgentPackage } from "@souffleur/process"
import { Layer, Result } from "effect"
import { behindFront, behindFronts, type ProgramWords, readAgentCommand } from "../command/AgentWords.ts"
import type { FlagTable } from "../command/FlagTable.ts"
import { argumentsOfProgram, baseName, frontOf, type IsProgram } from "../command/CommandFront.ts"
import type { LaunchOptions } from "../command/CompleteCommand.ts"
import type { AgentDialect } from "./AgentDialect.ts"
import { makeSaidAgent } from "./SaidAgent.ts"

/** Fields of a dialect that the package has too, and those with a usual value. */
type Known = "capNames" | "caps" | "exits" | "loginFiles" | "name" | "stall" | "title"
type Usual = "folder" | "runs"

/** All that tells an agent with one file of JSON lines a session from another such agent. */
export interface SaidFacts
  extends Omit<AgentPackage, "layer" | "owns" | "parseCommand">, Pick<ProgramWords, "is" | "others" | "verb"> {
  readonly flags: FlagTable
  /** See `AgentKind.takeApart`. Its words begin with the agent's program, and so does the command of a launch. */
  readonly takeApart: AgentPackage["takeApart"]
  /** The files in which the agent keeps its login, from its folder. Absent: it keeps the login elsewhere. */
  readonly loginFiles?: ReadonlyArray<string>
  /**
   * Makes its dialect by the settings. Without a `folder`, its session files are in `sessions`. Without `runs`, a
   * command line is of the agent where its program runs, or one that runs or becomes it, or the configured command.
   */
  readonly dialect: (options: LaunchOptions) => Omit<AgentDialect, Known | Usual> & Partial<Pick<AgentDialect, Usual>>
}

/** Returns the name of another program that stands for the agent, or of the file that it runs. */
const nameOf = (is: IsProgram, { args, program }: AgentProgram): string => {
  const words = [program, ...args]
  const length = Result.match(frontOf(is, words), { onFailure: () => 1, onSuccess: (front) => front.length })
  return baseName(words[length - 1] ?? program)
}

/** Returns whether a command line is the configured command, with or without its interpreter. */
const isConfigured = (words: ReadonlyArray<string>, { args, program }: AgentProgram): boolean =>
  [0, 1].some(
    (from) =>
      words[from] !== undefined &&
      baseName(words[from]) === baseName(program) &&
      args.every((word, at) => words[from + 1 + at] === word)
  )

/** Makes an agent package by the facts of its agent. */
export const saidPackage = ({ dialect, flags, loginFiles, others, verb, ...facts }: SaidFacts): AgentPackage => {
  const { ends, folder, is, program, sessions, stall, title } = facts
  const words = {
    program,
    is,
    folder,
    ...(verb === undefined ? {} : { verb }),
    ...(others === undefined ? {} : { others })
  }
  const capNames = { flags: flags.caps ?? {}, variables: flags.capVariables ?? {} }
  return {
    ...facts,
    ...behindFronts(words, facts),
    parseCommand: readAgentCommand(words, flags),
    layer: (options) => {
      const { agentDir, agentCommand } = options
      const { front, own } = behindFront(words, agentCommand)
      const isOther = others !== undefined && !is(own.program)
      const said = makeSaidAgent({
        name: isOther ? nameOf(is, agentCommand) : program,
        title,
        stall,
        ...(ends?.exits === undefined ? {} : { exits: ends.exits }),
        ...(loginFiles === undefined ? {} : { loginFiles: loginFiles.map((file) => `${agentDir}/${file}`) }),
        caps: capsGiven(own.args, options.environment, capNames),
        capNames,
        folder: `${agentDir}/${sessions}`,
        runs: (words) => argumentsOfProgram(is, words) !== undefined || (isOther && isConfigured(words, agentCommand)),
        ...dialect({ ...options, agentCommand: own, front })
      })
      return Layer.effect(Agent, said)
    }
  }
}
