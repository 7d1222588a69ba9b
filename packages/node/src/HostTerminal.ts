import * as NodeTerminal from "@effect/platform-node/NodeTerminal"
import { Effect, Layer, Terminal } from "effect"

/** The terminal of this process. Each key is read, Escape too, until its scope closes. */
export const layer: Layer.Layer<Terminal.Terminal> = Layer.effect(
  Terminal.Terminal,
  NodeTerminal.make(() => false)
)

/**
 * The alternate screen, without its cursor, where a line that is too long ends at the edge, and what is pasted comes
 * between two marks.
 */
const [entered, left] = [
  "\u001B[?1049h\u001B[?25l\u001B[?7l\u001B[?2004h",
  "\u001B[?2004l\u001B[?7h\u001B[?25h\u001B[?1049l"
]

const leave = () => void process.stdout.write(left)

/** Takes the screen again from a shell that had it while this process was stopped, and asks for all of its lines. */
const enterAgain = () => {
  // Node sets no mode that it has set before.
  if (process.stdin.isTTY) for (const raw of [false, true]) process.stdin.setRawMode(raw)
  process.stdout.write(entered)
  process.stdout.emit("resize")
}

/**
 * Takes the whole screen until the scope closes, and then shows again what was there. A defect that ends the process
 * without a word to any scope leaves it too.
 */
export const fullScreen = Effect.acquireRelease(
  Effect.sync(() => {
    process.once("exit", leave)
    process.on("SIGCONT", enterAgain)
    process.stdout.write(entered)
  }),
  () =>
    Effect.sync(() => {
      process.off("exit", leave)
      process.off("SIGCONT", enterAgain)
      leave()
    })
)
