import type { Restoration } from "@souffleur/supervisor"
import { Effect, Option, Schema } from "effect"
import { restored } from "./GuardianKeeper.ts"

/** A guardian's watch is not taken: it is no longer needed, or it was tried too often. The log says which. */
export class NotRestored extends Schema.TaggedError<NotRestored>()("NotRestored", { message: Schema.String }) {}

/**
 * Reads the word that a guardian appends to its line, such as `died:3`. It is the reason that it saw, and the fence of
 * the owner then. `None`: it is another word.
 */
export const parseRestoration = (word: string): Option.Option<Restoration> => {
  const [, reason, over] = /^(died|silent):(\d{1,15})$/u.exec(word) ?? []
  return reason === undefined
    ? Option.none()
    : Option.some({ reason: reason as Restoration["reason"], over: Number(over) })
}

/** Takes a watch by the word of its guardian. Fails with `NotRestored` where it is not to be taken. */
export const takeRestored = Effect.fn("takeRestored")(function* (
  id: string,
  restoration: Restoration | undefined,
  project: string
) {
  if (restoration !== undefined && !(yield* restored(id, restoration, project)))
    return yield* new NotRestored({ message: `watch ${id} is not taken by its guardian's word: see its log` })
})
