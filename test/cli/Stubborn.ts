import { Signals } from "@souffleur/node"
import { Effect } from "effect"

// A program that never ends by itself. When it is asked to leave, `loop` never returns from its work, and `wait` does
// nothing about it.
const [, , how, patience] = process.argv
const forEver = () => {
  for (;;);
}
Signals.answer(() => {
  console.log("heard")
  // When all others were told.
  if (how === "loop") setImmediate(forEver)
}, Number(patience))
Effect.runFork(Effect.sleep("1 day"))
console.log("ready")
