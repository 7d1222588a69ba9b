import { Count, Measure, Text, Time } from "@souffleur/eventlog"
import { Schema } from "effect"
import { baseline, Trigger } from "../event/EventFields.ts"
import { JobNote, noNote } from "../event/JobNote.ts"
import * as Event from "../event/WatchEvent.ts"
import { Cap } from "../evidence/Cap.ts"
import { ToldLimit } from "../evidence/LimitAhead.ts"
import { Owner } from "../port/Claims.ts"
import { ProcessIdentity } from "../port/Process.ts"
import { JobLimits } from "../settings/JobLimits.ts"
import { Permission, SessionMode } from "../settings/Permission.ts"
import { leastPin, Pin } from "../settings/Pin.ts"
import { WatchEnd } from "./WatchEnd.ts"
import { RecoveryCycle } from "./RecoveryCycle.ts"
import { unknownSession } from "./Target.ts"

/** The phases of a watch (spec: behaviour#phases). */
export const Phase = Schema.Literals(["New", "Validating", "Settling", "Watching", "Exited"])
export type Phase = typeof Phase.Type

const Tasks = { taskCount: Count, taskFingerprint: Text }

/**
 * The state of one supervision of one Conductor across its generations. It is the fold of its events, never a truth
 * beside them (spec: behaviour#phases). Times are epoch ms.
 */
