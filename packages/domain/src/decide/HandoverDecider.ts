import { type Decision, no, ok } from "@souffleur/eventlog"
import { nextWatcher } from "./ExitDecider.ts"
import type { Watch } from "../watch/Watch.ts"
import type { Handover } from "../watch/WatchIntent.ts"
import * as Event from "../event/WatchEvent.ts"

type Standby = NonNullable<Watch["standby"]>

/**
 * Takes a failed hand-over back. An agent that lives, and that nothing but the hand-over was to stop, is left as it is.
 * Any other is recovered, as by a plain `retry`.
 */
const takenBack = (
  watch: Watch,
  { ended, trigger }: Standby,
  { lives, at }: { readonly lives: boolean; readonly at: number }
) =>
  (trigger === "handover" ? lives : !ended)
    ? nextWatcher(watch, at)
    : Event.RecoveryStarted.make({ at, cycle: watch.cycles + 1, purpose: "relaunch", trigger })

/**
 * Decides a person's hand-over of the conversation to another agent (spec: behaviour#hand-over). It begins a recovery
 * at once, whatever was waited for, and counts for no retry. The agent that has the conversation already is chosen
 * only where a hand-over failed: that takes it back.
 */
export const decideHandover = (
  watch: Watch,
  { agent, from, lives }: Handover,
  at: number
): Decision<Event.WatchEvent> => {
  const { ceiling, cycles, held, kind, phase, recovery, standby, wait, watcher } = watch
  if (kind === "command") return no("never", "a plain command has no conversation that could be handed over")
  if (held !== undefined)
    return no("not now", 'an operator holds the watch, and nothing is launched until they say "go"')
  if (recovery !== undefined) return no("not now", "a recovery runs at this moment: say it again once it is over")
  if (phase !== "Watching") return no("not now", "the watch has not begun yet")
  const chosen = Event.AgentChosen.make({ at, from, agent })
  const retried = standby === undefined ? [] : [Event.RecoveryRetried.make({ at, cycle: standby.cycle })]
  if (from === agent)
    return standby === undefined
      ? no("not now", `${agent} has this conversation already`)
      : ok(chosen, ...retried, takenBack(watch, standby, { lives, at }))
  return ok(
    chosen,
    ...retried,
    ...(standby === undefined && ceiling !== undefined ? [Event.AllowanceRenewed.make({ at })] : []),
    ...(wait === undefined ? [] : [Event.WaitEnded.make({ at, watcher: watcher?.watcher ?? 0, how: "go" })]),
    // An end before it stays the cause, also where the hand-over is taken back.
    Event.RecoveryStarted.make({ at, cycle: cycles + 1, purpose: "relaunch", trigger: standby?.trigger ?? "handover" })
  )
}

/** The stage of a hand-over whose agent could not be launched. Nothing was stopped for it. */
export const unfitStage = "hand-over"

/**
 * Returns the failed hand-over of a watch in standby, with the commands of both ways on; `undefined`: there is none.
 * `watch`: the watch that the commands name.
 */
export const failedHandover = (
  { agent, handedFrom, standby }: Pick<Watch, "agent" | "handedFrom" | "standby">,
  watch?: string
) => {
  if (standby === undefined || handedFrom === undefined) return undefined
  const retry = `souffleur retry ${watch === undefined ? "" : `${watch} `}--agent`
  return {
    /** True if it could not begin, and stopped nothing. */
    unfit: standby.stage === unfitStage,
    back: `${retry} ${handedFrom}`,
    again: `${retry} ${agent}`
  }
}
