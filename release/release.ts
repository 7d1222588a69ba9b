import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Console, Effect, FileSystem, Path, Schema } from "effect"
import { parseArgs } from "node:util"
import { buildAll } from "./Dist.ts"
import { problemsOf } from "./Check.ts"
import { makeExecutable, processors } from "./Executable.ts"
import { packages } from "./Package.ts"
import { publish } from "./Publish.ts"
import { pack } from "./Tarball.ts"

/**
 * `pnpm release` builds every package, packs it, checks the tarball, and publishes all in the order of their needs.
 *
 * - `--pack FOLDER`: leaves the tarballs in FOLDER, and publishes nothing.
 * - `--executables FOLDER`: leaves an executable for each processor in FOLDER, and publishes nothing.
 *
 * `NPM_TOKEN` has the token of the registry; a workflow that the registry trusts needs none. Ends with 1 where a tarball
 * is not fit, with 2 where the token is missing.
 */
const { values } = parseArgs({
  args: process.argv.slice(2).filter((word) => word !== "--"),
  options: { pack: { type: "string" }, executables: { type: "string" } }
})

/** A tarball is not fit to be published. */
class Unfit extends Schema.TaggedError<Unfit>()("Unfit", { problems: Schema.Array(Schema.String) }) {
  override get message(): string {
    return this.problems.join("\n")
  }
}

/** Leaves the checked tarballs of all packages in a folder, in the order of their needs. */
const packAll = Effect.fn("packAll")(function* (folder: string) {
  const fs = yield* FileSystem.FileSystem
  const all = yield* packages
  yield* fs.makeDirectory(folder, { recursive: true })
  yield* buildAll(all)
  const tarballs = yield* Effect.forEach(all, (one) => pack(one, folder))
  const [{ manifest }] = tarballs as [(typeof tarballs)[number]]
  const problems = yield* Effect.forEach(tarballs, (one) => problemsOf(one, manifest.version))
  if (problems.flat().length > 0) return yield* new Unfit({ problems: problems.flat() })
  for (const { bytes, file, names } of tarballs)
    yield* Console.log(`${file}  ${names.length} files, ${Math.ceil(bytes.length / 1024)} kB`)
  return tarballs
})

const main = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const { executables, pack: packed } = values
  if (executables !== undefined)
    yield* Effect.forEach(processors, (processor) => makeExecutable(processor, path.resolve(executables)))
  if (packed !== undefined) yield* packAll(path.resolve(packed))
  if (executables === undefined && packed === undefined)
    yield* publish(yield* packAll(yield* fs.makeTempDirectoryScoped({ prefix: "souffleur-release-" })))
})
NodeRuntime.runMain(
  main.pipe(
    Effect.scoped,
    Effect.tapError(({ message }) => Console.error(message)),
    Effect.provide(NodeServices.layer)
  ),
  { disableErrorReporting: true }
)
