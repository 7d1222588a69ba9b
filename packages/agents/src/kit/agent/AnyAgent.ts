import { Agent, type Variables } from "@souffleur/domain"
import { type AgentPackage, joinedAgents } from "@souffleur/process"
import { Context, Effect, Layer, Option, Path, Schema } from "effect"

const JsonArray = Schema.fromJsonString(Schema.Array(Schema.String))
/** Returns the words of an agent command; the text itself where it is no JSON array. */
const wordsOf = (text: string): ReadonlyArray<string> =>
  Option.getOrElse(Schema.decodeUnknownOption(JsonArray)(text), () => [text.trim()])

/** Returns the own folder of an agent, absolute: by its variables, else in the user's home. */
export const agentFolder = Effect.fn("agentFolder")(function* (
  { folder }: Pick<AgentPackage, "folder">,
  variables: Variables
) {
  const path = yield* Path.Path
  const named = folder.variables.map((name) => variables[name]).find((value) => value !== undefined && value !== "")
  return path.resolve(named ?? path.join(variables["HOME"] ?? "/", folder.inHome))
})

/**
 * Makes one agent package of several. A command goes to the agent that owns its words, and a session to the agent that
 * has its file. The first counts everywhere else: its settings, its hooks, its words for a person.
 */
export const anyAgent = (first: AgentPackage, ...others: ReadonlyArray<AgentPackage>): AgentPackage => {
  const all = [first, ...others]
  const ownerOf = (words: ReadonlyArray<string>): AgentPackage => others.find((one) => one.owns(words)) ?? first
  return {
    ...first,
    all,
    marks: new Set(all.flatMap(({ marks }) => [...marks])),
    identity: (variables) =>
      all.map((one) => one.identity(variables)).find(({ mark }) => mark !== undefined) ?? first.identity(variables),
    kindOf: (program, args = []) => ownerOf([program, ...args]),
    owns: (words) => all.some((one) => one.owns(words)),
    parseCommand: (text) => ownerOf(wordsOf(text)).parseCommand(text),
    takeApart: (words, configured) => {
      const owner = ownerOf(words)
      const own = ownerOf([configured.program, ...configured.args]) === owner
      return owner.takeApart(words, own ? configured : { program: owner.program, args: [] })
    },
    ofLaunch: (command, sessionId) => ownerOf([command.program, ...command.args]).ofLaunch(command, sessionId),
    layer: (options) =>
      Layer.effect(
        Agent,
        Effect.gen(function* () {
          const { args, program } = options.agentCommand
          const owner = ownerOf([program, ...args])
          const agentOf = Effect.fnUntraced(function* (one: AgentPackage) {
            const agentDir = one === first ? options.agentDir : yield* agentFolder(one, options.environment)
            const agentCommand = one === owner ? options.agentCommand : { program: one.program, args: [] }
            const built = yield* Layer.build(one.layer({ ...options, agentDir, agentCommand }))
            return { program: one.program, agent: Context.get(built, Agent) }
          })
          const rest = all.filter((one) => one !== owner)
          return joinedAgents(yield* agentOf(owner), yield* Effect.forEach(rest, agentOf))
        })
      )
  }
}
