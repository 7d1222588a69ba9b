import { type FleetEvent, LogMark } from "@souffleur/fleet"
import { Schema } from "effect"

/** A host of that name is enrolled already. */
export class AlreadyEnrolled extends Schema.TaggedError<AlreadyEnrolled>()("AlreadyEnrolled", {
  name: Schema.String
}) {
  override get message(): string {
    return `a host ${this.name} is enrolled already: "souffleur hub revoke ${this.name}" first, or choose another name`
  }
}

/** The place of an event among all logs of the hub, from which a reader of all logs continues. */
export interface Arrival {
  /** Grows where the database was restored into another server. Its places are others then. */
  readonly epoch: number
  readonly xid: string
  readonly seq: string
}

/** An event with its log and its place among all logs. */
export interface ArrivedEvent extends Arrival {
  readonly log: string
  readonly event: FleetEvent
}

/** A log as the hub has it. `lastSeen`: ms ago, by the hub's own clock. `skew`: the host's clock against it, ms. */
export interface LogStanding {
  readonly enrolledHost: string
  readonly revoked: boolean
  readonly log: string
  readonly host: string
  readonly machine: string | null
  readonly mark: LogMark
  readonly lastSeenAgo: number
  readonly skew: number
  readonly forked: boolean
  /** The host said goodbye with its last word. */
  readonly away: boolean
  /** The host takes words of operators. */
  readonly takesWords: boolean
  /** The host has shipped what it may in this day. */
  readonly full: boolean
}

/** Where a reader of all logs begins. */
export const firstArrival: Arrival = { epoch: 0, xid: "0", seq: "0" }

/** A row of the table of logs. */
export interface LogRow {
  readonly enrolled_host: string
  readonly machine: string | null
  readonly position: unknown
  readonly digest: string
  readonly forked: boolean
  readonly ago: unknown
}
/** Returns the milliseconds since the host of a log spoke. */
export const agoOf = ({ ago }: Pick<LogRow, "ago">) => Math.max(0, Number(ago))

/** Returns the mark of a log. */
export const copiedMark = ({ digest, position }: Pick<LogRow, "digest" | "position">): LogMark =>
  LogMark.make({ position: Number(position), digest })

/** A row of an event. Postgres gives its large numbers as texts. */
export type EventRow = Readonly<Record<"xid" | "seq" | "log" | "stream" | "tag" | "data", string>> &
  Readonly<Record<"epoch" | "position" | "revision" | "version" | "at", unknown>>
/** Returns the event of a row, as its host has it. */
export const eventOf = ({ at, data, position, revision, stream, tag, version }: EventRow): FleetEvent => [
  Number(position),
  stream,
  Number(revision),
  tag,
  Number(version),
  Number(at),
  data
]
