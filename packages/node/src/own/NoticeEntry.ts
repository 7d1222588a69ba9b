import { text } from "node:stream/consumers"
import { Effect } from "effect"

/**
 * Answers the one order on standard input with one line, and ends. The order holds a secret, so it is no argument and
 * no variable, which `ps` would show. The process outlives souffleur.
 */
export const answerNotice = async (answer: (order: string) => Effect.Effect<string>): Promise<void> => {
  // souffleur is gone, and hears no answer.
  process.stdout.on("error", () => {})
  const line = await Effect.runPromise(answer(await text(process.stdin)))
  process.stdout.write(`${line}\n`, () => process.exit())
}
