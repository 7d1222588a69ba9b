import { event } from "@souffleur/eventlog"
import { Schema } from "effect"
import { Pin, PinnedKey } from "../settings/Pin.ts"

/**
 * The config file asks for more than is pinned: a higher ceiling, another program, or another part of our environment
 * for agents. None of it counts until a person says so.
 */
export const ConfigOverreached = event("ConfigOverreached", {
  /** What it says, programs as digests. */
  said: Pin,
  keys: Schema.Array(PinnedKey)
})
/** It no longer does. */
export const ConfigWithdrawn = event("ConfigWithdrawn", {})
/** A person's word: this is the ceiling, and these are the programs, from now on. */
export const TrustGiven = event("TrustGiven", {
  pin: Pin,
  /** `souffleur retry --ceiling`, or `souffleur config --trust`. */
  by: Schema.Literals(["retry", "config"])
})
export type PinEvent = typeof ConfigOverreached.Type | typeof ConfigWithdrawn.Type | typeof TrustGiven.Type

/** What a file asks for beyond what holds, and how a person accepts it. */
export const overreachInWords = ({ keys, said }: Pick<typeof ConfigOverreached.Type, "keys" | "said">): string =>
  `the config file asks for ${keys
    .map((key) => (key === "MAX_EXTERNAL_PERMISSION" ? said.ceiling : `another ${key}`))
    .join(" and ")}: that does not count until a person accepts it with "souffleur config --trust"`