export const Watch = Schema.Struct({
  revision: Count,
  /** The last change of its stance, and of that or what its agent waits for. An earlier fleet word or press is late. */
  stanceSince: Count,
  pressSince: Count,
  phase: Phase,
  project: Text,
  /** `null`: solo. */
  comms: Schema.NullOr(Text),
  observe: Schema.Boolean,
  kind: Event.Kind,
  pin: Pin,
  /** `null`: the settings alone limit it. */
  limits: Schema.NullOr(JobLimits),
  note: JobNote,
  /** The part of the config file beyond the pin, as a person was told of it. */
  overreach: Schema.UndefinedOr(
    Schema.Struct({ said: Event.ConfigOverreached.fields.said, keys: Event.ConfigOverreached.fields.keys })
  ),
  /** A person named the Conductor against the evidence. */
  forced: Schema.Boolean,
  /** The pid as requested, or as corrected by a reply. */
  pid: Schema.Int,
  failures: Schema.Array(Schema.Struct({ check: Event.Check, message: Text, lastMessageId: Schema.Int, at: Time })),
  /** The message id of a reply that corrected the arguments. Only a later reply is another correction. */
  correctedBy: Schema.Int,
  /** The newest first launch of a run: the literal command in its file. `undefined`: the Conductor ran already. */
  firstLaunch: Schema.UndefinedOr(Event.LaunchPrepared),
  conductor: Schema.UndefinedOr(ProcessIdentity),
  /** The last process that souffleur launched. Where the Conductor is another, both must be gone before a launch. */
  launched: Schema.UndefinedOr(ProcessIdentity),
  /** The launch of a recovery that failed closed. It may have run, or may still: the next launch settles it first. */
  undecided: Schema.UndefinedOr(Text),
  sessionId: Text,
  /** Every session id of any generation. The watch is found by each of them. */
  sessions: Schema.Array(Text),
  awaiting: Schema.Boolean,
  mode: Event.Mode,
  generation: Count,
  /** The program of the agent that the watch began with, by its name. `undefined`: it is not known, or a command. */
  firstAgent: Schema.UndefinedOr(Text),
  /** Folders of the agent's sessions beside that of the settings, absolute. */
  agentFolders: Schema.Array(Text),
  /** The caps of a process of the user's own, and since when its use counts for them; `undefined`: as for a ceiling. */
  caps: Schema.Array(Cap),
  capsSince: Schema.UndefinedOr(Time),
  /** The program of the agent that a person chose for each launch. `undefined`: the watch's own command decides. */
  agent: Schema.UndefinedOr(Text),
  /** The program of the agent whose conversation the next launch hands over; `undefined`: it hands none over. */
  handedFrom: Schema.UndefinedOr(Text),
  launchedAt: Time,
  /** The intent of the launch of this generation; 0: souffleur launched none. */
  preparedAt: Time,
  /** The newest turn that its session had before that launch, as `LaunchPrepared` has it. */
  turnBefore: Schema.NullOr(Time),
  /** What the launch of this generation gave its Conductor; `undefined`: souffleur launched none. */
  given: Schema.UndefinedOr(Schema.Struct({ effective: Permission, heldTo: Schema.NullOr(SessionMode) })),
  provider: Schema.UndefinedOr(Text),
  /** The trigger of the recovery that launched this generation. */
  launchedFor: Schema.UndefinedOr(Trigger),
  launchId: Schema.UndefinedOr(Text),
  /** The Conductor ends by itself after its turn. */
  print: Schema.Boolean,
  baseline: Schema.Struct(baseline),
  /** The tasks at the end of this generation. The next one is measured against them if comms is out at its launch. */
  lastTasks: Schema.UndefinedOr(Schema.Struct(Tasks)),
  /** Milliseconds that the last generation ran without a sign of its own. `undefined`: it gave a sign, or runs. */
  muteFor: Schema.UndefinedOr(Measure),
  /** A session of the watch had a file, or took a hand-off. */
  began: Schema.Boolean,
  /** What the user's program said of the end of this generation, which is not done by it. */
  unconfirmed: Schema.UndefinedOr(Schema.Struct({ at: Time, code: Schema.NullOr(Schema.Int), said: Text })),
  /** The newest cycle that was to end this generation, whose process outlived its finished turn. */
  lingered: Schema.UndefinedOr(Schema.Struct({ at: Time, ended: Schema.Boolean })),
  /** Deaths in a row without progress. */
  retries: Count,
  /** The last generation that made progress had finished its turn: it said that the work is done. */
  saidDone: Schema.Boolean,
  watcher: Schema.UndefinedOr(Schema.Struct({ watcher: Count, since: Time })),
  watchersStarted: Count,
  monitor: Schema.UndefinedOr(Schema.Struct({ monitor: Count, watcher: Count, since: Time })),
  monitorsStarted: Count,
  /** When polling last broke off for longer than a poll (lost watcher, new owner); 0: never in this generation. */
  brokenOffAt: Time,
  recovery: Schema.UndefinedOr(RecoveryCycle),
  /** The last operator's retry said that no launch gets a window. */
  headless: Schema.Boolean,
  /** The heartbeat for which the Conductor was given up; `retried`: an operator has retried since. */
  silent: Schema.UndefinedOr(Schema.Struct({ heartbeat: Schema.NullOr(Text), retried: Schema.Boolean })),
  /** The agent's own request in this generation: the id of a file in the state folder, and its digest. */
  handoff: Schema.UndefinedOr(Schema.Struct({ request: Text, digest: Text })),
  cycles: Count,
  /** The Conductor is silent beyond its limit, and left alone until then. */
  deferred: Schema.UndefinedOr(Schema.Struct({ message: Text, until: Time })),
  /** The Conductor waits for a person. */
  person: Schema.UndefinedOr(Schema.Struct({ for: Text, since: Time })),
  /** The Conductor waits at its prompt, its turn over since then. */
  idle: Schema.UndefinedOr(Schema.Struct({ since: Time })),
  /** The end of the turn after which the Conductor was last told as idle; 0: never in this generation. */
  idledAt: Time,
  /** The kinds of refused words in this generation. Each kind is told once. */
  refused: Schema.Array(Event.WordRefused.fields.what),
  /** The silent tasks that were told, each with the heartbeat after which it fell silent. */
  silentTasks: Schema.Array(Schema.Struct({ task: Text, heartbeat: Text })),
  /** A process or session of the Conductor could not be claimed, and is not claimed yet. */
  unclaimed: Schema.Boolean,
  /** Nothing is launched before `until`. */
  wait: Schema.UndefinedOr(
    Schema.Struct({
      kind: Event.WaitKind,
      since: Time,
      until: Time,
      /** The end that the service states; later than `until`, it is one of weeks. `null`: none is stated. */
      resetsAt: Schema.NullOr(Time),
      trigger: Trigger,
      /** See `WaitStarted`: a turn of another time has begun since. */
      turnAt: Schema.NullOr(Time)
    })
  ),
  /** An operator holds the watch: nothing is stopped or launched. */
  held: Schema.UndefinedOr(Schema.Struct({ since: Time, byAgent: Schema.Boolean })),
  /** Waits in a row, since a hand-off was last taken. */
  waits: Count,
  /** The generations in a row that ended within a minute of their launch, whatever they did. */
  quickEnds: Count,
  /** The ceiling of use that is reached. */
  ceiling: Schema.UndefinedOr(
    Schema.Struct({
      ceiling: Event.CeilingReached.fields.ceiling,
      used: Measure,
      limit: Measure,
      flag: Schema.NullOr(Text)
    })
  ),
  /** The limits that were told as coming. */
  foreseen: Schema.Array(ToldLimit),
  /** When the count of use began: the start of the watch, or an operator's last renewal. */
  allowedSince: Time,
  /** When the successor of the running launch took its hand-off; `undefined`: not yet, or there was no launch. */
  taken: Schema.UndefinedOr(
    Schema.Struct({ at: Time, contextTokens: Schema.NullOr(Measure), contextWindow: Schema.NullOr(Measure) })
  ),
  standby: Schema.UndefinedOr(
    Schema.Struct({
      cycle: Count,
      trigger: Trigger,
      stage: Text,
      message: Text,
      since: Time,
      /** A hold withholds a recovery. A role may have given up since, which is the stage then. */
      held: Schema.Boolean,
      /** Tells whether an end of the Conductor needs this recovery. Without one, a role alone gave up. */
      ended: Schema.Boolean
    })
  ),
  lastExport: Schema.NullOr(Text),
  owner: Schema.UndefinedOr(Owner),
  /** The owner that left last; `undefined`: the watch has an owner, or none has left. A dead owner has not left. */
  left: Schema.UndefinedOr(Owner),
  /** Restorations by a guardian since the watch last made progress. */
  restored: Schema.UndefinedOr(Schema.Struct({ restorations: Count, at: Time })),
  /** The fence of the souffleur that was restored too often. No program starts another in its place. */
  gaveUp: Schema.UndefinedOr(Count),
  /** Deaths in a row of each of souffleur's own roles by a defect. */
  failing: Schema.Struct({
    watcher: Schema.optionalKey(Count),
    "self-monitor": Schema.optionalKey(Count),
    narrator: Schema.optionalKey(Count),
    publisher: Schema.optionalKey(Count),
    notifier: Schema.optionalKey(Count)
  } satisfies Record<Event.OwnRole, unknown>),
  /** The last process of its own making that souffleur was about to end. */
  ending: Schema.UndefinedOr(ProcessIdentity),
  fence: Count,
  /** The process that had the named pid at the time of naming; `null`: none had it. */
  named: Schema.NullOr(ProcessIdentity),
  openedAt: Time,
  lastEventAt: Time,
  end: Schema.UndefinedOr(WatchEnd)
})
export interface Watch extends Schema.Schema.Type<typeof Watch> {}

