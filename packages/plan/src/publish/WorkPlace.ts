import { Words } from "@souffleur/domain"
import type { Run } from "../run/Run.ts"

const broughtTo = ({ delivered, finishing }: Run): string => {
  if (delivered === null) return finishing === "done" ? "" : ", left there"
  if (delivered._tag === "Merged") return `, merged into ${delivered.into}`
  return delivered.url === null
    ? `, pushed to ${delivered.remote}; a pull request can say ${delivered.text}`
    : `, pull request ${delivered.url}`
}

/** Says which work trees of tasks stay, why, and where, a line each. */
export const treesThatStay = ({ trees }: Run): ReadonlyArray<string> =>
  trees.flatMap(({ branch, folder, kept, taskId }) =>
    kept === null ? [] : [`${taskId}: ${folder}, on branch ${branch}: ${kept}`]
  )

/** Says where the work of a run lies, once every task is complete; `undefined`: it has none, or is not so far. */
export const workPlace = (run: Run): string | undefined => {
  const { branch, phase, summary, tasks } = run
  if (summary === null || phase !== "finished" || tasks.every(({ begun }) => !begun)) return undefined
  const where = branch === undefined || branch === null ? "in HEAD" : `on branch ${branch}`
  return `${Words.many(summary.commits, "commit")} ${where}${broughtTo(run)}`
}
