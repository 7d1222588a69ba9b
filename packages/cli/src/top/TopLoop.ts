import { type Job, Souffleur } from "@souffleur/embed"
import { followJobs, type JobNews } from "@souffleur/embed/internal"
import { Clock, Effect, Option, Stream, Terminal } from "effect"
import { initialTop, chosenJob, type Pressed, pressed, type Top } from "./Top.ts"
import { type Looked, topFrame } from "./TopFrame.ts"
import type { TopLine } from "./TopLine.ts"
import { makeTopScreen } from "./TopScreen.ts"
import { jobText, whyText } from "./TopText.ts"

/** The last ended jobs that the list has. */
const maxEnded = 100

/** How a look ends: by the person, by Ctrl-C, or with the watch that the person goes to. */
export type TopEnd = { readonly wish: "quit" | "interrupt" } | { readonly wish: "attach"; readonly id: string }

type Message =
  | { readonly _tag: "News"; readonly news: JobNews }
  | { readonly _tag: "Key"; readonly input: Terminal.UserInput }
  | { readonly _tag: "Resized" }
  /** The terminal is gone. */
  | { readonly _tag: "Gone" }

/** Says why something cannot be shown, in its place. */
const orMessage = <A, E extends { readonly message: string }, R>(
  what: Effect.Effect<A, E, R>,
  instead: (message: string) => A
) => Effect.catch(what, ({ message }) => Effect.succeed(instead(message)))

/** Reads the text of the view. */
const read = Effect.fnUntraced(function* (top: Top, seen: Looked) {
  const job = chosenJob(top)
  if (job === undefined || top.view === "list" || top.view === "help") return top
  const lines: Effect.Effect<ReadonlyArray<TopLine>, { readonly message: string }, Souffleur> = top.view === "job"
    ? jobText(job, seen)
    : whyText(job, seen)
  return { ...top, text: yield* orMessage(lines, (text) => [{ text }]) }
})

/** Says the word to the log, as the command does. */
const retry = Effect.fnUntraced(function* ({ id }: Job, byAgent: boolean) {
  const souffleur = yield* Souffleur
  const said = Effect.as(souffleur.retry(id, { byAgent }), `${id}: it is tried again.`)
  return yield* orMessage(said, (message) => message)
})

/** Does what a key wishes. A wish that ends the look is handed on. */
const doing = Effect.fnUntraced(function* ({ top, wish }: Pressed, seen: Looked, byAgent: boolean) {
  const job = chosenJob(top)
  switch (wish) {
    case "read":
      return { top: yield* read(top, seen) }
    case "retry":
      return { top: job === undefined ? top : { ...top, notice: yield* retry(job, byAgent) } }
    case "attach":
      return { top, ...(job !== undefined && { end: { wish, id: job.id } satisfies TopEnd }) }
    case undefined:
      return { top }
    default:
      return { top, end: { wish } satisfies TopEnd }
  }
})

/**
 * Shows watches and runs on the whole terminal until a key ends it, and returns that end. It reads the log where that
 * has moved. `byAgent`: an agent's session shows them. Fails with `LogUnusable` where the log cannot be read.
 */
export const topLoop = Effect.fn("topLoop")(function* ({
  byAgent,
  colours,
  zone
}: Pick<Looked, "zone"> & { readonly byAgent: boolean; readonly colours: boolean }) {
  const terminal = yield* Terminal.Terminal
  const draw = yield* makeTopScreen(colours)
  const looked = Effect.map(Clock.currentTimeMillis, (now): Looked => ({ now, zone }))
  const show = (top: Top, seen: Looked) => draw((size) => topFrame(top, { ...size, ...seen }))
  const step = Effect.fnUntraced(function* (top: Top, message: Message) {
    const seen = yield* looked
    const after = yield* Effect.gen(function* (): Effect.fn.Return<
      { readonly top: Top; readonly end?: TopEnd },
      never,
      Souffleur
    > {
      if (message._tag === "Gone") return { top, end: { wish: "quit" } }
      if (message._tag === "News") {
        const { news } = message
        const next = { ...top, news }
        return { top: news.moved ? yield* read(next, seen) : next }
      }
      if (message._tag === "Resized") return { top }
      return yield* doing(pressed(top, message.input), seen, byAgent)
    })
    yield* show(after.top, seen)
    return [after.top, after.end === undefined ? [] : [after.end]] as const
  })
  const messages: Stream.Stream<
    Message,
    Stream.Error<ReturnType<typeof followJobs>>,
    Stream.Services<ReturnType<typeof followJobs>>
  > = Stream.mergeAll(
    [
      Stream.map(followJobs(maxEnded), (news): Message => ({ _tag: "News", news })),
      Stream.fromQueue(yield* terminal.readInput).pipe(
        Stream.map((input): Message => ({ _tag: "Key", input })),
        Stream.concat(Stream.succeed<Message>({ _tag: "Gone" }))
      ),
      Stream.map(Stream.fromQueue(yield* terminal.size), (): Message => ({ _tag: "Resized" }))
    ],
    { concurrency: "unbounded" }
  )
  yield* show(initialTop, yield* looked)
  const ends = Stream.mapAccumEffect(messages, () => initialTop, step)
  return Option.getOrElse(yield* Stream.runHead(ends), (): TopEnd => ({ wish: "quit" }))
}, Effect.scoped)
