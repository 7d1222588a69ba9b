import type {
  AgentCommandRefused,
  AgentNotFound,
  AlreadyWatched,
  BadSetting,
  BadTarget,
  ClaimFailed,
  CommandRefused,
  CommsUnavailable,
  LaunchFailed,
  SessionNotFound
} from "@souffleur/domain"
import type { LogError, Refused } from "@souffleur/eventlog"
import type { ProcessesUnavailable } from "@souffleur/node"
import type { PlatformError } from "effect"
import type { GitUnusable, PlanInvalid, StateForeign } from "@souffleur/plan"
import type { GuidanceUnfit } from "./conducting/AnswerRun.ts"
import type { StateMisplaced } from "./conducting/NamedPlan.ts"
import type { PlanNotFound } from "./conducting/FindPlan.ts"
import type { ProgramsUntrusted } from "./conducting/PlanPrograms.ts"
import type { NotReady } from "./preflight/Preflight.ts"
import type { RoleUnfit } from "./conducting/RoleAgent.ts"
import type { NoOutput } from "./jobs/JobOutput.ts"
import type { ProjectMissing } from "./jobs/ProjectMissing.ts"
import type { AgentUnfit } from "./watching/HandOver.ts"
import type { WatchNotFound } from "./watching/FindWatch.ts"
import type { FileRefused, AgentSettingsUnusable } from "@souffleur/process"
import type { NoHooks } from "./setup/HooksHere.ts"
import type { NotQuarantined } from "./setup/Quarantine.ts"
import type { WatchBroken } from "./keeping/KeptWatch.ts"
import type { NotRestored } from "./keeping/Restored.ts"
import type { OpenedOtherwise } from "./watching/KnownWatch.ts"
import type { NoGuardian, NotDetached } from "./world/Installation.ts"
import type { ConfigUntrusted } from "./world/TrustStore.ts"
import type { PartsError } from "./world/World.ts"

/** No watch has that name, or the log cannot be read. */
export type ReadFailed = LogError | WatchNotFound

/** No run has that name, or the log cannot be read. */
export type PlanReadFailed = LogError | PlanNotFound

/**
 * A watch cannot be owned, because another souffleur has it, its config file is not trusted, or a part cannot be made.
 * `NoGuardian`: the guardian that was asked for could not read the log.
 */
type KeepError = AlreadyWatched | ConfigUntrusted | NoGuardian | PartsError | ReadFailed | Refused

/**
 * A watch cannot be resumed. `AgentNotFound`: nothing could be launched after a death. `BadTarget`: the named process
 * is another watch's Conductor.
 */
export type ResumeError = AgentNotFound | BadTarget | KeepError | NotRestored

/** Neither a watch nor a command can begin. */
type OpenError =
  | AgentCommandRefused
  | AgentNotFound
  | BadTarget
  | ClaimFailed
  | KeepError
  | ProjectMissing
  | SessionNotFound

/**
 * A watch cannot begin. `BadTarget`: no watch may have that process, or another one has. `ClaimFailed`: the folder of
 * the claims cannot be used. `AgentNotFound`: nothing could be launched after a death. `CommsUnavailable`: the comms
 * database cannot be used. `OpenedOtherwise`: the session has a watch already, which takes neither another comms nor
 * `force`. `ProjectMissing`: the folder is not there.
 */
export type WatchError = CommsUnavailable | OpenedOtherwise | OpenError

/**
 * A command cannot be started. `CommandRefused`: it asks for what it may not have, its session is in use, or an
 * agent that nobody watches lives in the folder.
 * `LaunchFailed`: its launch file cannot be written. `OpenedOtherwise`: the folder's unfinished watch has another
 * command or id, or the id is another job's. `ProjectMissing`: the folder is not there.
 */
export type RunError = CommandRefused | LaunchFailed | OpenedOtherwise | OpenError

/** A watch cannot be detached. `NotDetached`: the other process could not be started, or did not come to own it. */
export type DetachError = NotDetached | ResumeError | RunError | WatchError

/**
 * A plan cannot be conducted. `PlanInvalid`: it cannot be read. `StateMisplaced`, `StateForeign`: its state file does
 * not fit. `GitUnusable`: the project is in no usable work tree. `AlreadyWatched`: another souffleur conducts there.
 * `ProgramsUntrusted`: a person must trust its programs first. `AgentCommandRefused`, `RoleUnfit`: a run cannot drive
 * that agent. `NotReady`: a new run would surely fail. `ProjectMissing`: the project is not there.
 */
