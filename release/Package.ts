import { Effect, FileSystem, Path, Schema } from "effect"
import { fileURLToPath } from "node:url"

const Names = Schema.Record(Schema.String, Schema.String)
const none = Effect.succeed({})

/** The part of a `package.json` that a release reads. */
export const Manifest = Schema.Struct({
  name: Schema.String,
  version: Schema.String,
  private: Schema.optionalKey(Schema.Boolean),
  dependencies: Names.pipe(Schema.withDecodingDefaultKey(none)),
  devDependencies: Names.pipe(Schema.withDecodingDefaultKey(none)),
  peerDependencies: Names.pipe(Schema.withDecodingDefaultKey(none))
})

/** A package of the workspace that a release publishes. */
export interface Package {
  /** Absolute. */
  readonly folder: string
  readonly manifest: typeof Manifest.Type
}

/** The folder of the workspace. */
export const workspace = fileURLToPath(new URL("..", import.meta.url))

/** Decodes a `package.json`. Fails with `SchemaError` where it is no manifest. */
export const manifestOf = Schema.decodeEffect(Schema.fromJsonString(Manifest))

/** Puts each package behind those that it needs. Fails with the names that need each other. */
export const inOrder = <A extends { readonly manifest: typeof Manifest.Type }>(
  packages: ReadonlyArray<A>
): Effect.Effect<ReadonlyArray<A>, Error> => {
  const ordered = new Map<string, A>()
  const rest = new Map(packages.map((one) => [one.manifest.name, one]))
  while (rest.size > 0) {
    const ready = [...rest.values()].find(({ manifest: { dependencies, devDependencies } }) =>
      Object.keys({ ...dependencies, ...devDependencies }).every((name) => !rest.has(name))
    )
    if (ready === undefined) return Effect.fail(new Error(`packages need each other: ${[...rest.keys()].join(", ")}`))
    ordered.set(ready.manifest.name, ready)
    rest.delete(ready.manifest.name)
  }
  return Effect.succeed([...ordered.values()])
}

/** Reads all packages that are not private, each behind those that it needs. */
export const packages = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const folders = (yield* fs.readDirectory(path.join(workspace, "packages"))).toSorted()
  const all = yield* Effect.forEach(folders, (name) => {
    const folder = path.join(workspace, "packages", name)
    return fs.readFileString(path.join(folder, "package.json")).pipe(
      Effect.flatMap(manifestOf),
      Effect.map((manifest) => ({ folder, manifest }))
    )
  })
  return yield* inOrder(all.filter(({ manifest }) => manifest.private !== true))
})
