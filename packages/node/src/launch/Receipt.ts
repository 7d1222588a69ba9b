import { basename, dirname, join } from "node:path"
import { ProcessIdentity } from "@souffleur/domain"
import { Option, Schema } from "effect"
import { createWhole, readWhole } from "../files/WholeFile.ts"

/** Who took a launch: the process that became the agent, or nobody, ever. */
export const Receipt = Schema.Union([
  Schema.TaggedStruct("Taken", { process: ProcessIdentity }),
  Schema.TaggedStruct("Cancelled", {})
])
export type Receipt = typeof Receipt.Type

const ReceiptJson = Schema.fromJsonString(Receipt)
const encodeReceipt = Schema.encodeSync(ReceiptJson)
const decodeReceipt = Schema.decodeUnknownOption(ReceiptJson, { onExcessProperty: "error" })

/** The name whose taking decides a launch (spec: behaviour#launch-at-most-once). */
export const receiptBeside = (launchPath: string): string =>
  join(dirname(launchPath), `${basename(launchPath, ".json")}.receipt`)

/** What stands under a receipt's name is neither a receipt nor a tombstone: nobody can say whether the agent runs. */
export class ReceiptDamaged extends Schema.TaggedError<ReceiptDamaged>()("ReceiptDamaged", { receipt: Schema.String }) {
  override get message(): string {
    return `the receipt ${this.receipt} cannot be read: nobody can say whether the agent runs`
  }
}

/** `None`: not taken yet. Throws {@link ReceiptDamaged}. */
export const readReceipt = (path: string): Option.Option<Receipt> => {
  const text = readWhole(path)
  if (text === undefined) return Option.none()
  const receipt = decodeReceipt(text)
  if (Option.isNone(receipt)) throw new ReceiptDamaged({ receipt: basename(path) })
  return receipt
}

/** `false`: the name is taken, for ever. */
export const claimReceipt = (path: string, receipt: Receipt): boolean => createWhole(path, encodeReceipt(receipt))
