import { basename } from "node:path"
import { ProcessIdentity } from "@souffleur/domain"
import { Option, Schema } from "effect"
import { readWhole } from "../files/WholeFile.ts"

/** Decision about a launch: taken by the process that became the agent, or cancelled for ever. */
export const Receipt = Schema.Union([
  Schema.TaggedStruct("Taken", { process: ProcessIdentity }),
  Schema.TaggedStruct("Cancelled", {})
])
export type Receipt = typeof Receipt.Type

const ReceiptJson = Schema.fromJsonString(Receipt)
const decodeReceipt = Schema.decodeUnknownOption(ReceiptJson, { onExcessProperty: "error" })

/** The file under a receipt's name is neither a receipt nor a tombstone. So it is unknown whether the agent runs. */
export class ReceiptDamaged extends Schema.TaggedError<ReceiptDamaged>()("ReceiptDamaged", { receipt: Schema.String }) {
  override get message(): string {
    return `the receipt ${this.receipt} cannot be read: whether the agent runs is unknown`
  }
}

/** Reads a receipt. `None`: it is not taken yet. Throws {@link ReceiptDamaged}. */
export const readReceipt = (path: string): Option.Option<Receipt> => {
  const text = readWhole(path)
  if (text === undefined) return Option.none()
  const receipt = decodeReceipt(text)
  if (Option.isNone(receipt)) throw new ReceiptDamaged({ receipt: basename(path) })
  return receipt
}
