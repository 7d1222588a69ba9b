import { newestRun, runById } from "@souffleur/plan"
import { type ResolvedSettings, Settings } from "@souffleur/domain"
import { Effect, Layer, Option, Runtime, Schema } from "effect"
import { Digest } from "effect/crypto"
import { layerAgent } from "./AgentLayers.ts"
import { layerHost, layerStore } from "./StoreLayers.ts"
import { layerClaims, layerCycleSettings, layerLaunches } from "./World.ts"
import { folderName } from "../watching/FindWatch.ts"

/** No run has this name, or no plan was conducted in this folder. `message` says what to do. */
export class RunNotFound extends Schema.TaggedError<RunNotFound>()("RunNotFound", { message: Schema.String }) {
  override readonly [Runtime.errorExitCode] = 2
}

/** Everything that a run of a plan needs. Its agents are headless, because their output is read. */
export const layerConductor = (settings: ResolvedSettings, project: string) =>
  Layer.mergeAll(
    layerStore(settings),
    layerAgent(settings),
    layerClaims,
    layerLaunches(settings),
    Layer.succeed(Settings, settings),
    layerCycleSettings(settings, project)
  ).pipe(Layer.provideMerge(layerHost))

/** Makes the id of a run from its folder and its plan. Two simultaneous starts of one plan thus begin the same run. */
export const runIdOf = Effect.fnUntraced(function* (project: string, plan: string) {
  const digest = yield* Digest.Digest
  const hex = yield* digest.digestHex(Digest.sha256, new TextEncoder().encode(`${project}\0${plan}`))
  const name = yield* folderName(project)
  const ids = Array.from({ length: hex.length / 4 }, (_, n) => `${name}-${hex.slice(0, 4 * (n + 1))}`)
  for (const id of ids) if (Option.isNone(yield* runById(id))) return id
  return ids.at(-1)!
}, Effect.provide(Digest.layerWebCrypto))

/** Finds a run by its id, or the newest of a folder. Fails with `RunNotFound` when there is none. */
export const findRun = Effect.fn("findRun")(function* (name: Option.Option<string>, project: string) {
  const found = yield* Option.match(name, { onNone: () => newestRun(project), onSome: runById })
  if (Option.isSome(found)) return found.value.unreadable === undefined ? found.value : yield* found.value.unreadable
  return yield* new RunNotFound({
    message: Option.match(name, {
      onNone: () => `no plan was conducted in ${project} yet: souffleur conduct PLAN`,
      onSome: (id) => `no run is called ${JSON.stringify(id.slice(0, 80))}: "souffleur conduct status --all" lists all`
    })
  })
})
