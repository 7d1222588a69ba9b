import { type Decision, no, ok } from "@souffleur/eventlog"
import type { Watch } from "../watch/Watch.ts"
import type { Handover } from "../watch/WatchIntent.ts"
import * as Event from "../event/WatchEvent.ts"

/**
 * Decides a person's hand-over of the conversation to another agent (spec: behaviour#hand-over). It begins a recovery
 * at once, whatever was waited for, and counts for no retry. The agent that has the conversation already is chosen
 * only where a hand-over failed: that takes it back.
 */
export const decideHandover = (watch: Watch, { agent, from }: Handover, at: number): Decision<Event.WatchEvent> => {
  const { ceiling, cycles, held, kind, phase, recovery, standby, wait, watcher } = watch
  if (kind === "command") return no("never", "a plain command has no conversation that could be handed over")
  if (held !== undefined)
    return no("not now", 'an operator holds the watch, and nothing is launched: "souffleur go" ends that')
  if (recovery !== undefined) return no("not now", "a recovery runs at this moment: say it again once it is over")
  if (phase !== "Watching") return no("not now", "the watch has not begun yet")
  if (from === agent && standby === undefined) return no("not now", `${agent} has this conversation already`)
  return ok(
    Event.AgentChosen.make({ at, from, agent }),
    ...(standby === undefined ? [] : [Event.RecoveryRetried.make({ at, cycle: standby.cycle })]),
    ...(standby === undefined && ceiling !== undefined ? [Event.AllowanceRenewed.make({ at })] : []),
    ...(wait === undefined ? [] : [Event.WaitEnded.make({ at, watcher: watcher?.watcher ?? 0, how: "go" })]),
    Event.RecoveryStarted.make({ at, cycle: cycles + 1, purpose: "relaunch", trigger: "handoff" })
  )
}
