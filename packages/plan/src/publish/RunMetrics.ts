import { Effect, Metric } from "effect"
import { assignmentOf, type Run } from "../run/Run.ts"
import type { RunEvent } from "../run/RunEvent.ts"

const counter = (name: string, description: string) => Metric.counter(name, { description, incremental: true })

/** Runs that this process conducts now. */
export const liveRuns = Metric.gauge("souffleur_live_runs", { description: "Runs that this process conducts" })

/** Agents that a run has launched. `role` is `implementer`, `reviewer` or `finisher`. */
export const agents = counter("souffleur_run_agents", "Agents that runs have launched")

/** Results of assignments. `role` is the agent's, `outcome` is `done`, `rejected`, `blocked` or `failed`. */
export const assignments = counter("souffleur_run_assignments", "Results of assignments of runs")

/** Tasks that are settled. `outcome` is `complete`, `escalated` or `skipped`. */
export const tasks = counter("souffleur_run_tasks", "Tasks of runs that are settled")

/** Pauses of runs. `reason` is why the run paused, such as `conflict`. */
export const pauses = counter("souffleur_run_pauses", "Pauses of runs")

const one = (counter: typeof agents, attributes: Readonly<Record<string, string>>) =>
  Metric.update(Metric.withAttributes(counter, attributes), 1)

/** The events that end an assignment, with its role and outcome. */
const results: { readonly [T in RunEvent["_tag"]]?: { readonly role: string; readonly outcome: string } } = {
  ImplementationCompleted: { role: "implementer", outcome: "done" },
  ImplementationBlocked: { role: "implementer", outcome: "blocked" },
  ImplementationFailed: { role: "implementer", outcome: "failed" },
  ReviewApproved: { role: "reviewer", outcome: "done" },
  ReviewRejected: { role: "reviewer", outcome: "rejected" },
  ReviewFailed: { role: "reviewer", outcome: "failed" }
}

/** Counts one event of an owned run. `before` is the run that the event follows. */
export const count = (event: RunEvent, before: Run): Effect.Effect<void> => {
  const result = results[event._tag]
  if (result !== undefined) return one(assignments, result)
  switch (event._tag) {
    case "AgentLaunched":
      return one(agents, { role: assignmentOf(before, event.token)?.role ?? "unknown" })
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
