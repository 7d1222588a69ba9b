import type { Choice, Labels, StateWord } from "@souffleur/domain"
import { Context, type Effect, type Redacted, Schema } from "effect"

/** A notice for a person, one for each episode (spec: behaviour#notices). */
export interface Notice<Kind extends string = string> {
  readonly kind: Kind
  /** The state that follows. */
  readonly state: StateWord
  /** The event in souffleur's own words. */
  readonly text: string
  /** The words of an agent about it; `null`: there are none. */
  readonly words: string | null
  /** The command to type next. */
  readonly next: string
}

/** A notice with its origin. */
export interface NoticeMessage {
  /** Names the stream: `watch` or `run`, and its project's folder. */
  readonly subject: Readonly<Record<string, string>> & { readonly project: string }
  /** What its caller calls the job, and finds it by. Absent: it is no job, or was given neither. */
  readonly job?: { readonly title: string | null; readonly labels: Labels }
  /** The revision of the event; 0 when no event could be written. */
  readonly revision: number
  /** Epoch milliseconds. */
  readonly at: number
  readonly notice: Notice
  /** What a person may answer by a press, the safest first. Absent: nothing. */
  readonly buttons?: ReadonlyArray<NoticeButton>
}

/** A choice of a notice, with the secret that makes a press of it count. */
export interface NoticeButton extends Choice {
  readonly secret: Redacted.Redacted
}

/** A message that came over a channel, and may be a press. */
export interface HeardMessage {
  readonly id: string
  /** `null`: it is longer than any press. */
  readonly text: string | null
}

/** Hears for a while what came over a channel about a watch or a run, after a message. `null`: from the first on. */
export type Hear = (
  subject: NoticeMessage["subject"],
  since: string | null
) => Effect.Effect<ReadonlyArray<HeardMessage>, NoticeLost>

const pressing: ReadonlySet<string> = new Set([
  "failed_closed",
  "exhausted",
  "waiting_for_a_person",
  "escalated",
  "paused"
])

/** Returns whether the work stops until a person acts. Such a notice passes the quiet hours. */
export const isPressing = ({ kind }: Notice): boolean => pressing.has(kind)

/** A channel did not take a notice, and gets it no more. `message` has no secret and no word of the server. */
export class NoticeLost extends Schema.TaggedError<NoticeLost>()("NoticeLost", {
  tries: Schema.Int,
  message: Schema.String
}) {}

/** One place for notices. */
export interface NoticeChannel {
  /** Names it for a person, without a secret. */
  readonly name: string
  /** True if it gets words of the agent. */
  readonly words: boolean
  /** Sends a notice, in bounded time. `once`: without another try. Fails with `NoticeLost`. */
  readonly send: (message: NoticeMessage, once?: boolean) => Effect.Effect<void, NoticeLost>
  /** Hears the presses of its buttons. Absent: its notices have none. */
  readonly hear?: Hear
}

/** The channels of a watch or a run. By default there are none. */
export const NoticeChannels = Context.Reference<ReadonlyArray<NoticeChannel>>("@souffleur/process/NoticeChannels", {
  defaultValue: () => []
})
