import { digestOf, mapPrograms, Pin, type Programs } from "@souffleur/domain"
import { readTrusted, replaceDurably } from "@souffleur/process"
import { Effect, FileSystem, Option, Path, type PlatformError, Runtime, Schema } from "effect"

/** A config file asks for more than a person has trusted of it. `message` names it, and what it asks for. */
export class ConfigUntrusted extends Schema.TaggedError<ConfigUntrusted>()("ConfigUntrusted", {
  message: Schema.String
}) {
  override readonly [Runtime.errorExitCode] = 2
}

/** The trust of a person in one config file. The name of the record holds the real path of that file. */
const Trusted = Schema.fromJsonString(Pin)
const decode = Schema.decodeUnknownEffect(Trusted)

/** Bytes that are read back. The text is one line of a config file. */
const largest = 1_000_000

const folderOf = Effect.fnUntraced(function* (stateDir: string, ...below: ReadonlyArray<string>) {
  return (yield* Path.Path).join(stateDir, "trust", ...below)
})
const fileOf = (stateDir: string, config: string) =>
  Effect.flatMap(digestOf(config), (digest) => folderOf(stateDir, `${digest}.json`))
const programFile = (stateDir: string, digest: string) => folderOf(stateDir, `${digest}.program`)

/** Writes a file whole or not at all, for its user alone, because a program's line may hold a key. */
const write = Effect.fnUntraced(function* (stateDir: string, file: string, text: string) {
  const fs = yield* FileSystem.FileSystem
  yield* fs.makeDirectory(yield* folderOf(stateDir), { recursive: true, mode: 0o700 })
  yield* replaceDurably(file, text)
})

const read = (file: string) =>
  Effect.map(readTrusted(file, { own: true, others: "nothing", atMost: largest }), (bytes) =>
    new TextDecoder().decode(bytes)
  )

/**
 * Reads what was trusted of a config file, by its real path. `None`: nothing yet. Fails with `ConfigUntrusted` where a
 * record exists and cannot be used.
 */
export const trustedOf = Effect.fn("trustedOf")(function* (stateDir: string, config: string) {
  const file = yield* fileOf(stateDir, config)
  const unusable = (why: string) =>
    new ConfigUntrusted({
      message: `${file}, what was trusted of ${config}: ${why}`
    })
  return yield* read(file).pipe(
    Effect.flatMap((text) => Effect.asSome(Effect.mapError(decode(text), () => unusable("it is damaged")))),
    Effect.catchTag("FileRefused", ({ missing, problem }) =>
      missing ? Effect.succeed(Option.none<Pin>()) : Effect.fail(unusable(problem))
    )
  )
})

/** Returns the program of a digest. `None`: it was never kept, or its text has changed. */
export const programOf = Effect.fn("programOf")(function* (stateDir: string, digest: string) {
  const text = yield* Effect.option(read(yield* programFile(stateDir, digest)))
  return Option.isSome(text) && (yield* digestOf(text.value)) === digest ? text : Option.none<string>()
})

/** Forgets the trust in a config file that is gone. */
export const forgetTrust = Effect.fn("forgetTrust")(function* (stateDir: string, config: string) {
  const fs = yield* FileSystem.FileSystem
  yield* fs.remove(yield* fileOf(stateDir, config), { force: true })
})

/** The programs of a plan, by its real path, as a person trusts them: their digest. */
const planFile = (stateDir: string, plan: string) =>
  Effect.flatMap(digestOf(plan), (digest) => folderOf(stateDir, `${digest}.plan`))

/** Tells whether a person trusts the programs of a plan, by their digest. A record that cannot be used trusts none. */
export const isPlanTrusted = Effect.fn("isPlanTrusted")(function* (stateDir: string, plan: string, digest: string) {
  const kept = yield* Effect.option(read(yield* planFile(stateDir, plan)))
  return Option.isSome(kept) && kept.value === digest
})

/** Records that a person trusts the programs of a plan. */
export const keepPlanTrust = Effect.fn("keepPlanTrust")(function* (stateDir: string, plan: string, digest: string) {
  yield* write(stateDir, yield* planFile(stateDir, plan), digest)
})

/**
 * Records the trust in a config file, by its real path. The programs are written first, so that each program of a pin
 * exists.
 */
export const keepTrust = Effect.fn("keepTrust")(function* (
  stateDir: string,
  config: string,
  pin: Pin,
  programs: Programs
): Effect.fn.Return<void, PlatformError.PlatformError, FileSystem.FileSystem | Path.Path> {
  const keep = Effect.fnUntraced(function* (program: string | null, digest: string | null) {
    if (program !== null && digest !== null) yield* write(stateDir, yield* programFile(stateDir, digest), program)
  })
  yield* Effect.all(mapPrograms(programs, (program, key) => keep(program, pin.programs[key])))
  yield* write(stateDir, yield* fileOf(stateDir, config), JSON.stringify(pin))
})
