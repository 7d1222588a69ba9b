import { createPackageFromTarballData, type Package as Files } from "@arethetypeswrong/core"
import { Effect, FileSystem, Path } from "effect"
import { command } from "./Command.ts"
import { type Package } from "./Package.ts"

/** A packed package, as it would be published. */
export interface Tarball extends Package {
  /** Absolute. */
  readonly file: string
  readonly bytes: Uint8Array<ArrayBuffer>
  /** Names from the root of the package, such as `dist/index.js`. */
  readonly names: ReadonlyArray<string>
  readonly text: (name: string) => string
  readonly files: Files
}

/** Reads a tarball. Fails with `PlatformError` where it cannot be read. */
export const readTarball = Effect.fn("readTarball")(function* (one: Package, file: string) {
  const fs = yield* FileSystem.FileSystem
  const bytes = new Uint8Array(yield* fs.readFile(file))
  const files = createPackageFromTarballData(bytes)
  const root = `/node_modules/${files.packageName}/`
  const names = files.listFiles().map((name) => name.slice(root.length))
  return { ...one, file, bytes, names, text: (name) => files.readFile(`${root}${name}`), files } satisfies Tarball
})

/** Packs a package into a folder. pnpm writes versions for `workspace:`, and `publishConfig.exports` for `exports`. */
export const pack = Effect.fn("pack")(function* (one: Package, folder: string) {
  const path = yield* Path.Path
  const { name, version } = one.manifest
  yield* command(one.folder, ["pnpm", "pack", "--pack-destination", folder])
  return yield* readTarball(one, path.join(folder, `${name.replace("@", "").replace("/", "-")}-${version}.tgz`))
})
