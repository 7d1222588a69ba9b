import type { Fold } from "@souffleur/eventlog"
import { initialRun, isRunOver, Run } from "./Run.ts"
import type { RunEvent } from "./RunEvent.ts"
import { evolveRun } from "./RunEvolution.ts"

/** The words that runs are found by. */
export const runKey = {
  project: (folder: string) => `project ${folder}`,
  plan: (folder: string, plan: string) => `plan ${folder}\0${plan}`
}

/**
 * How runs are folded. A test computes the fingerprint from the rules, and fails where it differs
 * (decision 0008).
 */
export const runFold: Fold<Run, RunEvent, never> = {
  name: { kind: "run", fingerprint: "ce9610b910c2ccc0" },
  initial: initialRun,
  evolve: evolveRun,
  schema: Run,
  keepEvery: 200,
  // A finished run whose conductor or agent is not known to be gone still holds its work tree.
  isEnded: (run) => isRunOver(run) && run.owner === null && run.assignments.length === 0,
  keysOf: ({ plan, project }) => [runKey.project(project), runKey.plan(project, plan)],
  brief: []
}
