import { Comms, CommsLink, type Errands, type Processes, type ResolvedSettings } from "@souffleur/domain"
import { encodeDetachOrder } from "@souffleur/node"
import { NoticeChannels, runProgram, type TrustedFiles } from "@souffleur/process"
import { Roles, type World } from "@souffleur/supervisor"
import { Context, Effect, type FileSystem, Layer, Option, type Path, Scope } from "effect"
import type { ChildProcessSpawner } from "effect/process"
import { preflightOf } from "../preflight/Preflight.ts"
import { noticeChannels } from "../setup/NoticeWiring.ts"
import { previewOf } from "../preview/PreviewSubject.ts"
import { guardianOfWatch } from "../keeping/GuardianKeeper.ts"
import { withoutMarks } from "../keeping/MarkedVariables.ts"
import { goingOn, opening, trustNow, wouldGoOn } from "./ConfigTrust.ts"
import { Installation, NotDetached } from "./Installation.ts"
import { launchOverridesOf, layerAsLaunched } from "./LaunchOverrides.ts"
import { type ApartOrder, Parts } from "./Parts.ts"
import { settingsOf } from "./ReadHere.ts"
import { layerAgent, layerLook } from "./AgentLayers.ts"
import { commsIn, layerComms, layerCommsLink, refuseUnsoundComms } from "./StoreLayers.ts"
import { layerLaunches } from "./LaunchLayers.ts"
import { layerRun, layerWatch } from "./World.ts"

/** The ports of this host that the parts of a project are made of. */
export type Needs =
  | ChildProcessSpawner.ChildProcessSpawner
  | Errands
  | FileSystem.FileSystem
  | Installation
  | Path.Path
  | Processes
  | TrustedFiles

/** Returns the comms of a new watch. `null`: solo. */
const commsOf = Effect.fnUntraced(function* (project: string, named?: string | null) {
  const { comms } = yield* Installation
  const file = named === undefined ? yield* commsIn(project) : named
  if (file !== null && comms === undefined) yield* refuseUnsoundComms(file)
  return file
})

/** Opens the comms of a project for a run, where its file exists. */
const linkedIn = Effect.fnUntraced(function* (project: string) {
  const { comms } = yield* Installation
  const file = yield* commsIn(project)
  if (file === null || comms !== undefined) return Option.none()
  return Option.some({
    link: yield* Effect.provide(CommsLink, layerCommsLink(file)),
    comms: yield* Effect.provide(Comms, layerComms(file))
  })
})

const layerNotices = (settings: ResolvedSettings) => Layer.effect(NoticeChannels, noticeChannels(settings))

/** Starts a process by one in between, which ends at once. */
const startApart = Effect.fnUntraced(function* (order: ApartOrder) {
  const { agent, detachLine, variables } = yield* Installation
  const [command, ...args] = yield* detachLine
  const printed = yield* runProgram({
    command,
    args: [...args, encodeDetachOrder(order)],
    stdin: "",
    within: "30 seconds",
    atMost: 100,
    environment: withoutMarks(agent, variables)
  }).pipe(
    Effect.catchTag(
      "ProgramFailed",
      ({ message }) => new NotDetached({ message: `no souffleur can be started: ${message}` })
    )
  )
  return Number(printed)
})

/**
 * Makes the parts of each project by its config file and by the {@link Installation}. Agents run on this host, in the
 * terminal around souffleur or without one.
 */
export const layer = (layerRoles: Layer.Layer<Roles, never, World> = Roles.layer): Layer.Layer<Parts, never, Needs> =>
  Layer.effect(
    Parts,
    Effect.gen(function* () {
      const { agent, variables } = yield* Installation
      // The scope of the layer is left out: what a watch opens belongs to the scope of that watch.
      const context = Context.omit(Scope.Scope)(yield* Effect.context<Needs | Scope.Scope>())
      const here = Effect.provideContext(context)
      const built = Layer.succeedContext(context)
      return Parts.of({
        agent,
        variables,
        comms: (project, named) => here(commsOf(project, named)),
        trust: (project) => here(Effect.map(trustNow(project), ({ pin }) => pin)),
        settings: (project) => here(settingsOf(project)),
        opening: (project) => here(opening(project)),
        goingOn: (known) =>
          Effect.gen(function* () {
            const settings = yield* goingOn(known.watch.project, known.watch.pin)
            return { settings, overrides: yield* launchOverridesOf(settings, Option.some(known)) }
          }).pipe(here),
        layerLaunches: (settings) => Layer.provide(layerLaunches(settings), built),
        guardian: (revival) => here(Effect.map(guardianOfWatch(revival), (start) => (id: string) => here(start(id)))),
        apart: (order) => here(startApart(order)),
        layerLook: ({ comms, settings }) => Layer.provide(layerLook(settings, comms), built),
        layerPrinted: (settings, known) =>
          Layer.provide(Layer.merge(layerAsLaunched(settings, known), layerLaunches(settings)), built),
        layerWatch: ({ comms, overrides, project, settings }) =>
          Layer.provide(Layer.merge(layerWatch(settings, project, comms, overrides), layerNotices(settings)), built),
        conducting: ({ known, limits, project }) =>
          here(
            known === undefined
              ? opening(project, limits)
              : Effect.map(goingOn(project, known.run.pin, limits), (settings) => ({ settings, pin: known.run.pin }))
          ),
        wouldConduct: ({ known, limits, project }) =>
          here(
            Effect.map(
              known === undefined ? opening(project, limits) : wouldGoOn(project, known.run.pin, limits),
              ({ settings }) => settings
            )
          ),
        preflight: (order, ask) => here(preflightOf(order, ask)),
        layerAgent: (settings) => Layer.provide(layerAgent(settings), built),
        layerRun: ({ project, settings }) =>
          Layer.provide(Layer.merge(layerRun(settings, project), layerNotices(settings)), built),
        linked: (project) => here(linkedIn(project)),
        preview: (order) => here(previewOf(order)),
        layerRoles
      })
    })
  )
