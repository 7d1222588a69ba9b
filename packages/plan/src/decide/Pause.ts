import type { Run } from "../run/Run.ts"

/** Lists questions in one line. */
export const numbered = (questions: ReadonlyArray<string>): string =>
  questions.map((question, at) => `${at + 1}. ${question}`).join(" ")

/** Says in which work tree of a task something is wrong; nothing for the project's own. */
export const treeInWords = (folder: string) => (folder === "" ? "" : ` (in ${folder})`)

/** Returns the reason of a pause and its remedy, as one sentence. */
export const pauseInWords = ({ reason, files, message }: NonNullable<Run["paused"]>): string => {
  switch (reason) {
    case "conflict":
      return `git has conflicts in ${files.join(", ")}${treeInWords(message)}: resolve them`
    case "dirty":
      return `not committed: ${files.join(", ")}${treeInWords(message)}: commit it, or put it away`
    case "not gone":
      return `an agent cannot be ended: ${message}: end that`
    case "history":
      return `git is not where the run goes on: ${message}: put that right, or go on from there with souffleur conduct answer TASK --retry`
    case "plan":
      return `the plan has changed (${message}): put it back, or take it as it is with souffleur conduct answer --plan`
    case "ceiling":
      return `a ceiling of use is reached: ${message}: "souffleur conduct answer --allow" allows as much again`
    case "deadline":
      return `its deadline is over, and no further task begins: conduct the plan again without it, or with a later one`
    case "failed":
      return `it cannot go on: ${message}: put that right`
    case "branch":
      return `its branch cannot be made: ${message}`
    case "questions":
      return `a reviewer asks about the plan: edit it, or leave it, and say souffleur conduct answer --plan: ${message}`
    case "red":
      return `the commit that the first agent would begin from is refused: ${message}: mend it, or say souffleur conduct answer --allow-red`
    case "revert":
      return `commits cannot be taken back: ${message}: take them back yourself, then leave the rest by souffleur conduct answer TASK --skip`
    case "work lost":
      return `work that was approved is not there any more: ${message}: put git right, or say --retry or --skip of each`
  }
}
