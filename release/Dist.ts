import { Effect, FileSystem, Path } from "effect"
import { build } from "rolldown"
import { command } from "./Command.ts"
import { importsOf, packageNamed } from "./Imports.ts"
import { licences } from "./Licences.ts"
import { type Package, workspace } from "./Package.ts"

/** The compiler's flags for what is published: JavaScript with its source inside the map, and declarations. */
const flags = [
  ["--outDir", "dist"],
  ["--composite", "false"],
  ["--incremental", "false"],
  ["--declaration"],
  ["--emitDeclarationOnly", "false"],
  ["--rewriteRelativeImportExtensions"],
  ["--sourceMap"],
  ["--inlineSources"],
  // Several threads check the same types again.
  ["--singleThreaded"]
].flat()

/** The compiler leaves `.ts` in declarations, which lie beside `.d.ts` files alone. */
const withoutTs = (declaration: string) =>
  declaration.replaceAll(/(\bfrom |\bimport\()"(\.{1,2}\/[^"]+)\.ts"/gu, '$1"$2.js"')

/**
 * Bundles the packages into a file that nothing would bring to a consumer: its package needs them for development alone.
 * Their licences lie beside the file. All other modules stay imports.
 */
const bundle = Effect.fn("bundle")(function* (file: string, bundled: ReadonlyArray<string>) {
  const path = yield* Path.Path
  yield* Effect.promise(() =>
    build({
      input: file,
      platform: "node",
      // The UMD of jsonc-parser hides its own parts from a bundler.
      resolve: { mainFields: ["module", "main"] },
      plugins: [licences],
      treeshake: { moduleSideEffects: "no-external" },
      external: (id, from) =>
        /^[./]/u.test(id) ? from === file && id.startsWith(".") : !bundled.includes(packageNamed(id)),
      output: { dir: path.dirname(file), entryFileNames: path.basename(file), format: "esm", sourcemap: true }
    })
  )
})

/** Compiles a library to its `dist`, which has what its tarball takes. Its references are built before. */
const compile = Effect.fn("compile")(function* ({ folder, manifest }: Package) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const dist = path.join(folder, "dist")
  yield* command(folder, [path.join(workspace, "node_modules/.bin/tsc"), "-p", ".", ...flags])
  const travels = { ...manifest.dependencies, ...manifest.peerDependencies }
  const bundled = Object.keys(manifest.devDependencies).filter((name) => travels[name] === undefined)
  for (const name of yield* fs.readDirectory(dist, { recursive: true })) {
    const file = path.join(dist, name)
    if (!/\.(?:js|d\.ts)$/u.test(name)) continue
    const text = yield* fs.readFileString(file)
    if (name.endsWith(".d.ts")) yield* fs.writeFileString(file, withoutTs(text))
    else if (importsOf(file, text).some((one) => bundled.includes(packageNamed(one)))) yield* bundle(file, bundled)
  }
})

/** Builds the `dist` of packages: by their own `build.ts` where they have one, else by the compiler. */
export const buildAll = Effect.fn("buildAll")(function* (packages: ReadonlyArray<Package>) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  yield* command(workspace, [path.join(workspace, "node_modules/.bin/tsc"), "-b", "--singleThreaded"])
  for (const one of packages) {
    yield* fs.remove(path.join(one.folder, "dist"), { recursive: true, force: true })
    const own = path.join(one.folder, "build.ts")
    if (yield* fs.exists(own)) yield* command(one.folder, [process.execPath, own])
    else yield* compile(one)
  }
})
