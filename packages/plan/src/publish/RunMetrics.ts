import { Effect, Metric } from "effect"
import type { Run } from "../run/Run.ts"
import type { RunEvent } from "../run/RunEvent.ts"

const incremental = true

/** Runs that this process conducts now. */
export const liveRuns = Metric.gauge("souffleur_live_runs", { description: "Runs that this process conducts" })

/** Agents that a run has launched. `role` is `implementer`, `reviewer` or `finisher`. */
export const agents = Metric.counter("souffleur_run_agents", {
  description: "Agents that runs have launched",
  incremental
})

/** Results of assignments. `role` is the agent's, `outcome` is `done`, `rejected`, `blocked` or `failed`. */
export const assignments = Metric.counter("souffleur_run_assignments", {
  description: "Results of assignments of runs",
  incremental
})

/** Tasks that are settled. `outcome` is `complete`, `escalated` or `skipped`. */
export const tasks = Metric.counter("souffleur_run_tasks", {
  description: "Tasks of runs that are settled",
  incremental
})

/** Pauses of runs. `reason` is that of the pause, such as `conflict`. */
export const pauses = Metric.counter("souffleur_run_pauses", { description: "Pauses of runs", incremental })

const one = (counter: typeof agents, attributes: Readonly<Record<string, string>>) =>
  Metric.update(Metric.withAttributes(counter, attributes), 1)

const settled = (role: string, outcome: string) => one(assignments, { role, outcome })

/** Counts one event of an owned run. `before` is the run that the event follows. */
export const count = (event: RunEvent, before: Run): Effect.Effect<void> => {
  switch (event._tag) {
    case "AgentLaunched":
      return one(agents, { role: before.assignment?.role ?? "unknown" })
    case "ImplementationCompleted":
      return settled("implementer", "done")
    case "ImplementationBlocked":
      return settled("implementer", "blocked")
    case "ImplementationFailed":
      return settled("implementer", "failed")
    case "ReviewApproved":
      return settled("reviewer", "done")
    case "ReviewRejected":
      return settled("reviewer", "rejected")
    case "ReviewFailed":
      return settled("reviewer", "failed")
    case "TaskCompleted":
      return one(tasks, { outcome: "complete" })
    case "TaskEscalated":
      return one(tasks, { outcome: "escalated" })
    case "TaskAnswered":
      return event.answer === "skip" ? one(tasks, { outcome: "skipped" }) : Effect.void
    case "RunPaused":
      return one(pauses, { reason: event.reason })
    default:
      return Effect.void
  }
}

/** Counts a run as live until the scope closes. */
export const live = Effect.acquireRelease(Metric.modify(liveRuns, 1), () => Metric.modify(liveRuns, -1))
