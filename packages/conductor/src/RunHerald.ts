import { type Comms, type MessageKind, Outbox, page, plain, toldUpTo } from "@souffleur/domain"
import { Effect, Option, Stream } from "effect"
import { patiently } from "./Bulletin.ts"
import { initialRun } from "./Run.ts"
import type { RunEvent } from "./RunEvent.ts"
import { evolveRun } from "./RunEvolution.ts"
import { loadRun, RunLog, streamOf } from "./RunLog.ts"
import { type RunNotice, runNoticeOf } from "./RunNotice.ts"

/** Every notice of a run, until its conductor leaves after `from`. */
const notices = Effect.fnUntraced(function* (id: string, from: number) {
  const log = yield* RunLog
  return log.changes(streamOf(id), 0).pipe(
    Stream.mapAccum(
      () => initialRun,
      (run, { event, revision }) => [evolveRun(run, event), [{ event, revision, notice: runNoticeOf(event, run) }]] as const
    ),
    Stream.takeUntil(({ event, revision }) => event._tag === "RunLeft" && revision > from)
  )
})

const kindOf = (notice: RunNotice, event: RunEvent): MessageKind => {
  if (notice.kind === "cleared") return "system"
  if (notice.kind === "usage_limit" || notice.kind === "outage" || notice.kind === "untrusted_config") return "warning"
  if (notice.kind !== "finished") return "error"
  return event._tag === "RunFinished" && event.finishing === "failed" ? "error" : "completion"
}

/**
 * Tells a person of a run as of a watch: by the user's command, and by messages in comms, until its conductor leaves after revision
 * `from`. What the conductor before could not tell any more is told first. Neither waits for the other.
 */
export const runHerald = Effect.fn("RunHerald")(function* (
  id: string,
  from: number,
  {
    command,
    comms,
    project
  }: { readonly project: string; readonly comms: Option.Option<Comms["Service"]>; readonly command: string | null }
) {
  const [outbox, stream] = [yield* Outbox, streamOf(id)]
  const newest = Effect.map(loadRun(id), ({ revision }) => revision)
  const mark = `${stream}/notified`
  yield* toldUpTo(mark, newest)
  const all = yield* notices(id, from)
  const pages =
    command === null
      ? Effect.void
      : Stream.runForEach(all, ({ event, notice, revision }) =>
          notice === undefined ? Effect.void : page({ command, mark, subject: { run: id, project }, revision, at: event.at, notice })
        )
  const messages = Effect.fnUntraced(function* (link: Comms["Service"]) {
    const told = yield* toldUpTo(stream, newest)
    yield* Stream.runForEach(all, ({ event, notice, revision }) =>
      notice === undefined || revision <= told
        ? Effect.void
        : patiently(
            link.post({ key: `${stream}#${revision}`, kind: kindOf(notice, event), text: plain(`Run ${id}: ${notice.text}`), at: event.at })
          ).pipe(Effect.andThen(outbox.tell(stream, revision)))
    )
  })
  yield* Effect.all([pages, Option.match(comms, { onNone: () => Effect.void, onSome: messages })], { concurrency: 2, discard: true })
})
