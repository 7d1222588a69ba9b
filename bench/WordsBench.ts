import { Effect, Option } from "effect"
import { makeTerminalOutput } from "../packages/cli/src/watching/AgentOutput.ts"
import { median, report, timed } from "./Table.ts"

const rounds = 7
const megabyte = 1_000_000
/** UTF-16 units of one read. */
const piece = 65_536

/** Units of lines that cost a terminal's filter most. */
const units = {
  "plain text": "Working on it, line by line. ",
  "one colour without an end": "1;38;5;8;",
  "short colours": "\u001B[1m",
  "beginnings of sequences": "\u001B]",
  "carriage returns": "\r",
  backspaces: "\b",
  "halves of characters": "\uD800"
}

const print = (text: string) => {
  const output = makeTerminalOutput(() => Option.none(), true)
  for (let at = 0; at < text.length; at += piece) output.push(text.slice(at, at + piece))
  output.end()
}

/** Measures a megabyte of an agent's output in one line, which may be anything, on its way to a terminal. */
export const words = Effect.gen(function* () {
  const rows = yield* Effect.forEach(Object.entries(units), ([name, unit]) => {
    // A brace begins a line that may be a record: it is held until it has ended.
    const text = `{\u001B[${unit.repeat(megabyte / unit.length)}m`
    const seconds = Effect.replicateEffect(timed(Effect.sync(() => print(text))), rounds)
    return Effect.map(seconds, (all) => ({ cells: [name], measured: median(all) * 1000, limit: { atMost: 100 } }))
  })
  return yield* report(["1 MB in one line on a terminal", "ms"], rows)
})
