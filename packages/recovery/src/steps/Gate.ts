import { type Export, ExportLimits, stepNames, type Watch } from "@souffleur/domain"
import { Effect, Option, Schema } from "effect"
import { Estimate, estimate } from "../export/Estimate.ts"
import { exportLimitsOf, NoExport } from "./ExportConversation.ts"
import { again, step } from "./Step.ts"

/** Holds an estimate and the limits of that time: the outcome of the gate's step (spec: behaviour#claude_export). */
export const Gate = Schema.Struct({
  ...Estimate.fields,
  ...ExportLimits.fields,
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
  return yield* step(stepNames.estimate, {
    outcome: Gate,
    failure: NoExport,
    act: () =>
      Effect.all([estimate(path), exportLimitsOf(watch)]).pipe(
        Effect.map(([found, { context, limits }]) => ({
          ...found,
          ...limits,
          measured_tokens: context?.tokens ?? null
        })),
        Effect.mapError(({ message }) => new NoExport({ message }))
      ),
    reconcile: again
  })
})
