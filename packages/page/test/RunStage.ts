import type { RunEvent } from "@souffleur/plan"
import { examples } from "../../plan/test/fixtures/events/RunExamples.ts"
import { began } from "./PageStage.ts"

/** Tells events a minute apart. */
const each = (events: ReadonlyArray<RunEvent>): ReadonlyArray<RunEvent> =>
  events.map((event, minute) => ({ ...event, at: began + minute * 60_000 }))

/** A run whose only task is rejected once, and then waits for a person. `message`: why it does. */
export const stuckRun = (project: string, message = "<b>which model?</b>"): ReadonlyArray<RunEvent> =>
  each([
    { ...examples.RunOpened, project },
    examples.TaskStarted,
    examples.AgentAsked,
    { ...examples.ImplementationCompleted, commits: ["3f2a9c1d"] },
    { ...examples.AgentAsked, token: "a2", role: "reviewer" },
    { ...examples.ReviewRejected, token: "a2" },
    { ...examples.TaskEscalated, message }
  ])

/** A run whose first agent is at work. */
export const busyRun = (project: string): ReadonlyArray<RunEvent> =>
  each([
    { ...examples.RunOpened, project },
    examples.TaskStarted,
    examples.AgentAsked,
    examples.AgentLaunched,
    examples.AgentSessionFound
  ])

/** A run whose finishing step failed, and waits for a person. */
export const unfinishedRun = (project: string): ReadonlyArray<RunEvent> =>
  each([
    { ...examples.RunOpened, project },
    examples.TaskStarted,
    examples.AgentAsked,
    examples.ImplementationCompleted,
    { ...examples.AgentAsked, token: "a2", role: "reviewer" },
    { ...examples.ReviewApproved, token: "a2" },
    examples.TaskCompleted,
    examples.RunVerified,
    { ...examples.AgentAsked, token: "a3", role: "finisher", taskId: null },
    { ...examples.RunFinished, finishing: "failed", message: "the merge did not work" }
  ])
