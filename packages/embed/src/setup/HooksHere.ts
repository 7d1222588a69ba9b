import { TrustedFiles } from "@souffleur/node"
import type { HooksChanged, HooksStatus } from "@souffleur/process"
import { Effect, Runtime, Schema } from "effect"
import { Installation } from "../world/Installation.ts"
import { settingsOf } from "../world/ReadHere.ts"
import { hookedAgents } from "./HookedAgents.ts"
import { addHooked, forgetHooked } from "./HookedFiles.ts"
import { hasHooks, type HookPlace, hookPlaces } from "./HookPlaces.ts"
import { agentOfProgram, agentsOf, usualProgram } from "./InstalledAgents.ts"

/** No such hooks can be: the agent is unknown, has none, or takes only the user's own. `message` says which. */
export class NoHooks extends Schema.TaggedError<NoHooks>()("NoHooks", { message: Schema.String }) {
  override readonly [Runtime.errorExitCode] = 2
}

/** The hooks of an agent in one file of its settings. */
export interface HooksOrder {
  /** The folder of the work, absolute. */
  readonly project: string
  /** The program of the agent, such as `pi`; the usual one of the folder by default. */
  readonly agent?: string
  /**
   * True to have each session of the project watched from its first prompt on, and false for reports alone. By default
   * hooks that are there keep what they have. The hooks of an app only report: the souffleur command begins a watch.
   */
  readonly watch?: boolean
  /** The settings that have them. By default it is the project's own, where the agent takes hooks there. */
  readonly place?: HookPlace
}

/** The hooks of an agent as they are. */
export interface HooksSeen extends HooksStatus {
  /** The program of the agent. */
  readonly agent: string
  /** All events that souffleur needs. */
  readonly wanted: ReadonlyArray<string>
  /** Says on which condition the agent runs them; `null`: it always does. */
  readonly onlyIf: string | null
}

/** A change to the hooks of an agent. */
export interface AgentHooksChanged extends HooksChanged {
  /** The program of the agent. */
  readonly agent: string
}

/** Returns the agent with its hooks and the file of its settings. Fails with `NoHooks`. */
const meant = Effect.fnUntraced(function* ({ agent: program, place, project, watch = false }: HooksOrder) {
  const { agent } = yield* Installation
  const settings = yield* settingsOf(project)
  const named = program === undefined ? undefined : agentsOf(agent).find(({ owns }) => owns([program]))
  const kind = program === undefined ? agentOfProgram(agent, yield* usualProgram(settings)) : named
  if (kind === undefined || !hasHooks(kind))
    return yield* new NoHooks({
      message: `${kind?.title ?? program} has no hooks of souffleur. These have some: ${hookedAgents(agent)
        .map((one) => one.program)
        .join(", ")}`
    })
  const places = yield* hookPlaces(kind, settings, project)
  const found = place === undefined ? places[0] : places.find((one) => one.place === place)
  if (found === undefined)
    return yield* new NoHooks({ message: `${kind.title} has hooks in the settings of the user alone` })
  if (watch && found.place !== "project")
    return yield* new NoHooks({ message: "the sessions of a project are watched, and not those of every folder" })
  return { kind, file: found.file, stateDir: settings.stateDir }
})

/** Looks at the hooks of an agent. */
export const hooksSeen = Effect.fn("hooksSeen")(function* (order: HooksOrder) {
  const { file, kind } = yield* meant(order)
  const { events: wanted, onlyIf = null, status } = kind.hooks
  return { ...(yield* status(file)), path: file, agent: kind.program, wanted, onlyIf } satisfies HooksSeen
})

/** Adds the hooks of souffleur to the settings of an agent. They are recorded first, for an uninstall. */
export const hooksInstalled = Effect.fn("hooksInstalled")(function* (order: HooksOrder) {
  const { file, kind, stateDir } = yield* meant(order)
  const { hookLine } = yield* Installation
  yield* TrustedFiles.stateFolder(stateDir)
  yield* addHooked(stateDir, file)
  const watch = order.watch ?? (yield* kind.hooks.status(file)).programs.some((program) => program.watch === true)
  const program = { stateDir, self: yield* hookLine, ...(watch ? { watch } : {}) }
  const change = yield* kind.hooks.install(file, kind.hooks.command(program))
  return { ...change, agent: kind.program } satisfies AgentHooksChanged
})

/** Takes the hooks of souffleur out of the settings of an agent. Words that others wrote stay. */
export const hooksRemoved = Effect.fn("hooksRemoved")(function* (order: HooksOrder) {
  const { file, kind, stateDir } = yield* meant(order)
  const change = yield* kind.hooks.uninstall(file)
  yield* forgetHooked(stateDir, file)
  return { ...change, agent: kind.program } satisfies AgentHooksChanged
})
