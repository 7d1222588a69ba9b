import { basename, dirname, join } from "node:path"
import { createWhole } from "../files/WholeFile.ts"
import type { Receipt } from "./Receipt.ts"

/** Path of the receipt whose taking decides a launch (spec: behaviour#launch-at-most-once). */
export const receiptBeside = (launchPath: string): string =>
  join(dirname(launchPath), `${basename(launchPath, ".json")}.receipt`)

/** Takes a receipt. `false`: the name is taken, for ever. */
export const claimReceipt = (path: string, receipt: Receipt): boolean => createWhole(path, JSON.stringify(receipt))
