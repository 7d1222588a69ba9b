import { digestOf, mapPrograms, Pin, type Programs } from "@souffleur/domain"
import { readTrusted, replaceDurably } from "@souffleur/process"
import { Effect, FileSystem, Option, Path, type PlatformError, Runtime, Schema } from "effect"

/** The config file of a project is not what a person trusted there. `message` names it, and says what to do. */
export class ConfigUntrusted extends Schema.TaggedError<ConfigUntrusted>()("ConfigUntrusted", {
  message: Schema.String
}) {
  override readonly [Runtime.errorExitCode] = 2
}

/** The trust of a person in one project. The name of the file holds the project. */
const Trusted = Schema.fromJsonString(Pin)
const decode = Schema.decodeUnknownEffect(Trusted)

/** Bytes that are read back. The text is one line of a config file. */
const largest = 1_000_000

const folderOf = Effect.fnUntraced(function* (stateDir: string, ...below: ReadonlyArray<string>) {
  return (yield* Path.Path).join(stateDir, "trust", ...below)
})
const fileOf = (stateDir: string, project: string) =>
  Effect.flatMap(digestOf(project), (digest) => folderOf(stateDir, `${digest}.json`))
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
 * Reads what was trusted in a project. `None`: nothing yet. Fails with `ConfigUntrusted` where a record exists and
 * cannot be used.
 */
export const trustedIn = Effect.fn("trustedIn")(function* (stateDir: string, project: string) {
  const file = yield* fileOf(stateDir, project)
  const unusable = (why: string) =>
    new ConfigUntrusted({
      message: `${file}, what was trusted in ${project}: ${why}; "souffleur config --trust" makes it again`
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

/** Records the trust in a project. The programs are written first, so that each program of a pin exists. */
export const keepTrust = Effect.fn("keepTrust")(function* (
  stateDir: string,
  project: string,
  pin: Pin,
  programs: Programs
): Effect.fn.Return<void, PlatformError.PlatformError, FileSystem.FileSystem | Path.Path> {
  const keep = Effect.fnUntraced(function* (program: string | null, digest: string | null) {
    if (program !== null && digest !== null) yield* write(stateDir, yield* programFile(stateDir, digest), program)
  })
  yield* Effect.all(mapPrograms(programs, (program, key) => keep(program, pin.programs[key])))
  yield* write(stateDir, yield* fileOf(stateDir, project), JSON.stringify(pin))
})
