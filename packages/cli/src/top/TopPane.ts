import { bare, Launcher, type ResolvedSettings, Settings } from "@souffleur/domain"
import { type Job, type NamedWatch, Souffleur } from "@souffleur/embed"
import { findPlan, findWatch, layerAsLaunched } from "@souffleur/embed/internal"
import { Console, Effect, FileSystem, Queue, Schedule, Sink, Stdio, Stream } from "effect"
import { followAgents } from "../commands/FollowRun.ts"
import { printing } from "../Printing.ts"
import { follow } from "../watching/FollowOutput.ts"
import { Environment } from "../world/CommandEnvironment.ts"

/** UTF-16 units of an output that are kept, and its lines. */
const [maxText, maxLines] = [65_536, 200] as const

/** How often a session is read whose agent prints nowhere else. */
const wordsEvery = "5 seconds"

/** Pieces of an output that are drawn together at most, and the time in which they are. */
const [maxTogether, together] = [100, "200 millis"] as const

const linesOf = (text: string): ReadonlyArray<string> =>
  text
    .replaceAll("\t", "  ")
    .split("\n")
    .filter((line) => line.trim() !== "")
    .slice(-maxLines)

/** Does what prints to a terminal, and hands on each piece instead. No piece is a word to a terminal. */
const heard = Effect.fnUntraced(function* <A, E, R>(act: Effect.Effect<A, E, R>, queue: Queue.Enqueue<string>) {
  const sink = () =>
    Sink.forEach((piece: string | Uint8Array) =>
      Queue.offer(queue, typeof piece === "string" ? piece : new TextDecoder().decode(piece))
    )
  const told = (line: string) => void Queue.offerUnsafe(queue, `${line}\n`)
  return yield* act.pipe(
    Effect.provideService(Stdio.Stdio, {
      ...(yield* Stdio.Stdio),
      stdout: sink,
      stderr: sink,
      stdoutIsTerminal: Effect.succeed(true),
      stderrIsTerminal: Effect.succeed(true)
    }),
    Effect.provideService(Environment, { ...(yield* Environment), colour: false }),
    Effect.provideService(Console.Console, printing(false, { log: told, error: told }))
  )
})

/** Streams the lines of what an act prints, each time all that are kept, and why it fails. */
const printed = <E extends { readonly message: string }, R>(act: Effect.Effect<void, E, R>) =>
  Stream.callback<string, never, Environment | R | Stdio.Stdio>((queue) =>
    heard(act, queue).pipe(
      Effect.catch(({ message }) => Queue.offer(queue, `${message}\n`)),
      Effect.andThen(Queue.end(queue))
    )
  ).pipe(
    Stream.groupedWithin(maxTogether, together),
    Stream.scan(
      () => "",
      (before, pieces) => (before + pieces.join("")).slice(-maxText)
    ),
    Stream.map(linesOf)
  )

/** Streams the last words of an agent that prints into no file of ours, as its session has them. */
const words = (id: string) =>
  Stream.fromEffectSchedule(
    Souffleur.use(({ lastWords }) => lastWords(id)).pipe(
      Effect.map((text) => linesOf(bare(text))),
      Effect.catch(({ message }) => Effect.succeed([message]))
    ),
    Schedule.spaced(wordsEvery)
  )

const ofRun = (id: string) => printed(Effect.flatMap(findPlan(id), followAgents))

const ofLaunch = (known: NamedWatch, settings: ResolvedSettings) =>
  printed(
    Effect.provide(
      follow(known.id, () => Effect.void),
      layerAsLaunched(settings, known)
    )
  )

type Lines = Stream.Stream<
  ReadonlyArray<string>,
  never,
  Stream.Services<ReturnType<typeof ofLaunch> | ReturnType<typeof ofRun> | ReturnType<typeof words>>
>

const ofWatch = Effect.fnUntraced(
  function* (id: string) {
    const fs = yield* FileSystem.FileSystem
    const { outputPath } = yield* Launcher
    const found = yield* findWatch(id)
    const { launchId } = found.watch
    const isPrinting = launchId !== undefined && (yield* fs.exists(outputPath(launchId)))
    const lines: Lines = isPrinting ? ofLaunch(found, yield* Settings) : words(id)
    return lines
  },
  Effect.catch(({ message }) => Effect.succeed<Lines>(Stream.succeed([message])))
)

/** Streams the last lines that the agent of a job printed, as `attach` follows them, while somebody listens. */
export const paneLines = ({ id, kind }: Job) => (kind === "run" ? (ofRun(id) as Lines) : Stream.unwrap(ofWatch(id)))
