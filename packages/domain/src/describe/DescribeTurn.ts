import type { TurnState } from "../evidence/Signs.ts"
import { unmendableInWords } from "../evidence/Unmendable.ts"
import { duration } from "./Words.ts"

const failures = {
  "usage-limit": "a usage limit",
  outage: "an outage of the service",
  "prompt-too-long": "a conversation that is too long",
  ...unmendableInWords
} as const

/** Says what an agent does, after its name: `runs the tool Bash, for 3 m 10 s`. `now` is epoch ms. */
export const turnInWords = (turn: TurnState, now: number): string => {
  const since = `for ${duration(Math.max(0, now - turn.at))}`
  switch (turn._tag) {
    case "Asked":
      return `waits for the model, ${since}`
    case "Tool":
      return `runs the tool ${turn.name}, ${since}`
    case "Question":
      return `waits for an answer to ${turn.name}, ${since}`
    case "Retrying":
      return `asks the service again, try ${turn.attempt} of ${turn.attempts}`
    case "Failed":
      if (turn.reason !== "other") return `stopped at ${failures[turn.reason]}, ${since}`
      return `stopped in the middle of its turn, ${since}${turn.words === undefined ? "" : `: ${turn.words}`}`
    case "Finished":
      return `has ended its turn, ${since}`
  }
}
