import { Config, Effect, FileSystem, Option, Path, Schema } from "effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"

/** The version with which docs and tests were made. Another version behaves otherwise. */
export const version = "2.1.329"

/** The suite is skipped; `message` is one line. */
export class NotInstalled extends Schema.TaggedError<NotInstalled>()("NotInstalled", { message: Schema.String }) {}

const inFolder = Effect.fnUntraced(function* (folder: string) {
  const path = yield* Path.Path
  return path.join(folder, "node_modules", ".bin", "claude")
})

const cacheFolder = Effect.gen(function* () {
  const path = yield* Path.Path
  const xdg = yield* Config.option(Config.String("XDG_CACHE_HOME"))
  const cache =
    Option.isSome(xdg) && path.isAbsolute(xdg.value) ? xdg.value : path.join(yield* Config.String("HOME"), ".cache")
  return path.join(cache, "souffleur-test")
})

/** How what a failed command said begins, on one line. */
const firstWords = (text: string): string => text.trim().split("\n").slice(0, 4).join(" ").slice(0, 300)

const run = Effect.fnUntraced(function* (program: string, args: ReadonlyArray<string>) {
  const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
  return yield* spawner.string(ChildProcess.make(program, args, { stdin: "ignore" }), { includeStderr: true })
})

/**
 * Installs the agent from npm in a cache folder outside the repository, since its licence forbids to keep it here. The
 * agent is installed beside its place, tried, and renamed into it. So of two installations at once both have a whole
 * agent, and a broken agent is never there.
 */
export const installed = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const cache = yield* cacheFolder
  const place = path.join(cache, `claude-${version}`)
  const program = yield* inFolder(place)
  if (yield* fs.exists(program)) return yield* fs.realPath(program)

  yield* fs.makeDirectory(cache, { recursive: true, mode: 0o700 })
  const beside = yield* fs.makeTempDirectoryScoped({ directory: cache, prefix: `claude-${version}-` })
  const npm = [
    "install",
    "--prefix",
    beside,
    "--no-audit",
    "--no-fund",
    "--loglevel=error",
    "--ignore-scripts=false",
    "--fetch-retries=1"
  ]
  const said = yield* run("npm", [...npm, `@anthropic-ai/claude-code@${version}`])
  const fresh = yield* inFolder(beside)
  if (!(yield* fs.exists(fresh)))
    return yield* new NotInstalled({ message: firstWords(said) || "npm did not install it" })
  const answer = yield* run(fresh, ["--version"])
  if (!answer.startsWith(version)) return yield* new NotInstalled({ message: `it does not run: ${firstWords(answer)}` })
  yield* Effect.ignore(fs.rename(beside, place))
  return yield* fs.realPath(program)
}).pipe(
  Effect.scoped,
  Effect.timeoutOrElse({
    duration: "2 minutes",
    orElse: () => Effect.fail(new NotInstalled({ message: "it took longer than two minutes" }))
  }),
  Effect.catchTag(["PlatformError", "ConfigError"], (error) =>
    Effect.fail(new NotInstalled({ message: error.message }))
  )
)
