import { Count, event, Text, Time } from "@souffleur/eventlog"
import { Effect, Schema } from "effect"
import { baseline, print, Trigger } from "./EventFields.ts"
import { CeilingKind } from "../evidence/Cap.ts"
import { Unmendable } from "../evidence/Unmendable.ts"
import { Permission, SessionMode } from "../settings/Permission.ts"
import { Terminal } from "../port/Launcher.ts"
import { ProcessIdentity } from "../port/Process.ts"

/**
 * The purpose of a recovery. `export`: retries are exhausted, so it stops the Conductor and exports for a person.
 * `stop`: a person or a limit has it stop the Conductor, and launch nothing. `check`, `end`: see `CheckStarted` and
 * `EndingStarted`.
 */
export const Purpose = Schema.Literals(["relaunch", "export", "stop", "check", "end"])
export type Purpose = typeof Purpose.Type

/** A cycle began. Its providers are tried in their order (spec: behaviour#recovery). */
export const RecoveryStarted = event("RecoveryStarted", {
  cycle: Count,
  purpose: Purpose,
  trigger: Trigger
})
/**
 * A recovery was withheld: by `--observe`, by an operator's hold, because a ceiling of use is reached, because no
 * launch mends the end (spec: behaviour#what-no-launch-mends), or until a person says whether an end that nobody saw
 * was a good one.
 */
export const RecoveryWithheld = event("RecoveryWithheld", {
  cycle: Count,
  trigger: Trigger,
  stage: Schema.Literals([
    "observe",
    "hold",
    "ceiling",
    "exit-requested",
    "unknown-end",
    "unconfirmed",
    ...Unmendable.literals,
    "unknown-error"
  ]),
  message: Text
})

/**
 * The user's program is to say whether the work of an agent is done that ended as if it were
 * (spec: behaviour#done-by-a-program). Nothing is stopped or launched in this cycle.
 */
export const CheckStarted = event("CheckStarted", { cycle: Count })
/** That program has said it. */
export const WorkChecked = event("WorkChecked", {
  cycle: Count,
  /** How the program ended; 0: the work is done. `null`: by a signal. */
  code: Schema.NullOr(Schema.Int),
  /** The end of what it printed. */
  said: Text
})

/**
 * An agent in print mode has finished its turn and rests, and its process does not end: it is ended, and its end judged
 * as if it had come by itself (spec: behaviour#an-agent-that-does-not-exit). Nothing is launched in this cycle.
 */
export const EndingStarted = event("EndingStarted", {
  cycle: Count,
  /** Since when neither it nor what it started does anything. */
  since: Time
})
/** Its process is gone, unless an operator's hold came first. */
export const EndingOver = event("EndingOver", { cycle: Count, ended: Schema.Boolean })

/** A provider could not recover the Conductor in this cycle, and escalates (spec: behaviour#providers). */
export const RecoveryEscalated = event("RecoveryEscalated", {
  cycle: Count,
  from: Text,
  to: Text,
  /** The stage where that provider stopped, and the reason. */
  stage: Text,
  message: Text,
  /** The Conductor is stopped already: the next provider skips only its stop. */
  alreadyKilled: Schema.Boolean
})

/** The kind of a step. `launch` starts a successor, at most once in a cycle. `act` is any other step. */
export const StepKind = Schema.Literals(["act", "launch"])
export type StepKind = typeof StepKind.Type

/** The intent, before the act. `token` is its idempotency key, new for each attempt. */
export const StepStarted = event("StepStarted", {
  cycle: Count,
  step: Text,
  kind: StepKind,
  attempt: Count,
  token: Text
})
/** The outcome of a step, which is never taken again in its cycle. */
export const StepSucceeded = event("StepSucceeded", { cycle: Count, step: Text, outcome: Schema.Json })
/** Final in its cycle. */
export const StepFailed = event("StepFailed", { cycle: Count, step: Text, failure: Schema.Json })
/** A launch file was written, or the user's program is to launch. The launch comes after this event or never. */
export const LaunchPrepared = event("LaunchPrepared", {
  /** 0: the first launch of a run. */
  cycle: Count,
  launchId: Text,
  /** SHA-256, hex: of the launch file, or of the prompt for the user's program. */
  digest: Text,
  sessionId: Text,
  requested: Text,
  effective: Permission,
  /** The lower mode of its session, which it is held to; `null`: its session had no lower one. */
  heldTo: Schema.NullOr(SessionMode).pipe(Schema.withConstructorDefault(Effect.succeed(null))),
  /** When the newest turn of that session was recorded, epoch ms by the agent's clock; `null`: it had none. */
  turnBefore: Schema.NullOr(Time).pipe(Schema.withConstructorDefault(Effect.succeed(null))),
  /** The command gets a terminal of its own. */
  pty: Schema.Boolean.pipe(Schema.withConstructorDefault(Effect.succeed(false)))
})

/**
 * A terminal opened no window for a launch, which is cancelled for ever. The next launch of the same step has another
 * terminal (spec: behaviour#no-window).
 */
export const WindowRefused = event("WindowRefused", {
  /** 0: the first launch of a run. */
  cycle: Count,
  launchId: Text,
  terminal: Terminal,
  /** The terminal of the next launch. */
  instead: Terminal,
  message: Text
})

/** A launch that cannot run for now, and has not run, is tried again after a pause. */
export const LaunchDelayed = event("LaunchDelayed", {
  cycle: Count,
  /** What it lacked. */
  message: Text,
  until: Time
})

/** A successor runs. The cycle ends with its watcher, and its generation begins. */
export const ConductorRelaunched = event("ConductorRelaunched", {
  cycle: Count,
  generation: Count,
  provider: Text,
  launchId: Text,
  /** `null`: the user's program launched it, and its process is not known. */
  conductor: Schema.NullOr(ProcessIdentity),
  sessionId: Text,
  /** The id is not confirmed by comms yet. */
  awaiting: Schema.Boolean,
  print,
  /** The export that the successor started from; `null` where there is none. */
  exportPath: Schema.NullOr(Text),
  ...baseline
})
/** No launch follows in this cycle, and the watch is in standby (spec: behaviour#standby). */
export const RecoveryFailedClosed = event("RecoveryFailedClosed", { cycle: Count, stage: Text, message: Text })
/** Three ends without progress. `trigger`: the last of them. */
export const RetriesExhausted = event("RetriesExhausted", {
  cycle: Count,
  trigger: Trigger,
  exportPath: Schema.NullOr(Text)
})

/** A person has the Conductor stopped with its tree, and the watch ended (spec: behaviour#stop-by-a-person). */
export const StopAsked = event("StopAsked", {
  /** The person's own words; `null`: none. */
  reason: Schema.NullOr(Text)
})

/** The Conductor and its tree were ended by a person's word, or at a limit of the job, and so was the watch. */
export const WatchStopped = event("WatchStopped", {
  cycle: Count,
  /** The limit that was reached; `null`: a person's word. */
  limit: Schema.NullOr(CeilingKind).pipe(Schema.withConstructorDefault(Effect.succeed(null))),
  exportPath: Schema.NullOr(Text)
})
