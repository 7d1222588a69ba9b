import { plain } from "@souffleur/domain"
import { Console, Effect, Random } from "effect"

/**
 * The mark of our own colours in a text for the {@link printing} console. It is drawn for each process, so that no
 * other text can contain it. `false`: no colours.
 */
export type Mark = string | false

/** Draws a mark of 128 random bits. */
export const makeMark = Effect.map(
  Effect.replicateEffect(Random.nextIntBetween(0, 2 ** 32, { halfOpen: true }), 4),
  (words) => `<${words.map((word) => word.toString(16).padStart(8, "0")).join("")}>`
)

/** Adds colours for a terminal, and leaves the text plain elsewhere. */
export type Paint = (colour: "red" | "green" | "yellow" | "dim", text: string) => string
const codes = { red: 31, green: 32, yellow: 33, dim: 2 } as const
/** Makes the colours of a screen. `mark` begins a colour; `false`: the text stays as it is. */
export const paint =
  (mark: Mark): Paint =>
  (name, text) =>
    mark === false ? text : `${mark}${codes[name]}m${text}${mark}0m`

/** Makes a text plain, and then adds our own colours. */
const coloured = (text: string, mark: Mark): string => {
  if (mark === false) return plain(text)
  const [first = "", ...painted] = text.split(mark)
  return (
    plain(first) +
    painted
      .map((part) => part.replace(/^(\d+m)([^]*)$/u, (_, code: string, rest: string) => `\u001B[${code}${plain(rest)}`))
      .join("")
  )
}

const words = (args: ReadonlyArray<unknown>): string =>
  args.map((one) => (typeof one === "string" ? one : JSON.stringify(one))).join(" ")

type Way = "log" | "error"

/** Prints several lines by one write. A write of each takes most of the time of a long list. */
const block = Symbol("block")
interface Printer extends Console.Console {
  readonly [block]: (lines: ReadonlyArray<string>, way: Way) => void
}
const isPrinter = (to: Console.Console): to is Printer => block in to

/**
 * The only console on standard output and standard error. A terminal obeys no word of the text. One call prints one
 * line, because a line break could make foreign text look like ours. Use {@link printLines} for several lines.
 */
export const printing = (mark: Mark, { error, log }: Pick<Console.Console, Way> = globalThis.console): Printer => {
  const out = (...args: ReadonlyArray<unknown>) => log(coloured(words(args), mark))
  const err = (...args: ReadonlyArray<unknown>) => error(coloured(words(args), mark))
  const nothing = () => {}
  return {
    [block]: (lines, way) => ({ error, log })[way](lines.map((line) => coloured(line, mark)).join("\n")),
    log: out,
    info: out,
    debug: out,
    dir: out,
    dirxml: out,
    table: out,
    error: err,
    warn: err,
    trace: err,
    assert: nothing,
    clear: nothing,
    count: nothing,
    countReset: nothing,
    group: nothing,
    groupCollapsed: nothing,
    groupEnd: nothing,
    time: nothing,
    timeEnd: nothing,
    timeLog: nothing
  }
}

/** Prints a text whose line breaks are ours. Foreign text in it must be plain already. */
export const printLines = (text: string, way: Way = "log") =>
  Console.consoleWith((to) =>
    Effect.sync(() => {
      const lines = text.split("\n")
      if (isPrinter(to)) return to[block](lines, way)
      for (const line of lines) to[way](line)
    })
  )

/** Prints facts for a program, indented for a person. JSON escapes foreign line breaks. */
export const printJson = (value: unknown) => printLines(JSON.stringify(value, null, 2))
