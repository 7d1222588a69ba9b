import { StateWord, Words } from "@souffleur/domain"
import type { Job } from "./Job.ts"

/** The numbers of watches and runs, by their words. */
export type JobCounts = Readonly<Record<StateWord, number>>

/** Counts the jobs that live. `ended`: the number of all that have ended. */
export const countsOf = (living: ReadonlyArray<Job>, ended: number): JobCounts => {
  const numberOf = (word: StateWord) => living.filter(({ state }) => state === word).length
  return {
    "needs you": numberOf("needs you"),
    idle: numberOf("idle"),
    recovering: numberOf("recovering"),
    working: numberOf("working"),
    ended
  }
}

/** Says in a few words how much is here. */
export const summaryOf = (counts: JobCounts): string => {
  const said = StateWord.literals.flatMap((word) =>
    counts[word] === 0
      ? []
      : [`${Words.count(counts[word])} ${word === "needs you" && counts[word] > 1 ? "need you" : word}`]
  )
  return said.length === 0 ? "Nothing is watched yet" : said.join(" · ")
}
