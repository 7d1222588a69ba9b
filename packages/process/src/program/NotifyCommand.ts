import { Effect } from "effect"
import { Cursor } from "@souffleur/eventlog"
import { plain } from "@souffleur/domain"
import { iso } from "@souffleur/domain"
import { runProgram } from "./UserProgram.ts"

/** A notice for a person, one for each episode (spec: behaviour#notices). It has no word of the conversation. */
export interface Notice<Kind extends string> {
  readonly kind: Kind
  readonly text: string
}

/** Most UTF-16 units of a notice, as its reader may be a telephone. */
const maxTextUnits = 2000

/** One runNotifyCommand of the user's command. `subject` names the stream to it. */
export interface NotifyCall {
  readonly command: string
  readonly subject: Readonly<Record<string, string>>
  /** The revision of the event; 0 when no event could be written. */
  readonly revision: number
  /** Epoch milliseconds. */
  readonly at: number
  readonly notice: Notice<string>
}

/** A runNotifyCommand that is made once for each revision. */
export interface NotifyOnce extends NotifyCall {
  /** The name of the cursor mark that counts the told revisions. */
  readonly mark: string
}

/**
 * Runs the user's command with one JSON object on its standard input, its text plain. A failure is logged as a warning.
 */
export const runNotifyCommand = Effect.fn("runNotifyCommand")(function* ({
  at,
  command,
  notice,
  revision,
  subject
}: NotifyCall) {
  const stdin = `${JSON.stringify({ ...subject, revision, at: iso(at), ...notice, text: plain(notice.text, maxTextUnits) })}\n`
  yield* runProgram({ command, args: [], stdin, within: "30 seconds", atMost: 65_536 }).pipe(
    Effect.catchTag("ProgramFailed", ({ message }) => Effect.logWarning(`the notify command: ${message}`))
  )
})

/**
 * Runs the user's command at most once for each revision, also across restarts. A command that fails is logged and not
 * run again: a watchdog does not wait for a pager.
 */
export const notifyOnce = Effect.fn("notifyOnce")(function* ({ mark, ...said }: NotifyOnce) {
  const marks = yield* Cursor
  if (said.revision <= (yield* marks.position(mark))) return
  // Another process may have run the command since. Such a process was suspended, or is taken for dead.
  if (!(yield* marks.advance(mark, said.revision))) return
  yield* runNotifyCommand(said)
})
