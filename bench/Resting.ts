import { Effect, FileSystem, Path, Schedule, Schema, Stream } from "effect"
import { running, souffleur } from "./Child.ts"

const Told = Schema.fromJsonString(
  Schema.Struct({ _tag: Schema.String, conductor: Schema.optional(Schema.NullOr(Schema.Struct({ pid: Schema.Int }))) })
)

/** Waits until there is something to find, for 90 seconds at most. */
export const until = <A>(find: () => A | undefined) =>
  Effect.repeat(Effect.sync(find), {
    schedule: Schedule.spaced("2 millis"),
    until: (found) => found !== undefined
  }).pipe(
    Effect.map((found) => found!),
    Effect.timeout("90 seconds")
  )

/** Starts a watch by `souffleur run`, and waits until it watches. Returns what the watch has told so far. */
export const startedWatch = Effect.fnUntraced(function* (
  folder: string,
  args: ReadonlyArray<string>,
  variables: Readonly<Record<string, string>> = {}
) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const { entry } = yield* souffleur
  const state = path.join(folder, "state")
  yield* fs.makeDirectory(state, { recursive: true, mode: 0o700 })
  const environment = { HOME: folder, SOUFFLEUR_STATE_DIR: state, ...variables }
  const { pid, stdout } = yield* running(process.execPath, [entry, "run", "--json", ...args], folder, environment)
  const told = new Array<typeof Told.Type>()
  yield* Effect.forkScoped(
    stdout.pipe(
      Stream.decodeText(),
      Stream.splitLines,
      Stream.mapEffect((line) => Schema.decodeEffect(Told)(line)),
      Stream.runForEach((event) => Effect.sync(() => told.push(event)))
    )
  )
  yield* until(() => told.find(({ _tag }) => _tag === "WatchSettled"))
  return { pid, told, store: path.join(state, "souffleur.db") }
})

/**
 * Starts a watch of a process that sleeps, and waits until both rest. The compiled code of an earlier watch is there,
 * as on each day but the first. Ten seconds after its start a watch gives memory back. The work of each minute is then
 * compiled once more, which is no rest yet.
 */
export const restingWatch = Effect.fnUntraced(function* (folder: string, flags: ReadonlyArray<string> = []) {
  const { run } = yield* souffleur
  const environment = { HOME: folder, SOUFFLEUR_STATE_DIR: `${folder}/state` }
  yield* run(["run", "--no-guardian", "--project-dir", folder, "--", "true"], environment)
  return yield* Effect.tap(startedWatch(folder, [...flags, "--", "sleep", "1000000"]), Effect.sleep("80 seconds"))
})
