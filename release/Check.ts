import { checkPackage } from "@arethetypeswrong/core"
import { Effect } from "effect"
import { isBuiltin } from "node:module"
import { posix } from "node:path"
import { publint } from "publint"
import { formatMessage } from "publint/utils"
import { importsOf, packageNamed } from "./Imports.ts"
import { manifestOf } from "./Package.ts"
import type { Tarball } from "./Tarball.ts"

/** Files that a tarball may have. */
const fitting = /^(?:package\.json|README\.md|LICENSE|dist\/(?!.*\.test\.).*(?:\.js|\.js\.map|\.d\.ts|\.txt))$/u

/** Files that have no place in the tarball, and files that it lacks. */
const strays = ({ names }: Tarball) => [
  ...names.filter((name) => !fitting.test(name)).map((name) => `${name} has no place in it`),
  ...["README.md", "LICENSE", "package.json"]
    .filter((name) => !names.includes(name))
    .map((name) => `${name} is missing`)
]

/** Reads what is wrong with the versions of a manifest as it was packed. */
const wrongVersions = (tarball: Tarball, version: string) =>
  Effect.map(manifestOf(tarball.text("package.json")), ({ dependencies, peerDependencies, ...manifest }) => [
    ...(manifest.version === version ? [] : [`its version is ${manifest.version}, and that of others ${version}`]),
    ...Object.entries({ ...dependencies, ...peerDependencies }).flatMap(([name, range]) =>
      name.startsWith("@souffleur/")
        ? range === version
          ? []
          : [`it needs ${name} ${range}`]
        : /^[a-z]+:/u.test(range)
          ? [`${name} ${range} is there in the workspace alone`]
          : []
    )
  ])

/** Imports that a consumer could not resolve: of a file that the tarball lacks, or of a package that it does not name. */
const unresolved = (tarball: Tarball) =>
  Effect.map(manifestOf(tarball.text("package.json")), ({ dependencies, name, peerDependencies }) => {
    const named = new Set([name, ...Object.keys(dependencies), ...Object.keys(peerDependencies)])
    return tarball.names
      .filter((file) => /\.(?:js|d\.ts)$/u.test(file))
      .flatMap((file) =>
        importsOf(file, tarball.text(file))
          .filter((one) =>
            one.startsWith(".")
              ? !tarball.names.includes(
                  posix.join(posix.dirname(file), file.endsWith(".d.ts") ? one.replace(/\.js$/u, ".d.ts") : one)
                )
              : !isBuiltin(one) && !named.has(packageNamed(one))
          )
          .map((one) => `${file} imports ${one}`)
      )
  })

/** Asks publint about the tarball. */
const linted = ({ bytes, manifest }: Tarball) =>
  Effect.map(
    Effect.promise(() => publint({ pack: { tarball: bytes.buffer }, strict: true })),
    ({ messages, pkg }) => messages.map((one) => formatMessage(one, pkg) ?? `${manifest.name}: ${one.code}`)
  )

/** Where types and modules disagree. Old resolutions are no matter: every package has ES modules alone. */
const wrongTypes = ({ files }: Tarball) =>
  Effect.map(
    Effect.promise(() => checkPackage(files)),
    (found) =>
      (found.types === false ? [] : found.problems)
        .filter((one) => !("resolutionKind" in one) || !/^node10$|^node16-cjs$/u.test(one.resolutionKind))
        .map((one) => JSON.stringify(one))
  )

/** Lists all that is wrong with a tarball, in sentences. */
export const problemsOf = Effect.fn("problemsOf")(function* (tarball: Tarball, version: string) {
  const found = yield* Effect.all([
    wrongVersions(tarball, version),
    unresolved(tarball),
    linted(tarball),
    wrongTypes(tarball)
  ])
  return [strays(tarball), ...found].flat().map((problem) => `${tarball.manifest.name}: ${problem}`)
})
