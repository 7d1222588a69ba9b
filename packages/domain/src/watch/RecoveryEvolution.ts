import { type Change, type Changes, generationOf } from "./Generation.ts"
import type { RecoveryCycle, StepState } from "./RecoveryCycle.ts"
import type { Watch } from "./Watch.ts"

type Steps = RecoveryCycle["steps"]
type Begun = Pick<StepState, "kind" | "prepared">

const withStep = (watch: Watch, step: string, stateOf: (begun: Begun) => StepState): Change => {
  const { recovery } = watch
  if (recovery === undefined) return {}
  const { kind, prepared } = recovery.steps[step] ?? { kind: "act" as const, prepared: false }
  return { recovery: { ...recovery, steps: { ...recovery.steps, [step]: stateOf({ kind, prepared }) } } }
}

/** Returns the steps after a launch file was written: the open step has written it. */
const prepared = (steps: Steps): Steps =>
  Object.fromEntries(
    Object.entries(steps).map(([name, state]) => [
      name,
      state._tag === "Started" ? { ...state, prepared: true } : state
    ])
  )

const givenBy = (launch: RecoveryCycle["launch"]): Watch["given"] =>
  launch && { effective: launch.effective, heldTo: launch.heldTo }

/** Begins a cycle, in place of the watcher. */
const begun = ({
  at,
  cycle,
  purpose,
  trigger
}: Pick<RecoveryCycle, "cycle" | "purpose" | "trigger"> & { readonly at: number }): Change => ({
  cycles: cycle,
  watcher: undefined,
  idle: undefined,
  standby: undefined,
  deferred: undefined,
  wait: undefined,
  recovery: {
    cycle,
    purpose,
    trigger,
    since: at,
    resumed: false,
    escalated: [],
    steps: {},
    refused: [],
    launch: undefined
  }
})

/** Returns whether a person resumed the session by hand after its recovery began: that turn was not seen to its end. */
const wasResumedMeanwhile = ({ recovery }: Watch, { provider }: { readonly provider: string }): boolean =>
  provider === "resume" && recovery !== undefined && (recovery.launch?.turnBefore ?? 0) > recovery.since

/** Tells how the events of a cycle change the watch: its begin, its steps, and its launch. */
export const evolveRecovery: Pick<
  Changes,
  | "CheckStarted"
  | "ConductorRelaunched"
  | "EndingOver"
  | "EndingStarted"
  | "LaunchPrepared"
  | "RecoveryEscalated"
  | "RecoveryFailedClosed"
  | "RecoveryStarted"
  | "RecoveryWithheld"
  | "StepFailed"
  | "StepStarted"
  | "StepSucceeded"
  | "WindowRefused"
  | "WorkChecked"
> = {
  RecoveryStarted: begun,
  CheckStarted: ({ at, cycle }) => begun({ at, cycle, purpose: "check", trigger: "unconfirmed" }),
  RecoveryWithheld: ({ at, cycle, message, stage, trigger }) => ({
    cycles: cycle,
    recovery: undefined,
    standby: { cycle, trigger, stage, message, since: at, held: stage === "hold", ended: true }
  }),
  EndingStarted: ({ at, cycle }) => begun({ at, cycle, purpose: "end", trigger: "turn-ended" }),
  EndingOver: ({ at, ended }) => ({ recovery: undefined, lingered: { at, ended } }),
  WorkChecked: ({ at, code, said }) => ({
    recovery: undefined,
    unconfirmed: code === 0 ? undefined : { at, code, said }
  }),
  RecoveryEscalated: ({ from }, { recovery }) =>
    recovery === undefined ? {} : { recovery: { ...recovery, escalated: [...recovery.escalated, from] } },
  StepStarted: ({ attempt, kind, step, token }, watch) =>
    withStep(watch, step, ({ prepared }) => ({ _tag: "Started", kind, prepared, attempt, token })),
  StepSucceeded: ({ outcome, step }, watch) =>
    withStep(watch, step, (begun) => ({ _tag: "Succeeded", ...begun, outcome })),
  StepFailed: ({ failure, step }, watch) => withStep(watch, step, (begun) => ({ _tag: "Failed", ...begun, failure })),
  LaunchPrepared: (launch, watch) =>
    launch.cycle === 0
      ? { firstLaunch: launch, given: givenBy(launch) }
      : watch.recovery === undefined
        ? {}
        : { recovery: { ...watch.recovery, launch, steps: prepared(watch.recovery.steps) } },
  WindowRefused: ({ terminal }, { recovery }) =>
    recovery === undefined ? {} : { recovery: { ...recovery, refused: [...recovery.refused, terminal] } },
  ConductorRelaunched: (event, watch) => ({
    ...generationOf(watch, event),
    preparedAt: watch.recovery?.launch?.at ?? 0,
    turnBefore: watch.recovery?.launch?.turnBefore ?? null,
    given: givenBy(watch.recovery?.launch),
    provider: event.provider,
    launchedFor: watch.recovery?.trigger,
    launchId: event.launchId,
    launched: event.conductor ?? undefined,
    // More was done since that end, by a process that souffleur did not follow.
    saidDone:
      watch.saidDone &&
      !wasResumedMeanwhile(watch, event) &&
      (watch.lastTasks === undefined || watch.lastTasks.taskCount === event.taskCount),
    // No person named the process that souffleur launched.
    forced: false,
    lastExport: event.exportPath ?? watch.lastExport
  }),
  RecoveryFailedClosed: ({ at, cycle, message, stage }, watch) => ({
    recovery: undefined,
    undecided: watch.recovery?.launch?.launchId ?? watch.undecided,
    standby: { cycle, trigger: watch.recovery?.trigger ?? "pid", stage, message, since: at, held: false, ended: true }
  })
}
