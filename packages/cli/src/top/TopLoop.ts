import type { Job, Souffleur } from "@souffleur/embed"
import { followJobs, type JobNews } from "@souffleur/embed/internal"
import { Clock, Effect, Option, Queue, Stream, SubscriptionRef, Terminal } from "effect"
import { chosenJob, initialTop, jobKey, type JobSight, paneJob, keptChosen, type Top } from "./Top.ts"
import { type Looked, topFrame } from "./TopFrame.ts"
import { pressed } from "./TopKey.ts"
import type { TopLine } from "./TopLine.ts"
import { paneLines } from "./TopPane.ts"
import { makeTopScreen } from "./TopScreen.ts"
import { makeTopSights } from "./TopSight.ts"
import { jobText, whyText } from "./TopText.ts"
import { topWords } from "./TopWord.ts"

/** The last ended jobs that the list has. */
const maxEnded = 100

/** How a look ends: by the person, by Ctrl-C, or with the job that the person goes to. */
export type TopEnd = { readonly wish: "quit" | "interrupt" } | { readonly wish: "attach"; readonly id: string }

type Message =
  | { readonly _tag: "News"; readonly news: JobNews }
  | { readonly _tag: "Sights"; readonly sights: ReadonlyMap<string, JobSight> }
  | { readonly _tag: "Output"; readonly of: string; readonly lines: ReadonlyArray<string> }
  | { readonly _tag: "Answer"; readonly answer: TopLine }
  | { readonly _tag: "Key"; readonly input: Terminal.UserInput }
  /** The terminal has another size, or another program had it. */
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

/** Returns the key of the job whose output is shown; `null`: none is. */
const paneKey = (top: Top): string | null => {
  const job = paneJob(top)
  return job === undefined ? null : jobKey(job)
}

/**
 * Shows watches and runs on the whole terminal until a key ends it, and returns that end. It reads the log where that
 * has moved. Fails with `LogUnusable` where the log cannot be read.
 */
export const topLoop = Effect.fn("topLoop")(function* ({
  colours,
  zone
}: Pick<Looked, "zone"> & { readonly colours: boolean }) {
  const terminal = yield* Terminal.Terminal
  const draw = yield* makeTopScreen(colours)
  const look = yield* makeTopSights
  const answers = yield* Queue.unbounded<TopLine>()
  /** The job whose output is read. */
  const paned = yield* SubscriptionRef.make<Job | null>(null)
  const looked = Effect.map(Clock.currentTimeMillis, (now): Looked => ({ now, zone }))
  const show = (top: Top, seen: Looked, again = false) => draw((size) => topFrame(top, { ...size, ...seen }), again)
  /** Does what a key wishes. A wish that ends the look is handed on. */
  const keyed = Effect.fnUntraced(function* (before: Top, input: Terminal.UserInput, seen: Looked) {
    const { top, wish } = pressed(before, input)
    if (wish === undefined) return { top }
    if (wish === "read") return { top: yield* read(top, seen) }
    if (wish === "quit" || wish === "interrupt") return { top, end: { wish } satisfies TopEnd }
    if (wish === "attach") {
      const job = chosenJob(top)
      return { top, ...(job !== undefined && { end: { wish, id: job.id } satisfies TopEnd }) }
    }
    // A stop may last a minute, and keys are read meanwhile.
    yield* topWords[wish.word].say(wish.id).pipe(
      Effect.flatMap((answer) => Queue.offer(answers, answer)),
      Effect.forkScoped
    )
    return { top: { ...top, notice: { text: `${wish.word} ${wish.id}…` } } }
  })
  const after = Effect.fnUntraced(function* (top: Top, message: Message, seen: Looked) {
    switch (message._tag) {
      case "News": {
        const next = keptChosen({ ...top, news: message.news })
        return { top: message.news.moved ? yield* read(next, seen) : next }
      }
      case "Sights":
        return { top: { ...top, sights: message.sights } }
      case "Output":
        return { top: message.of === paneKey(top) ? { ...top, output: message.lines } : top }
      case "Answer":
        return { top: { ...top, notice: message.answer } }
      case "Key":
        return yield* keyed(top, message.input, seen)
      case "Resized":
        return { top }
      case "Gone":
        return { top, end: { wish: "quit" } satisfies TopEnd }
    }
  })
  const step = Effect.fnUntraced(function* (before: Top, message: Message) {
    const seen = yield* looked
    const found: { readonly top: Top; readonly end?: TopEnd } = yield* after(before, message, seen)
    const key = paneKey(found.top)
    const isOther = key !== paneKey(before)
    const top = isOther ? { ...found.top, output: [] } : found.top
    if (isOther) yield* SubscriptionRef.set(paned, paneJob(top) ?? null)
    yield* show(top, seen, message._tag === "Resized")
    return [top, found.end === undefined ? [] : [found.end]] as const
  })
  const news = followJobs(maxEnded).pipe(
    Stream.flatMap((news) =>
      Stream.concat(
        Stream.succeed<Message>({ _tag: "News", news }),
        Stream.fromEffect(Effect.map(look(news), (sights): Message => ({ _tag: "Sights", sights })))
      )
    )
  )
  const output = SubscriptionRef.changes(paned).pipe(
    Stream.switchMap((job) =>
      Stream.map(job === null ? Stream.empty : paneLines(job), (lines): Message => ({
        _tag: "Output",
        of: job === null ? "" : jobKey(job),
        lines
      }))
    )
  )
  type Needs = Stream.Services<typeof news> | Stream.Services<typeof output>
  const sources: ReadonlyArray<Stream.Stream<Message, Stream.Error<typeof news>, Needs>> = [
    news,
    output,
    Stream.map(Stream.fromQueue(answers), (answer): Message => ({ _tag: "Answer", answer })),
    Stream.fromQueue(yield* terminal.readInput).pipe(
      Stream.map((input): Message => ({ _tag: "Key", input })),
      Stream.concat(Stream.succeed<Message>({ _tag: "Gone" }))
    ),
    Stream.map(Stream.fromQueue(yield* terminal.size), (): Message => ({ _tag: "Resized" }))
  ]
  const messages = Stream.mergeAll(sources, { concurrency: "unbounded" })
  yield* show(initialTop, yield* looked)
  const ends = Stream.mapAccumEffect(messages, () => initialTop, step)
  return Option.getOrElse(yield* Stream.runHead(ends), (): TopEnd => ({ wish: "quit" }))
}, Effect.scoped)