export type ConductError =
  | AgentCommandRefused
  | AgentNotFound
  | AlreadyWatched
  | ClaimFailed
  | ConfigUntrusted
  | GitUnusable
  | LogError
  | NotReady
  | PartsError
  | PlanInvalid
  | ProgramsUntrusted
  | ProjectMissing
  | Refused
  | RoleUnfit
  | StateForeign
  | StateMisplaced

/** A plan cannot be previewed, for a reason for which `conduct` would refuse it too. */
export type PlanPreviewError = Exclude<
  ConductError,
  AgentNotFound | AlreadyWatched | ClaimFailed | GitUnusable | NotReady | ProgramsUntrusted | Refused | StateForeign
>

/** The programs of a plan cannot be trusted: the plan, or the settings of its project, cannot be read. */
export type TrustPlanError =
  | LogError
  | PartsError
  | PlanInvalid
  | PlatformError.PlatformError
  | ProgramsUntrusted
  | ProjectMissing
  | StateMisplaced

/** A run that is under way has to stop. `Refused`: another souffleur conducts it, or has claimed its work tree. */
export type PlanBroken = LogError | Refused

/**
 * An answer does not count. `Refused`: none is awaited. `GuidanceUnfit`: it is empty or too long. `PlanInvalid`: the
 * plan that is to be taken cannot be conducted.
 */
export type AnswerError = GuidanceUnfit | PartsError | PlanInvalid | PlanReadFailed | ProgramsUntrusted | Refused

/** A run cannot be stopped. `Refused`: it is over. The others keep its agent from being ended. */
export type StopPlanError = ConductError | PlanReadFailed

/** A watch is refused a word of an operator: a rule forbids it, or its log or its parts fail. */
type WordError = PartsError | ReadFailed | Refused

/** A recovery cannot be tried again. `AgentUnfit`: the named agent cannot take the conversation over. */
export type RetryError = AgentUnfit | WordError

/**
 * Settings cannot be read. `BadSetting`: a variable or a value of the program cannot be used. `ConfigUntrusted`: the
 * record of trust is damaged.
 */
export type SettingsError = BadSetting | ConfigUntrusted | PlatformError.PlatformError | ProcessesUnavailable

/** A log cannot be moved aside. `NotQuarantined`: a process has it open, or may own a watch in it. */
export type QuarantineError = BadSetting | LaunchFailed | LogError | NotQuarantined | PartsError

/** No notice can be tried: the settings cannot be read, the config file is not trusted, or the project is not there. */
export type NoticesError = ConfigUntrusted | PartsError | ProjectMissing

/**
 * Hooks cannot be read or written. `NoHooks`: there can be none. `AgentSettingsUnusable`: the file has another form.
 * `FileRefused`: it is not this user's.
 */
export type HooksError = BadSetting | FileRefused | AgentSettingsUnusable | NoHooks | PlatformError.PlatformError

/** A config file cannot be trusted: it cannot be read, or the trust cannot be kept. */
export type TrustError = LogError | PartsError | Refused

/** A watch cannot be ended. `LaunchFailed`: its newest launch cannot be settled, and may still begin. */
export type SettleError = LaunchFailed | WordError

/** An agent cannot be stopped. `ResumeError`: nobody keeps its watch, and this process cannot either. */
export type StopError = ResumeError | SettleError | WatchBroken

/** A process cannot be the Conductor. `BadTarget`: it does not run, or it holds another session. */
export type AdoptError = AlreadyWatched | BadTarget | ClaimFailed | SessionNotFound | SettleError

/** What a watch printed cannot be told. `NoOutput`: nothing is kept of what its agent prints. */
export type OutputError = NoOutput | ResultError

/** The work of a watch cannot be compared. `GitUnusable`: git cannot tell. */
export type ChangesError = GitUnusable | ReadFailed

/** What came of a job cannot be told: its log or its parts fail. */
export type ResultError = PartsError | ReadFailed

/** What an agent of a plan said cannot be told: its log or its parts fail. */
export type PlanWorkError = PartsError | PlanReadFailed
