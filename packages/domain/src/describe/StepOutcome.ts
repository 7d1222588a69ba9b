import { Option, Schema } from "effect"
import { count } from "./Words.ts"
import { ExportLimits, thresholdInWords } from "../settings/ExportLimits.ts"
import { stepNames } from "../watch/StepName.ts"

/** The event of a step that succeeded, or what the state keeps of it. */
interface Succeeded {
  readonly step: string
  readonly outcome: unknown
}

const decodeDoubt = Schema.decodeUnknownOption(
  Schema.Struct({ messageId: Schema.NullOr(Schema.Int), warnings: Schema.Array(Schema.String) })
)
const decodeGate = Schema.decodeUnknownOption(
  Schema.Struct({
    estimated_tokens: Schema.Int,
    start_mode: Schema.String,
    ...ExportLimits.fields,
    warnings: Schema.Array(Schema.String)
  })
)

/**
 * Returns the parts of a payload that were not understood. `undefined`: all was understood, or the step reads no
 * payload.
 */
export const doubtsOf = ({ outcome, step }: Succeeded) =>
  step === stepNames.request
    ? Option.getOrUndefined(Option.filter(decodeDoubt(outcome), ({ warnings }) => warnings.length > 0))
    : undefined

const decodeSession = Schema.decodeUnknownOption(Schema.Struct({ contextTokens: Schema.NullOr(Schema.Int) }))

/** Says that a session can be resumed in place. `undefined`: it cannot, or the step is another. */
export const sessionInWords = ({ outcome, step }: Succeeded): string | undefined => {
  if (step !== stepNames.session) return undefined
  const found = Option.getOrUndefined(decodeSession(outcome))
  if (found === undefined) return undefined
  const used = found.contextTokens === null ? "" : `, and ${count(found.contextTokens)} tokens of context are in use`
  return `the session can be resumed in place: its file is sound${used}`
}

/** Returns an estimate that is news: it exceeds its threshold, or is in doubt. */
const remarkableGate = ({ outcome, step }: Succeeded) =>
  step === stepNames.estimate
    ? Option.getOrUndefined(
        Option.filter(
          decodeGate(outcome),
          ({ estimated_tokens, threshold, warnings }) => estimated_tokens > threshold || warnings.length > 0
        )
      )
    : undefined

/** Says what the gate decided about an export. `undefined`: the export fits without doubt, or the step is another. */
export const gateInWords = (succeeded: Succeeded): string | undefined => {
  const gate = remarkableGate(succeeded)
  if (gate === undefined) return undefined
  const scope = gate.start_mode === "full_file" ? "the whole file" : "from the last compact marker on"
  const fate = gate.estimated_tokens > gate.threshold ? "discarded" : "handed on"
  const text = `the export is estimated at ${gate.estimated_tokens} tokens (${scope}), the threshold is ${thresholdInWords(gate)}: it is ${fate}`
  return [text, ...gate.warnings].join(". ")
}
