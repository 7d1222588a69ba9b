import { Config, Console, Effect, FileSystem, Option, Path, Schema } from "effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"
import { claudeCode } from "../agents/Versions.ts"

/** The suite is skipped; `message` is one line. */
export class NotInstalled extends Schema.TaggedError<NotInstalled>()("NotInstalled", { message: Schema.String }) {}

/** An agent in npm. */
interface AgentPackage {
  readonly name: string
  readonly version: string
  /** Its program. */
  readonly bin: string
}

const inFolder = Effect.fnUntraced(function* (folder: string, bin: string) {
  const path = yield* Path.Path
  return path.join(folder, "node_modules", ".bin", bin)
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

/** Whether the agents are those that npm has today, in place of those with which docs and tests were made. */
const isNewest = process.env["AGENT_VERSIONS"] === "newest"

const versionOf = Effect.fnUntraced(function* ({ name, version }: AgentPackage) {
  if (!isNewest) return version
  const answer = (yield* run("npm", ["view", name, "version"])).trim()
  if (!/^\d+\.\d+\.\d+\S*$/u.test(answer)) return yield* new NotInstalled({ message: firstWords(answer) })
  return answer
})

/**
 * Installs an agent from npm in a cache folder, since its licence may forbid to keep it here. The agent is installed beside its place, tried, and renamed into it. So of two installations at once both have a whole
 * agent, and a broken agent is never there. Returns its program, a link in `.bin`.
 */
export const installedAgent = Effect.fnUntraced(
  function* (agent: AgentPackage) {
    const { bin, name } = agent
    const version = yield* versionOf(agent)
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const cache = yield* cacheFolder
    const place = path.join(cache, `${bin}-${version}`)
    const program = yield* inFolder(place, bin)
    if (yield* fs.exists(program)) return program

    yield* fs.makeDirectory(cache, { recursive: true, mode: 0o700 })
    const beside = yield* fs.makeTempDirectoryScoped({ directory: cache, prefix: `${bin}-${version}-` })
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
    const said = yield* run("npm", [...npm, `${name}@${version}`])
    const fresh = yield* inFolder(beside, bin)
    if (!(yield* fs.exists(fresh)))
      return yield* new NotInstalled({ message: firstWords(said) || "npm did not install it" })
    const answer = yield* run(fresh, ["--version"])
    if (!answer.includes(version)) return yield* new NotInstalled({ message: `it does not run: ${firstWords(answer)}` })
    yield* Effect.ignore(fs.rename(beside, place))
    return program
  },
  Effect.scoped,
  Effect.timeoutOrElse({
    duration: "2 minutes",
    orElse: () => Effect.fail(new NotInstalled({ message: "it took longer than two minutes" }))
  }),
  Effect.catchTag(["PlatformError", "ConfigError"], (error) =>
    Effect.fail(new NotInstalled({ message: error.message }))
  )
)

/** Claude Code's real program. */
export const installed = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const program = yield* installedAgent(claudeCode)
  return yield* Effect.catchTag(fs.realPath(program), "PlatformError", ({ message }) =>
    Effect.fail(new NotInstalled({ message }))
  )
})

/**
 * Without a real agent there is nothing to test, and that is told, not failed. The newest agents are run to see what
 * changed, so there it fails.
 */
export const orSkipped = ({ bin, message }: { readonly bin: string; readonly message: string }) =>
  isNewest
    ? Effect.die(new Error(`the newest ${bin} cannot be installed here: ${message}`))
    : Effect.as(Console.error(`skipped: ${bin} cannot be installed here: ${message}`), null)
