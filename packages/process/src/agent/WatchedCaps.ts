import {
  Agent,
  capsGiven,
  isSameProcess,
  type ProcessIdentity,
  Processes,
  type Watch,
  type WatchRef
} from "@souffleur/domain"
import { Effect, Option } from "effect"

/** Reads the caps that a living process was given by its arguments and its environment, or its launcher's child was. */
export const capsOfProcess = Effect.fn("capsOfProcess")(function* ({ pid }: Pick<ProcessIdentity, "pid">) {
  const { capNames } = yield* Agent
  const { carriers, commandLine } = yield* Processes
  if (capNames === undefined) return []
  const values = yield* Effect.forEach(Object.keys(capNames.variables ?? {}), (name) =>
    Effect.map(
      carriers(name),
      (found) => [name, found.find(({ identity, parent }) => identity.pid === pid || parent === pid)?.value] as const
    )
  )
  return capsGiven(yield* commandLine(pid), Object.fromEntries(values), capNames)
})

/**
 * Notes the caps of an agent that souffleur did not launch, so that they count over all generations
 * (spec: behaviour#caps-of-the-user). A later process of souffleur's own has only what was left of one.
 */
export const noteCaps = Effect.fn("noteCaps")(function* (ref: WatchRef, watch: Watch, conductor: ProcessIdentity) {
  const { carriers, find } = yield* Processes
  if (watch.kind === "command" || watch.launchId !== undefined) return
  const caps = yield* capsOfProcess(conductor)
  const found = Option.getOrUndefined(yield* find(conductor.pid))
  if (caps.length === 0 || !isSameProcess(found?.identity, conductor)) return
  if (
    watch.generation > 1 &&
    (yield* carriers("SOUFFLEUR_LAUNCH_ID")).some(({ identity }) => identity.pid === conductor.pid)
  )
    return
  yield* ref.dispatch({ _tag: "ReportCaps", caps, began: found?.startedAt ?? watch.openedAt })
})
