import type { MessageKind } from "../port/Comms.ts"
import { capital, sentence } from "./Words.ts"

/** How much an event matters to a person. A `detail` is a part of souffleur's routine, and no news. */
export type Severity = "detail" | "info" | "success" | "warning" | "error"

/**
 * The meaning of an event for a person (spec: behaviour#notices). Log, messages, notices and reasons take their words
 * from it and add their form.
 */
export interface Description<Notice extends string> {
  /**
   * One or two sentences, the subject first. Words of others in it may hold characters that a terminal obeys. It holds
   * no conversation, prompt or key.
   */
  readonly text: string
  /** The same after a mark of time: it begins with a small letter, and has no full stop. */
  readonly clause: string
  /** The text without the words of an agent or a person, which a server of others does not get. */
  readonly own: string
  /** The words of an agent or a person in `text`; `null`: there are none. */
  readonly words: string | null
  readonly severity: Severity
  /** The type of its message in comms. `undefined`: comms is not told. */
  readonly message: MessageKind | undefined
  /** The kind of the notice. `undefined`: there is none. */
  readonly notice: Notice | undefined
}

/** The kinds of notices about events of a watch. */
export type WatchNoticeKind =
  | "completed"
  | "unconfirmed"
  | "died"
  | "recovered"
  | "failed_closed"
  | "exhausted"
  | "waiting_for_a_person"
  | "idle"
  | "usage_limit"
  | "outage"
  | "ceiling"
  | "limit_near"
  | "limit_reached"
  | "untrusted_config"
  | "silent_task"
  | "warning"
  | "cleared"

/** A description for each event of a union, as its reader reads it. */
export type Describers<Event extends { readonly _tag: string }, Notice extends string, Reader> = {
  readonly [Tag in Event["_tag"]]: (
    event: Extract<Event, { readonly _tag: Tag }>,
    reader: Reader
  ) => Description<Notice>
}

/** Describes an event by the describer of its tag. */
export const describedBy =
  <Event extends { readonly _tag: string }, Notice extends string, Reader>(
    describers: Describers<Event, Notice, Reader>
  ) =>
  (event: Event, reader: Reader): Description<Notice> =>
    (
      describers as Describers<Event, Notice, Reader> &
        Readonly<Record<string, (event: Event, reader: Reader) => Description<Notice>>>
    )[event._tag]!(event, reader)

/** The forms of a description, and the words of an agent or a person that end its text. */
interface Forms<Notice extends string> {
  readonly message?: MessageKind
  readonly notice?: Notice
  readonly words?: string | undefined
}

/** Makes a description of a clause, whose first letter is small. Words of others follow after a colon. */
export const described = <Notice extends string = never>(
  severity: Severity,
  clause: string,
  { message, notice, words }: Forms<Notice> = {}
): Description<Notice> => {
  // The product is written small, also where a sentence begins.
  const own = clause.startsWith("souffleur") ? clause : capital(clause)
  const after = words === undefined ? "" : `: ${words}`
  return {
    text: sentence(own + after),
    clause: clause + after,
    own: sentence(own),
    words: words ?? null,
    severity,
    message,
    notice
  }
}
