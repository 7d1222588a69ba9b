import { Agent, type Export, Settings, stepNames, type Watch } from "@souffleur/domain"
import { Effect, Option, Schema } from "effect"
import { Estimate, estimate } from "../export/Estimate.ts"
import { NoExport } from "./ExportConversation.ts"
import { again, step } from "./Step.ts"

/** Holds an estimate and the threshold of that time: the outcome of the gate's step (spec: behaviour#claude_export). */
export const Gate = Schema.Struct({
  ...Estimate.fields,
  threshold: Schema.Int,
  /** Tokens in use as the service last counted them. They show the error of `characters / 3`. */
  measured_tokens: Schema.NullOr(Schema.Int)
})
export type Gate = typeof Gate.Type

const decode = Schema.decodeUnknownOption(Gate)

/** Reads the gate from the step that estimated an export; `None` for any other step. */
export const gateOf = ({ outcome, step }: { readonly step: string; readonly outcome: unknown }): Option.Option<Gate> =>
  step === stepNames.estimate ? decode(outcome) : Option.none()

/**
 * Estimates an export: step 4 of a recovery. Fails with `NoExport` when the export cannot be read. It does not judge.
 */
export const estimateExport = Effect.fn("estimateExport")(function* (watch: Watch, { path }: Pick<Export, "path">) {
  const agent = yield* Agent
  const { forceCompactThresholdTokens: threshold } = yield* Settings
  return yield* step(stepNames.estimate, {
    outcome: Gate,
    failure: NoExport,
    act: () =>
      Effect.all([estimate(path), agent.signs(watch.sessionId)]).pipe(
        Effect.map(([found, signs]) => ({
          ...found,
          threshold,
          measured_tokens: Option.match(signs, { onNone: () => null, onSome: ({ context }) => context?.tokens ?? null })
        })),
        Effect.mapError(({ message }) => new NoExport({ message }))
      ),
    reconcile: again
  })
})
