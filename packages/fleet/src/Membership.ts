import { freshHex, serverUrl } from "@souffleur/domain"
import { FileRefused, readTrusted, replaceDurably } from "@souffleur/process"
import { Effect, FileSystem, Option, Path, Redacted, Schema } from "effect"
import { LogName } from "./FleetEvent.ts"

const Address = Schema.String.check(Schema.makeFilter((text) => serverUrl(text) !== undefined))

/** A token that a hub gave out: 256 random bits, hex. */
export const FleetToken = Schema.String.check(Schema.isPattern(/^[0-9a-f]{64}$/u))

const hub = {
  version: Schema.Literal(1),
  /** An https URL, or http on this machine alone. */
  url: Address,
  token: Schema.RedactedFromValue(FleetToken)
}

/** The fleet of a state folder: its hub, the token of this host, and the name of the log there. */
export const Membership = Schema.Struct({
  ...hub,
  log: LogName,
  /** This host takes no words of the operators of the fleet. Absent: its person never heard of words. */
  readOnly: Schema.Boolean.pipe(Schema.withDecodingDefaultKey(Effect.succeed(true)))
})
export type Membership = typeof Membership.Type

/** The hub that a person uses from this state folder, and the token of that person. */
export const Login = Schema.Struct(hub)
export type Login = typeof Login.Type

/** Keeps a value with a token in a file of the state folder (0600). `problem`: said of a file of another kind. */
const keptIn = <A extends object, I>(file: string, schema: Schema.Codec<A, I>, problem: string) => {
  const json = Schema.fromJsonString(schema)
  const decode = Schema.decodeUnknownOption(json)
  const encode = Schema.encodeSync(json)
  const fileOf = (stateDir: string) => Effect.map(Path.Path, (path) => path.join(stateDir, file))
  return {
    read: Effect.fnUntraced(function* (stateDir: string) {
      const path = yield* fileOf(stateDir)
      const bytes = yield* readTrusted(path, { own: true, others: "nothing", atMost: 4096 }).pipe(
        Effect.map(Option.some),
        Effect.catchTag("FileRefused", (refused) =>
          refused.missing ? Effect.succeed(Option.none<Uint8Array>()) : Effect.fail(refused)
        )
      )
      if (Option.isNone(bytes)) return Option.none<A>()
      const known = decode(new TextDecoder().decode(bytes.value))
      if (Option.isSome(known)) return known
      return yield* new FileRefused({ path, missing: false, problem })
    }),
    keep: Effect.fnUntraced(function* (stateDir: string, value: A) {
      yield* replaceDurably(yield* fileOf(stateDir), `${encode(value)}\n`)
    }),
    forget: Effect.fnUntraced(function* (stateDir: string) {
      const fs = yield* FileSystem.FileSystem
      yield* fs.remove(yield* fileOf(stateDir), { force: true })
    })
  }
}

/**
 * The membership of a state folder. `read` returns `None` if the folder belongs to no fleet, and fails with
 * `FileRefused` if others could read the file, or it is another user's. `keep` and `forget` fail with `PlatformError`.
 */
export const memberships = keptIn(
  "fleet.json",
  Membership,
  'it names no fleet: "souffleur fleet leave" removes it, and "souffleur fleet join" writes a new one'
)

/** The login of a person in a state folder, as {@link memberships}. */
export const logins = keptIn(
  "fleet-login.json",
  Login,
  'it names no person of a fleet: "souffleur fleet logout" removes it, and "souffleur fleet login" writes a new one'
)

/** Makes a token: 256 random bits, hex. */
export const freshToken = Effect.map(freshHex(32), (hex) => Redacted.make(hex))
