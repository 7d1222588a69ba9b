import { type Decision, notNow, ok } from "@souffleur/eventlog"
import { Result } from "effect"
import { ButtonsOffered, type Choice, type PhoneEvent, PhoneWordRefused, PhoneWordTaken } from "./PhoneEvent.ts"

type Fields<E> = Omit<E, "_tag" | "at">

/** The words about the buttons of a notice. `of`: the revision that the notice tells of. */
export type PhoneIntent =
  | ({ readonly _tag: "OfferButtons" } & Fields<typeof ButtonsOffered.Type>)
  | ({ readonly _tag: "TakePress"; readonly of: number; readonly until: number } & Fields<typeof PhoneWordTaken.Type>)
  | ({ readonly _tag: "RefusePress" } & Fields<typeof PhoneWordRefused.Type>)

type Command = PhoneIntent & { readonly now: number }
/** A watch or a run, with the revision since which a word about it means the same. */
type Stance = { readonly revision: number; readonly stanceSince: number }

/** Why a press is refused whose notice is out of date. */
export const outOfDate = "what the notice told of has passed"

/**
 * Decides about the buttons of a notice (spec: behaviour#answers-from-a-phone). A press counts while the stance is as
 * its notice told it, and until its end. Its own event changes the stance, so of all buttons of a notice one counts.
 * `say` decides the word as the command of its name, for a speaker who may raise nothing.
 */
export const decidePhone = <Event>(
  { revision, stanceSince }: Stance,
  command: Command,
  say: (choice: Choice) => Decision<Event>
): Decision<Event | PhoneEvent> => {
  const { now: at } = command
  switch (command._tag) {
    case "OfferButtons": {
      const { buttons, channel, of, until } = command
      return of < stanceSince || of > revision
        ? notNow(outOfDate)
        : ok(ButtonsOffered.make({ at, channel, of, until, buttons }))
    }
    case "TakePress": {
      const { channel, digest, message, of, task, until, word } = command
      if (of < stanceSince || of > revision) return notNow(outOfDate)
      if (at > until) return notNow("the hour of the button is over")
      return Result.map(say({ word, task }), (events) => [
        PhoneWordTaken.make({ at, channel, message, digest, word, task }),
        ...events
      ])
    }
    case "RefusePress": {
      const { channel, fault, message, word } = command
      return ok(PhoneWordRefused.make({ at, channel, message, fault, word }))
    }
  }
}
