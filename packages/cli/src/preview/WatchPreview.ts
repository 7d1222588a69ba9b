import { HookFiles } from "@souffleur/node"
import type { Target } from "@souffleur/domain"
import {
  knownOf,
  layerAgentFiles,
  layerHost,
  layerStoreReading,
  previewKnown,
  previewWatch,
  settingsOf
} from "@souffleur/embed/internal"
import { Effect, Layer, Option } from "effect"
import { paint } from "../Printing.ts"
import { namedComms } from "../watching/NamedComms.ts"
import { pick } from "../watching/NamedTarget.ts"
import { Environment } from "../world/CommandEnvironment.ts"
import { printPreview } from "./PreviewText.ts"

/** The flags of `watch` that a preview is about. */
interface WatchFlags {
  readonly resume: Option.Option<string>
  readonly comms: Option.Option<string>
  readonly observe: boolean
  readonly force: boolean
  readonly json: boolean
}

/** Prints what `watch` would see and do. Changes and starts nothing. */
export const dryWatch = Effect.fn("dryWatch")(function* (
  { comms, force: forced, json: asJson, observe, resume }: WatchFlags,
  target: Option.Option<Target>,
  here: string
) {
  const { colour } = yield* Environment
  const settings = yield* settingsOf(here)
  const previewed = Effect.gen(function* () {
    const known = yield* knownOf(resume, target, here)
    if (Option.isSome(known)) return yield* previewKnown(known.value)
    const chosen = Option.isSome(target)
      ? target.value
      : yield* Effect.provide(pick(here), [layerAgentFiles(settings), HookFiles.layer(settings.stateDir)])
    return yield* previewWatch({
      project: here,
      target: chosen,
      comms: yield* namedComms(comms, here),
      observe,
      forced
    })
  })
  const found = yield* Effect.provide(previewed, Layer.merge(layerStoreReading(settings), layerHost))
  return yield* printPreview(found, { asJson, brush: paint(colour) })
})
