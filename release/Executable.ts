import { Console, Effect, FileSystem, Path } from "effect"
import { build } from "rolldown"
import { version } from "../packages/cli/src/Version.ts"
import { ascii } from "./Ascii.ts"
import { command } from "./Command.ts"
import { lateParts } from "./LateParts.ts"
import { licences, noticeFile, noticeOf } from "./Licences.ts"
import { workspace } from "./Package.ts"

/** The processors that an executable is made for, by Node's names. */
export const processors = ["x64", "arm64"] as const
type Processor = (typeof processors)[number]

const isOwn = (processor: Processor) => process.platform === "linux" && process.arch === processor

/** Returns the path of Node for a processor, in a folder beside its licence. One for another machine is a package of the registry. */
const nodeFor = Effect.fn("nodeFor")(function* (processor: Processor, folder: string) {
  const path = yield* Path.Path
  if (isOwn(processor)) return process.execPath
  const [name, version] = [`node-linux-${processor}`, process.versions.node]
  // npm compares what it gets with the registry's digest.
  yield* command(folder, ["npm", "pack", "--silent", `${name}@${version}`])
  yield* command(folder, ["tar", "-xzf", `${name}-${version}.tgz`, "package/bin/node", "package/LICENSE"])
  return path.join(folder, "package/bin/node")
})

/** Returns the licences of all that an executable brings: souffleur, Node with all that is in it, and the packages. */
const noticeFor = Effect.fn("noticeFor")(function* (node: string, ofPackages: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const read = (...names: readonly [string, ...ReadonlyArray<string>]) => fs.readFileString(path.join(...names))
  const own = yield* read(workspace, "LICENSE")
  const ofNode = yield* read(path.dirname(node), "..", "LICENSE")
  return noticeOf([`souffleur ${version}\n\n${own}`, `Node.js ${process.version}\n\n${ofNode}`, ofPackages])
})

/**
 * Makes the command for Linux as one file that brings its Node, and returns its path in `folder`. The licences lie
 * beside it (`.LICENSES.txt`). Fails with `CommandFailed` where Node cannot be had or refuses. Fails with
 * `PlatformError` where a Node has no licence.
 */
export const makeExecutable = Effect.fn("makeExecutable")(function* (processor: Processor, folder: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const draft = yield* fs.makeTempDirectoryScoped({ prefix: "souffleur-executable-" })
  const [main, config] = [path.join(draft, "souffleur.mjs"), path.join(draft, "config.json")]
  yield* Effect.promise(() =>
    build({
      input: path.join(workspace, "packages/cli/src/main.ts"),
      platform: "node",
      // The UMD of jsonc-parser hides its own parts from a bundler.
      resolve: { mainFields: ["module", "main"] },
      plugins: [lateParts, ascii, licences],
      // An executable has one file, and no modules but Node's.
      output: { file: main, format: "esm", codeSplitting: false, comments: { legal: true, annotation: false } }
    })
  )
  const output = path.join(folder, `souffleur-linux-${processor}`)
  const node = yield* nodeFor(processor, draft)
  yield* fs.makeDirectory(folder, { recursive: true })
  const notice = yield* noticeFor(node, yield* fs.readFileString(path.join(draft, noticeFile)))
  yield* fs.writeFileString(`${output}.${noticeFile}`, notice)
  const settings = {
    main,
    mainFormat: "module",
    executable: node,
    output,
    disableExperimentalSEAWarning: true,
    // Compiled code fits the processor that compiled it.
    useCodeCache: isOwn(processor)
  }
  yield* fs.writeFileString(config, JSON.stringify(settings))
  yield* command(draft, [process.execPath, "--build-sea", config])
  yield* fs.chmod(output, 0o755)
  yield* Console.log(output)
  return output
}, Effect.scoped)
