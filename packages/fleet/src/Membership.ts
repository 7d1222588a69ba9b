import { serverUrl } from "@souffleur/domain"
import { FileRefused, readTrusted, replaceDurably } from "@souffleur/process"
import { Effect, FileSystem, Option, Path, Redacted, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { LogName } from "./FleetEvent.ts"

/** The name of the file with the membership, in the state folder. */
const file = "fleet.json"

const Address = Schema.String.check(Schema.makeFilter((text) => serverUrl(text) !== undefined))

/** A token that a hub gave out: 256 random bits, hex. */
export const FleetToken = Schema.String.check(Schema.isPattern(/^[0-9a-f]{64}$/u))

/** The fleet of a state folder: its hub, the token for it, and the name of the log there. */
export const Membership = Schema.Struct({
  version: Schema.Literal(1),
  /** An https URL, or http on this machine alone. */
  url: Address,
  log: LogName,
  token: Schema.RedactedFromValue(FleetToken)
})
export type Membership = typeof Membership.Type

const MembershipJson = Schema.fromJsonString(Membership)
const decode = Schema.decodeUnknownOption(MembershipJson)
const encode = Schema.encodeSync(MembershipJson)

const fileOf = (stateDir: string) => Effect.map(Path.Path, (path) => path.join(stateDir, file))

/**
 * Reads the membership of a state folder. `None`: it belongs to no fleet. Fails with `FileRefused` where others could
 * read the file, or it is none of ours.
 */
export const membershipOf = Effect.fn("membershipOf")(function* (stateDir: string) {
  const path = yield* fileOf(stateDir)
  const bytes = yield* readTrusted(path, { own: true, others: "nothing", atMost: 4096 }).pipe(
    Effect.map(Option.some),
    Effect.catchTag("FileRefused", (refused) =>
      refused.missing ? Effect.succeed(Option.none<Uint8Array>()) : Effect.fail(refused)
    )
  )
  if (Option.isNone(bytes)) return Option.none<Membership>()
  const known = decode(new TextDecoder().decode(bytes.value))
  if (Option.isSome(known)) return known
  return yield* new FileRefused({
    path,
    missing: false,
    problem: 'it names no fleet: "souffleur fleet leave" removes it, and "souffleur fleet join" writes a new one'
  })
})

/** Keeps the membership of a state folder (0600). Fails with `PlatformError`. */
export const keepMembership = Effect.fn("keepMembership")(function* (stateDir: string, membership: Membership) {
  yield* replaceDurably(yield* fileOf(stateDir), `${encode(membership)}\n`)
})

/** Forgets the fleet of a state folder. Fails with `PlatformError`. */
export const forgetMembership = Effect.fn("forgetMembership")(function* (stateDir: string) {
  const fs = yield* FileSystem.FileSystem
  yield* fs.remove(yield* fileOf(stateDir), { force: true })
})

/** Makes a name for a log: a random UUID. */
export const freshLogName = SecureRandom.SecureRandom.use((random) => random.uuidV4()).pipe(
  Effect.provide(SecureRandom.layerWebCrypto)
)

/** Makes a token: 256 random bits, hex. */
export const freshToken = SecureRandom.SecureRandom.use((random) => random.randomBytes(32)).pipe(
  Effect.map((bytes) => Redacted.make(Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join(""))),
  Effect.provide(SecureRandom.layerWebCrypto)
)
