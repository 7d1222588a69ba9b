import { Agent, isWithin, type ResolvedSettings } from "@souffleur/domain"
import { Effect, Option } from "effect"
import type { NamedWatch } from "../watching/FindWatch.ts"
import { lostWindow } from "./LostWindow.ts"
import { Installation } from "../world/Installation.ts"
import { terminalsOf } from "../world/World.ts"
import { note } from "../doctor/Finding.ts"

/** Says which watched Conductors and live sessions of a project have a window that a successor would not have. */
export const windowCheck = Effect.fn("Doctor.windowCheck")(function* (
  settings: ResolvedSettings,
  project: string,
  watches: ReadonlyArray<NamedWatch>,
  named: number | undefined
) {
  const { variables } = yield* Installation
  const terminals = yield* Effect.option(terminalsOf(settings, variables))
  if (Option.isNone(terminals)) return []
  const [terminal] = terminals.value
  const sessions = yield* (yield* Agent).sessions
  const watched = watches.flatMap(({ watch: { conductor, headless, kind, observe, phase, project: its, sessionId } }) =>
    conductor === undefined || phase === "Exited" || kind === "command" || observe || headless || its !== project
      ? []
      : [{ pid: conductor.pid, sessionId }]
  )
  const all = [
    ...(named === undefined ? [] : [{ pid: named, sessionId: "" }]),
    ...watched,
    ...sessions.filter((session) => isWithin(project, session.project))
  ]
  const found = yield* Effect.forEach(all, (one) => lostWindow(one, { settings, terminal, variables }))
  return [
    ...new Map(found.flatMap(Option.toArray).map(({ lost, todo }) => [lost, note("window", lost, todo)])).values()
  ]
})