/** The watch before its first event. */
export const initial: Watch = {
  revision: 0,
  stanceSince: 0,
  pressSince: 0,
  phase: "New",
  project: "",
  comms: null,
  observe: false,
  kind: "agent",
  pin: leastPin,
  limits: null,
  note: noNote,
  overreach: undefined,
  forced: false,
  pid: 0,
  failures: [],
  correctedBy: 0,
  firstLaunch: undefined,
  conductor: undefined,
  launched: undefined,
  undecided: undefined,
  sessionId: unknownSession,
  sessions: [],
  awaiting: false,
  mode: "normal",
  generation: 0,
  firstAgent: undefined,
  agentFolders: [],
  caps: [],
  capsSince: undefined,
  agent: undefined,
  handedFrom: undefined,
  launchedAt: 0,
  preparedAt: 0,
  turnBefore: null,
  given: undefined,
  provider: undefined,
  launchedFor: undefined,
  launchId: undefined,
  print: false,
  baseline: { taskCount: 0, taskFingerprint: "", conductorState: null, lastMessageId: 0 },
  lastTasks: undefined,
  muteFor: undefined,
  began: false,
  retries: 0,
  saidDone: false,
  unconfirmed: undefined,
  lingered: undefined,
  watcher: undefined,
  watchersStarted: 0,
  monitor: undefined,
  monitorsStarted: 0,
  brokenOffAt: 0,
  recovery: undefined,
  headless: false,
  silent: undefined,
  handoff: undefined,
  cycles: 0,
  deferred: undefined,
  person: undefined,
  idle: undefined,
  idledAt: 0,
  refused: [],
  silentTasks: [],
  unclaimed: false,
  wait: undefined,
  held: undefined,
  waits: 0,
  quickEnds: 0,
  ceiling: undefined,
  foreseen: [],
  allowedSince: 0,
  taken: undefined,
  standby: undefined,
  lastExport: null,
  owner: undefined,
  left: undefined,
  restored: undefined,
  gaveUp: undefined,
  failing: {},
  ending: undefined,
  fence: 0,
  named: null,
  openedAt: 0,
  lastEventAt: 0,
  end: undefined
}

/** Returns the program of the agent that has the work, by its name. `undefined`: it is not known, or a command. */
export const agentAtWork = ({ agent, firstAgent }: Pick<Watch, "agent" | "firstAgent">): string | undefined =>
  agent ?? firstAgent
