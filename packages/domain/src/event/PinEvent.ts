import { event } from "@souffleur/eventlog"
import { Schema } from "effect"
import { Pin, PinnedKey } from "../settings/Pin.ts"

/**
 * The config file asks for more than the pin. It wants a higher ceiling, also of use, another program, another
 * time, or another part of souffleur's environment for agents. None of it counts until a person allows it.
 */
export const ConfigOverreached = event("ConfigOverreached", {
  /** The words of the file, programs as digests. */
  said: Pin,
  keys: Schema.Array(PinnedKey)
})
/** The config file no longer asks for more than the pin. */
export const ConfigWithdrawn = event("ConfigWithdrawn", {})
/** A person sets the ceiling and the programs that hold from now on. */
export const TrustGiven = event("TrustGiven", {
  pin: Pin,
  /** `souffleur retry --ceiling`, or `souffleur config --trust`. */
  by: Schema.Literals(["retry", "config"])
})
/** The events about a pin, which a watch and a run have alike. */
export type PinEvent = typeof ConfigOverreached.Type | typeof ConfigWithdrawn.Type | typeof TrustGiven.Type

/** Says what a file asks for beyond the pin, and how a person accepts it. */
export const overreachInWords = ({ keys, said }: Pick<typeof ConfigOverreached.Type, "keys" | "said">): string =>
  `the config file asks for ${keys
    .map((key) => {
      if (key === "MAX_EXTERNAL_PERMISSION") return said.ceiling
      return key in said.limits ? `a higher ${key}` : `another ${key}`
    })
    .join(" and ")}: that does not count until a person accepts it with "souffleur config --trust"`
