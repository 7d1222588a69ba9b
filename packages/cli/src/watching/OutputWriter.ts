import { Agent, type PrintedOn } from "@souffleur/domain"
import type { Printed } from "@souffleur/embed"
import { byteString, type ShownOutput } from "@souffleur/process"
import { Effect, Option, Stdio, Stream } from "effect"
import { Environment } from "../world/CommandEnvironment.ts"
import { makeTerminalOutput } from "./AgentOutput.ts"

const escape = "\u001B"

/** Understands no record: each line is text. */
const asText = () => Option.none()

/**
 * Makes the writer of the words of others to standard output and standard error. A terminal gets text, a pipe or a file
 * byte strings.
 */
export const makeOutputWriter = Effect.gen(function* () {
  const agent = yield* Agent
  const { colour } = yield* Environment
  const { stderr, stderrIsTerminal, stdout, stdoutIsTerminal } = yield* Stdio.Stdio
  const terminal = { stdout: yield* stdoutIsTerminal, stderr: yield* stderrIsTerminal }
  const sinks = { stdout, stderr }
  const onScreen = terminal.stdout && terminal.stderr
  /** Where the last word was in the middle of a line; and the terminals on which a colour of it may still hold. */
  const [inLine, coloured] = [new Set<PrintedOn>(), new Set<PrintedOn>()]

  const put = (text: string, on: PrintedOn) =>
    Stream.run(Stream.succeed(terminal[on] ? text : byteString.bytes(text)), sinks[on]({ endOnDone: false }))
  const write = Effect.fnUntraced(function* (text: string, on: PrintedOn) {
    if (text === "") return
    // One screen shows both, and has one cursor.
    if (onScreen) inLine.clear()
    if (text.endsWith("\n")) inLine.delete(on)
    else inLine.add(on)
    if (terminal[on] && text.includes(escape)) coloured.add(on)
    yield* put(text, on)
  })
  /** Ends the colours of the output, which would hold for a line of ours too. */
  const plainAgain = Effect.suspend(() => {
    const all = [...coloured]
    coloured.clear()
    return Effect.forEach(all, (on) => put(`${escape}[0m`, on), { discard: true })
  })
  return {
    terminal,
    write,
    plainAgain,
    /** Ends the last line of the output, so that a line of ours begins one. */
    endLine: Effect.andThen(
      plainAgain,
      // A pipe or a file of standard output has no line of ours.
      Effect.suspend(() =>
        Effect.forEach(
          [...inLine].filter((on) => on === "stderr" || terminal.stdout),
          (on) => write("\n", on),
          { discard: true }
        )
      )
    ),
    /** Makes what a terminal shows of an output. */
    onTerminal: (on: PrintedOn): ShownOutput => {
      const decoder = new TextDecoder()
      const lines = makeTerminalOutput(on === "stdout" ? agent.outputReader("terminal") : asText, colour !== false)
      return { push: (piece) => lines.push(decoder.decode(piece, { stream: true })), end: lines.end }
    }
  }
})

/** Makes what prints the parts of an output, each to its own stream. */
export const makePartPrinter = Effect.gen(function* () {
  const { onTerminal, plainAgain, terminal, write } = yield* makeOutputWriter
  let shown: Partial<Record<Printed["on"], ShownOutput>> = {}
  let last = ""
  const end = Effect.suspend(() => {
    const ended = (["stdout", "stderr"] as const).map((on) => write(shown[on]?.end() ?? "", on))
    shown = {}
    return Effect.all(ended, { discard: true })
  })
  return {
    print: Effect.fnUntraced(function* ({ bytes, launchId, on }: Printed) {
      if (launchId !== last) yield* end
      last = launchId
      yield* write(terminal[on] ? (shown[on] ??= onTerminal(on)).push(bytes) : byteString.of(bytes), on)
    }),
    close: Effect.andThen(end, plainAgain)
  }
})
