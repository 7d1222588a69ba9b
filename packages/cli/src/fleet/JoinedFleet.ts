import { serverUrl, Settings } from "@souffleur/domain"
import { FleetDesk, FleetToken, logins, memberships } from "@souffleur/fleet"
import { Console, Effect, Layer, Option, Redacted, Schema } from "effect"
import { BadUsage } from "../Failure.ts"
import { firstLine } from "../world/FirstLine.ts"

/** The fleet of this state folder. Fails with `BadUsage` where it belongs to none. */
export const joinedFleet = Effect.gen(function* () {
  const { stateDir } = yield* Settings
  const found = yield* memberships.read(stateDir)
  if (Option.isSome(found)) return found.value
  return yield* new BadUsage({ message: 'this host belongs to no fleet: "souffleur fleet join URL" adds it to one' })
})

/** The hub, as the person of this state folder speaks to it. Fails with `BadUsage` where none has logged in. */
export const layerDesk = Layer.unwrap(
  Effect.gen(function* () {
    const { stateDir } = yield* Settings
    const found = yield* logins.read(stateDir)
    if (Option.isSome(found)) return FleetDesk.layerHttp(found.value)
    return yield* new BadUsage({
      message:
        'no person of a fleet has logged in here: "souffleur fleet login URL" takes the token that "souffleur hub person add" printed'
    })
  })
)

/** Returns the URL of a hub without slashes at its end. Fails with `BadUsage` where no token may go there. */
export const hubUrl = (url: string) =>
  serverUrl(url) === undefined
    ? Effect.fail(
        new BadUsage({ message: "a hub has an https URL, or http on this machine alone, without a password" })
      )
    : Effect.succeed(url.replace(/\/+$/u, ""))

/** Asks for a token on standard input. `whose` says of whom. Fails with `BadUsage` where none comes. */
export const askedToken = Effect.fnUntraced(function* (whose: string) {
  yield* Console.error(`${whose}, on one line:`)
  const token = Schema.decodeUnknownOption(FleetToken)(yield* firstLine)
  if (Option.isSome(token)) return Redacted.make(token.value)
  return yield* new BadUsage({
    message: "standard input has no token: it is 64 digits and letters a to f, on one line"
  })
})
