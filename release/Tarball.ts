import { createPackageFromTarballData, type Package as Files } from "@arethetypeswrong/core"
import { Effect, FileSystem, Path } from "effect"
import { command } from "./Command.ts"
import { inOrder, type Manifest, manifestOf, type Package } from "./Package.ts"

/** A packed package, as it would be published. */
export interface Tarball {
  /** Absolute. */
  readonly file: string
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly manifest: typeof Manifest.Type
  /** Names from the root of the package, such as `dist/index.js`. */
  readonly names: ReadonlyArray<string>
  readonly text: (name: string) => string
  readonly files: Files
}

/** Reads a tarball. Fails with `PlatformError` where it cannot be read, with `SchemaError` where it has no manifest. */
export const readTarball = Effect.fn("readTarball")(function* (file: string) {
  const fs = yield* FileSystem.FileSystem
  const bytes = new Uint8Array(yield* fs.readFile(file))
  const files = createPackageFromTarballData(bytes)
  const root = `/node_modules/${files.packageName}/`
  const names = files.listFiles().map((name) => name.slice(root.length))
  const text = (name: string) => files.readFile(`${root}${name}`)
  const manifest = yield* manifestOf(text("package.json"))
  return { file, bytes, manifest, names, text, files } satisfies Tarball
})

/** Reads the tarballs in a folder, each behind those that it needs. */
export const readTarballs = Effect.fn("readTarballs")(function* (folder: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const names = (yield* fs.readDirectory(folder)).filter((name) => name.endsWith(".tgz"))
  return yield* inOrder(yield* Effect.forEach(names, (name) => readTarball(path.join(folder, name))))
})

/** Packs a package into a folder. pnpm writes versions for `workspace:`, and `publishConfig.exports` for `exports`. */
export const pack = Effect.fn("pack")(function* ({ folder, manifest: { name, version } }: Package, into: string) {
  const path = yield* Path.Path
  yield* command(folder, ["pnpm", "pack", "--pack-destination", into])
  return yield* readTarball(path.join(into, `${name.replace("@", "").replace("/", "-")}-${version}.tgz`))
})
