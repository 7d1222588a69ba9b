import {
  Agent,
  type AgentKind,
  highest,
  leastPermission,
  lower,
  type Permission,
  type Pin,
  Processes,
  type ResolvedSettings,
  type Variables,
  watchKey
} from "@souffleur/domain"
import { unfinishedRuns } from "@souffleur/plan"
import { Effect, Option, Result } from "effect"
import { Parts } from "../world/Parts.ts"
import { newestWatches } from "../watching/FindWatch.ts"

/** Each process of souffleur's launches has this variable. */
const ourMark = "SOUFFLEUR_LAUNCH_ID"

/** Conductors that had one pid. The live one is the newest of them. */
const maxConductors = 10

/** An agent's session that runs souffleur. */
export interface CallingSession {
  /** How the environment or an ancestor shows it, as a person reads it. */
  readonly why: string
  /** The permission that a person's start gave that session. */
  readonly ceiling: Permission
}

/** Returns souffleur's launches among these processes, each with the ceiling of its watch or run. */
const launchesAmong = Effect.fnUntraced(function* (ancestors: ReadonlyArray<number>) {
  const processes = yield* Processes
  // The Conductor of a watch that has ended may live on.
  const watches = yield* Effect.forEach(ancestors, (pid) => newestWatches(watchKey.pid(pid), maxConductors))
  const known = [
    ...watches.flat().map(({ watch }) => ({ process: watch.conductor, ceiling: highest(watch) })),
    ...(yield* unfinishedRuns).flatMap(({ run }) =>
      run.assignments.map(({ launch }) => ({ process: launch?.process, ceiling: run.pin.ceiling }))
    )
  ].flatMap(({ ceiling, process }) =>
    process !== undefined && ancestors.includes(process.pid) ? [{ ceiling, process }] : []
  )
  return yield* Effect.filter(known, ({ process }) =>
    Effect.map(processes.condition(process), (condition) => condition !== "gone")
  )
})

/**
 * Looks whether an agent's session runs this program: by its marks, by those of its ancestors, and by the agents and
 * launches among these. `undefined`: nothing shows it. An agent that hides all of them can still lie, within its own
 * permission.
 */
export const callingSession = Effect.fn("callingSession")(function* (
  kind: AgentKind,
  variables: Variables
): Effect.fn.Return<
  CallingSession | undefined,
  Effect.Error<ReturnType<typeof launchesAmong>>,
  Agent | Processes | Effect.Services<ReturnType<typeof launchesAmong>>
> {
  const processes = yield* Processes
  const ancestors = yield* processes.ancestors
  const mark = kind.identity(variables).mark ?? ((variables[ourMark] ?? "") === "" ? undefined : ourMark)
  const launches = yield* launchesAmong(ancestors)
  const holder = (yield* (yield* Agent).sessions).find(({ pid }) => ancestors.includes(pid))?.pid
  const carrier = (yield* processes.carriers(ourMark)).find(({ identity }) => ancestors.includes(identity.pid))
  const pid = launches[0]?.process.pid ?? holder ?? carrier?.identity.pid
  if (mark === undefined && pid === undefined) return undefined
  const why = mark === undefined ? `agent pid ${pid} has started it` : `${mark} is set`
  const [first, ...others] = launches.map(({ ceiling }) => ceiling)
  if (first !== undefined) return { why, ceiling: others.reduce(lower, first) }
  // A person has started this agent by hand, and its command line says with what.
  const words = holder === undefined ? [] : yield* processes.commandLine(holder)
  const typed = Result.getOrElse(kind.takeApart(words, { program: kind.program, args: [] }), Option.none)
  return { why, ceiling: Option.match(typed, { onNone: () => leastPermission, onSome: ({ requested }) => requested }) }
})

/**
 * Lowers what a project opens with to what a person's start gave the agent's session that asks for it (spec:
 * behaviour#trust). A person gets all of it.
 */
export const withinSession = Effect.fnUntraced(function* (opened: {
  readonly pin: Pin
  readonly settings: ResolvedSettings
}) {
  const { agent, layerAgent, variables } = yield* Parts
  const { pin, settings } = opened
  if (pin.ceiling === leastPermission) return opened
  const session = yield* Effect.provide(callingSession(agent, variables), layerAgent(settings))
  if (session === undefined) return opened
  const ceiling = lower(pin.ceiling, session.ceiling)
  return { pin: { ...pin, ceiling }, settings: { ...settings, maxExternalPermission: ceiling } }
})
