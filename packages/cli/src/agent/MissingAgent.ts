import { type AgentNotFound, Settings } from "@souffleur/domain"
import { type AgentHere, agentsHere, agentStanding, installsAgent } from "@souffleur/embed/internal"
import { Effect } from "effect"
import { BadUsage } from "../Failure.ts"

const inWords = (known: ReadonlyArray<AgentHere>): string => {
  const here = known.filter(({ isInstalled }) => isInstalled)
  return here.length === 0
    ? 'no agent is installed here: "souffleur doctor" says how, and "souffleur demo" needs none'
    : `here are ${here.map((one) => `${one.kind.title} (${agentStanding(one)})`).join(", ")}`
}

/** Says which agents are here, or what needs none. */
export const agentsInWords = Effect.map(Effect.flatMap(Settings, agentsHere), inWords)

/** Adds to a refusal how the agent is installed. A refusal of any other program stays as it is. */
export const withInstallation = Effect.fnUntraced(function* (refused: AgentNotFound) {
  const known = yield* agentsHere(yield* Settings)
  const wanted = known.find(({ isInstalled, kind }) => !isInstalled && kind.program === refused.program)
  return yield* wanted === undefined
    ? refused
    : new BadUsage({ message: `${refused.message}: "${installsAgent(wanted.kind)}" installs it; ${inWords(known)}` })
})
