import { isBetween } from "@souffleur/eventlog"
import { Schema } from "effect"
import { storableText } from "./bounds/StorableText.ts"

const safeInteger = isBetween(-Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER)

/** The most UTF-16 units of the data of one event. */
export const maxDataLength = 4_000_000

/** The place of an event in the log of its host, from 1. */
const EventPosition = isBetween(1, Number.MAX_SAFE_INTEGER)

/** A row of a host's log as it is there, also where this souffleur does not know the event. */
export const FleetEvent = Schema.Tuple([
  EventPosition,
  storableText(1000),
  safeInteger,
  storableText(1000),
  safeInteger,
  safeInteger,
  storableText(maxDataLength)
])
/** Position, stream, revision, tag, version, time (epoch ms) and data, a JSON object. */
export type FleetEvent = typeof FleetEvent.Type

/** The name of a log: a random UUID, made when its host joins a fleet. */
export const LogName = Schema.String.check(
  Schema.isPattern(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/u)
)

/** A SHA-256, hex. */
export const ChainDigest = Schema.String.check(Schema.isPattern(/^[0-9a-f]{64}$/u))

/** How far a log was copied: its last position, and the chain digest up to it. */
export const LogMark = Schema.Struct({ position: isBetween(0, Number.MAX_SAFE_INTEGER), digest: ChainDigest })
export type LogMark = typeof LogMark.Type
