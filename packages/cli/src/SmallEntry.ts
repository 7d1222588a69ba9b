import { guardianFlags } from "@souffleur/node"
import { Effect } from "effect"
import { Environment } from "./world/CommandEnvironment.ts"

/**
 * Returns the words that start one errand of this program. The published command has a small file of its own for each,
 * which starts sooner and in less memory. The source and the single executable have none, and run the whole command.
 */
export const errandWords = (errand: "database" | "guardian" | "hook" | "launch" | "notify") =>
  Effect.map(Environment, ({ published, self }) =>
    published === undefined
      ? self
      : ([self[0], ...(errand === "guardian" ? guardianFlags() : []), `${published}/${errand}.cjs`] as const)
  )
