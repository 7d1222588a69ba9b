import { plain } from "@souffleur/domain"
import { Console, Effect, Random } from "effect"

/**
 * Where our own colours are, in a text that goes to the {@link printing} console: drawn for each process, so that no
 * word of others can have it. `false`: no colours are wanted.
 */
export type Mark = string | false

/** UTF-16 units of what happened, that are told in one line; `--json` has all of it. */
export const mostOfLine = 2000

/** 128 random bits. */
export const makeMark = Effect.map(
  Effect.replicateEffect(Random.nextIntBetween(0, 2 ** 32, { halfOpen: true }), 4),
  (words) => `<${words.map((word) => word.toString(16).padStart(8, "0")).join("")}>`
)

/** Colours for a terminal; plain text everywhere else. */
export type Paint = (colour: "red" | "green" | "yellow" | "dim", text: string) => string
const codes = { red: 31, green: 32, yellow: 33, dim: 2 } as const
export const paint =
  (mark: Mark): Paint =>
  (name, text) =>
    mark === false ? text : `${mark}${codes[name]}m${text}${mark}0m`

/** Plain, and then in our own colours. */
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

/**
 * The one way to standard output and standard error: whoever's words they are, a terminal obeys none of them. A line
 * break would let them pretend to be a line of ours, so one call is one line; what has more is given to {@link
 * printLines}.
 */
export const printing = (
  mark: Mark,
  { error, log }: Pick<Console.Console, "error" | "log"> = globalThis.console
): Console.Console => {
  const out = (...args: ReadonlyArray<unknown>) => log(coloured(words(args), mark))
  const err = (...args: ReadonlyArray<unknown>) => error(coloured(words(args), mark))
  const nothing = () => {}
  return {
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

/** A text whose line breaks are ours: what others said in it is plain already. */
export const printLines = (text: string, print: (line: string) => Effect.Effect<void> = Console.log) =>
  Effect.forEach(text.split("\n"), (line) => print(line), { discard: true })

/** Facts for a program, laid out for a person. JSON has no line break of others'. */
export const printJson = (value: unknown) => printLines(JSON.stringify(value, null, 2))
