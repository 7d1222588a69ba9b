import { Launcher, type PrintedOn, type WatchEvent } from "@souffleur/domain"
import { FakeWorld } from "@souffleur/testing"
import { Console, Effect, FileSystem, Layer, Sink, Stdio } from "effect"
import { printing } from "../src/Printing.ts"
import { Environment } from "../src/world/CommandEnvironment.ts"

/** A screen that keeps what is printed, and real files of the launches. */
export interface ScreenOptions {
  readonly terminal: boolean
  readonly columns?: number
  /** souffleur runs in tmux, where each launch has a window. */
  readonly windowed?: boolean
  /** The terminal shows colours; `false` by default. */
  readonly colour?: boolean
}

/**
 * Makes a screen and a folder of outputs. `said` has the text of standard output, and each line of standard error after
 * `! `, in their order. What an agent printed on standard error comes after `2> `.
 */
export const screenStage = Effect.fnUntraced(function* ({
  colour = false,
  columns,
  terminal,
  windowed = false
}: ScreenOptions) {
  const fs = yield* FileSystem.FileSystem
  const folder = yield* fs.makeTempDirectoryScoped()
  const world = new FakeWorld()
  let said = ""
  const decoder = new TextDecoder()
  const err = (line: string) => void (said += `! ${line}\n`)
  const keep = (begin: string) => () =>
    Sink.forEach((chunk: string | Uint8Array) =>
      Effect.sync(() => void (said += begin + (typeof chunk === "string" ? chunk : decoder.decode(chunk))))
    )
  const stdio = Stdio.layerTest({
    stdout: keep(""),
    stderr: keep("2> "),
    stdoutIsTerminal: Effect.succeed(terminal),
    stderrIsTerminal: Effect.succeed(terminal)
  })
  const outputPath = (id: string, on: PrintedOn = "stdout") => `${folder}/${id}.${on}`
  const layer = Layer.mergeAll(
    stdio,
    Layer.mock(Launcher, {
      terminals: [windowed ? "tmux" : "headless"],
      outputPath,
      inWindow: () => Effect.succeed(windowed)
    }),
    Layer.succeed(Environment, {
      variables: {},
      cwd: folder,
      platform: "linux",
      colour: colour ? "<our mark>" : false,
      columns,
      interactive: false,
      self: [process.execPath],
      published: undefined
    }),
    Layer.succeed(Console.Console, printing(false, { log: (line: string) => void (said += `${line}\n`), error: err })),
    world.agent.layer
  )
  return {
    layer,
    world,
    said: () => said,
    /** Makes an output of a launch begin with a hole of so many bytes. */
    holes: (id: string, bytes: number) =>
      Effect.andThen(fs.writeFileString(outputPath(id), ""), fs.truncate(outputPath(id), bytes)),
    /** Adds to the output of a launch. */
    prints: (id: string, text: string, on?: PrintedOn) => fs.writeFileString(outputPath(id, on), text, { flag: "a" })
  }
})

/** Numbers events as a log does. */
export const recordedOf = (events: ReadonlyArray<WatchEvent>, from = 1) =>
  events.map((event, n) => ({ position: from + n, stream: "opera-1507", revision: from + n, event }))
