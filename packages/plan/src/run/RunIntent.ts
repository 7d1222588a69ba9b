import type { Owner, Permission, PhoneIntent, Pin, PinIntent, ProcessIdentity } from "@souffleur/domain"
import type { AgentReport } from "../decide/Ladder.ts"
import type { TaskTree } from "../tree/TaskTree.ts"
import type { PlanTerms } from "../tasks/PlanTerms.ts"
import type * as Event from "./RunEvent.ts"

/** The wishes of a conductor or an operator for a run. */
export type RunIntent =
  | {
      readonly _tag: "Open"
      readonly workflowId: string
      readonly project: string
      /** The root of its git work tree; absent: the project itself. */
      readonly workTree?: string
      readonly plan: string
      readonly digest: string
      readonly tasks: ReadonlyArray<Event.TaskOutline>
      /** Ids of tasks that the plan has as done. */
      readonly done?: ReadonlyArray<string>
      /** The pin in force from now on; absent: the least. */
      readonly pin?: Pin
      /** SHA-256 of the plan's finishing step; `null` or absent: it has none. */
      readonly finishingDigest?: string | null
      /** The branch that its work gets, or `auto`; `null` or absent: the one that is checked out. */
      readonly branch?: string | null
      /** The agents that the plan chooses; absent: none. */
      readonly agents?: Event.PlanAgents
      /** True if the plan is questioned before its first task. */
      readonly questions?: boolean
      readonly worktrees?: true
      readonly keepsGoing?: true
      readonly parallel?: number
      /** The progress in a state file from before the run. */
      readonly progress:
        | (Pick<typeof Event.ProgressImported.Type, "from" | "tasks" | "finishing"> & {
            /** Ids of tasks that the file calls complete, and git does not. */
            readonly unproven: ReadonlyArray<string>
          })
        | null
      /** The fault of the state file; `null`: none. */
      readonly found: "missing" | "corrupt" | null
    }
  /** `over`: the fence whose owner was seen dead or absent. It must still be in force. */
  | { readonly _tag: "Take"; readonly owner: Owner; readonly over: number; readonly chosen?: Event.Chosen }
  | { readonly _tag: "Leave" }
  /** A person says that the owner `from` is gone, and the run goes on at `host`. */
  | { readonly _tag: "Move"; readonly from: Owner; readonly host: string }
  /** What the gate of a task says of its work at a commit. */
  | {
      readonly _tag: "ReportGate"
      readonly taskId: string
      readonly head: string
      readonly refused: Event.RefusedWork | null
      /** The programs of that gate, as lines. */
      readonly programs: ReadonlyArray<string>
    }
  /** What the programs of a gate left running is about to be ended. */
  | { readonly _tag: "EndGateLeft"; readonly pids: ReadonlyArray<number> }
  /** What the gates say of the commit that the first agent begins from. */
  | { readonly _tag: "ReportBaseline"; readonly head: string | null; readonly refused: Event.RefusedWork | null }
  /** A person lets the first agent begin from a commit that a gate refuses. */
  | { readonly _tag: "AllowRed" }
  /** A person takes the plan as its file is now. */
  | ({ readonly _tag: "RevisePlan"; readonly digest: string } & PlanTerms)
  /** `kept`: the name under which the old content was kept. */
  | { readonly _tag: "RebuildStateFile"; readonly found: "missing" | "corrupt" | "backup"; readonly kept?: string }
  | ({ readonly _tag: "ChooseBranch" } & Pick<typeof Event.OwnBranch.Type, "branch" | "from">)
  | ({ readonly _tag: "ReportBranch" } & Omit<typeof Event.OwnBranch.Type, "begun">)
  /** A task is about to get this work tree. */
  | ({ readonly _tag: "ChooseTree" } & TaskTree)
  /** What makes the work tree of a task ready refuses to, at the commit that it begins from. */
  | { readonly _tag: "RefuseSetup"; readonly head: string; readonly refused: Event.RefusedWork }
  /** Approved work is about to land. */
  | ({ readonly _tag: "PlanLanding" } & Omit<typeof Event.LandingPlanned.Type, "_tag" | "at">)
  /** It does not go together with the run's branch. */
  | ({ readonly _tag: "RefuseLanding" } & Omit<typeof Event.LandingRefused.Type, "_tag" | "at">)
  /** The run's branch has it. `made`: the merges by which it got there. */
  | { readonly _tag: "ReportLanding"; readonly taskId: string; readonly made: ReadonlyArray<string> }
  /** A work tree is removed; `kept`: why it stays. */
  | ({ readonly _tag: "ClearTree" } & Omit<typeof Event.TreeCleared.Type, "_tag" | "at">)
  | {
      readonly _tag: "StartTask"
      readonly taskId: string
      readonly base: string | null
      readonly branch?: string | null
      readonly untracked?: ReadonlyArray<string> | null
      /** For the final review: what there is to judge; absent: nothing. */
      readonly review?: Event.Reviewed
    }
  /** `held`: sessions that a live process holds. No other process may resume them (spec: behaviour#one-writer). */
  | {
      readonly _tag: "Ask"
      readonly role: Event.AgentRole
      /** Absent: the run has one such agent to ask for, or none. */
      readonly taskId?: string | undefined
      /** The id of a fresh session; empty: the agent chooses it. */
      readonly sessionId: string
      readonly head: string | null
      readonly held?: ReadonlyArray<string>
      /** The agent for that role, with its models and its effort. Absent: the configured one, with its own. */
      readonly choice?: Event.RoleChoice
      /** True if that is the fallback of the role, which goes on in no session but its own. */
      readonly standsIn?: true
    }
  | {
      readonly _tag: "Prepare"
      readonly token: string
      readonly launchId: string
      readonly digest: string
      readonly requested: string
      readonly effective: Permission
      /** The digest of its word; `null`: it has no verdict to give. */
      readonly word: string | null
    }
  | { readonly _tag: "Launched"; readonly token: string; readonly launchId: string; readonly process: ProcessIdentity }
  /** The agent has told the session that it chose. */
  | { readonly _tag: "ReportSession"; readonly token: string; readonly sessionId: string }
  | { readonly _tag: "NeverRan"; readonly token: string }
  /** `limit`: ms; `others`: pids of what it started. */
  | {
      readonly _tag: "EndAgent"
      readonly token: string
      readonly reason: Event.EndingReason
      readonly limit: number
      readonly others: ReadonlyArray<number>
    }
  /** `margin`: the time that is added to a stated end of a limit, ms. */
  | {
      readonly _tag: "Report"
      readonly token: string
      readonly report: AgentReport
      readonly margin?: number
      /** What the agent used in its assignment. */
      readonly used?: Event.Used
      /** True if a person is there, whom questions about the plan wait for. */
      readonly attended?: boolean
    }
  /** The quiet hours end then, epoch ms. */
  | { readonly _tag: "KeepQuiet"; readonly until: number }
  /** A person allows as much again. */
  | { readonly _tag: "AllowAgain" }
  /** The work as git has it now. */
  | {
      readonly _tag: "Recount"
      readonly taskId: string
      readonly head: string | null
      readonly commits: ReadonlyArray<string>
      readonly files: ReadonlyArray<string>
    }
  /** A person ends a hold, a stop and any wait, and its owner a wait that is over. `renewed`: by a new login. */
  | { readonly _tag: "EndWait"; readonly renewed?: boolean }
  | {
      readonly _tag: "Pause"
      readonly reason: "conflict" | "dirty" | "history" | "plan" | "work lost" | "ceiling" | "deadline" | "branch"
      readonly files: ReadonlyArray<string>
      readonly message?: string
    }
  /** The loop itself has to stop; `message` is a sentence. */
  | { readonly _tag: "PauseForFailure"; readonly message: string }
  /** The agent at work cannot be ended: `message` is a sentence. */
  | { readonly _tag: "PauseForAgent"; readonly token: string; readonly message: string }
  | { readonly _tag: "Resume" }
  | {
      readonly _tag: "Verify"
      readonly commits: number
      readonly files: number
      readonly missing: ReadonlyArray<string>
    }
  | {
      readonly _tag: "Finish"
      readonly finishing: "none" | "done" | "failed"
      readonly message: string
      /** Where souffleur itself brought the work. */
      readonly delivered?: Event.Delivered
    }
  | { readonly _tag: "AnswerFinishing"; readonly answer: "retry" | "skip" }
  | {
      readonly _tag: "Answer"
      readonly taskId: string
      readonly answer: "guidance" | "retry" | "skip"
      readonly text: string
      /** Its rejected commits are taken back. */
      readonly revert?: boolean
    }
  /** A person has nothing further begin. */
  | { readonly _tag: "Hold" }
  /** A person stops the run, after the agent at work or with it. */
  | { readonly _tag: "Stop"; readonly atOnce: boolean; readonly reason?: string | undefined }
  /** A person conducts a stopped run again. */
  | { readonly _tag: "EndStop" }
  /** A person has a complete task done again. */
  | { readonly _tag: "Redo"; readonly taskId: string; readonly text: string }
  /** The commits that take the work of a skipped task back are made, up to `to`. */
  | { readonly _tag: "PlanRevert"; readonly from: string; readonly to: string; readonly made: ReadonlyArray<string> }
  /** HEAD is the planned commit. */
  | { readonly _tag: "ReportRevert"; readonly head: string }
  /** They cannot be made on top of that commit. */
  | { readonly _tag: "RefuseRevert"; readonly head: string; readonly message: string }
  | ({ readonly _tag: "ReportNoticeLost" } & Omit<typeof Event.NoticeLost.Type, "_tag" | "at">)
  | PhoneIntent
  | PinIntent

/** An intent as the decider gets it: with the time, and the speaker with its fence. */
export type RunCommand = RunIntent & {
  /** Epoch milliseconds. */
  readonly now: number
  readonly by: { readonly _tag: "Owner"; readonly fence: number } | { readonly _tag: "Operator" }
}
