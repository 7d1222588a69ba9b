import { Effect } from "effect"
import { Cursor } from "@souffleur/eventlog"
import { plain } from "@souffleur/domain"
import { iso } from "@souffleur/domain"
import { runProgram } from "./UserProgram.ts"

/** What a person is told of, once an episode (spec: behaviour#notices). Never a word of the conversation. */
export interface Notice<Kind extends string> {
  readonly kind: Kind
  readonly text: string
}

/** UTF-16 units of a notice: what reads it may be a telephone. */
const mostOfText = 2000

/** What the user's command is told; `subject` names the stream to it. */
export interface Call {
  readonly command: string
  readonly subject: Readonly<Record<string, string>>
  /** Of the event that is told; 0 where none could be written. */
  readonly revision: number
  /** Epoch milliseconds. */
  readonly at: number
  readonly notice: Notice<string>
}

/** Of which event of which stream a notice is. */
export interface Page extends Call {
  /** The cursor mark of who was told. */
  readonly mark: string
}

/** Runs the user's command with a JSON object on its standard input, its text plain. */
export const call = Effect.fn("Pager.call")(function* ({ at, command, notice, revision, subject }: Call) {
  const stdin = `${JSON.stringify({ ...subject, revision, at: iso(at), ...notice, text: plain(notice.text, mostOfText) })}\n`
  yield* runProgram({ command, args: [], stdin, within: "30 seconds", atMost: 65_536 }).pipe(
    Effect.catchTag("ProgramFailed", ({ message }) => Effect.logWarning(`the notify command: ${message}`))
  )
})

/**
 * Calls a person at most once for each revision, also across restarts. A command
 * that fails is told on the log of the program and not run again: a watchdog does not wait for a pager.
 */
export const page = Effect.fn("Pager.page")(function* ({ mark, ...said }: Page) {
  const marks = yield* Cursor
  if (said.revision <= (yield* marks.position(mark))) return
  // Another process may have run it since: one that was stopped meanwhile, or that is taken for dead.
  if (!(yield* marks.advance(mark, said.revision))) return
  yield* call(said)
})
