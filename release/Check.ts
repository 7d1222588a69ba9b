import { checkPackage } from "@arethetypeswrong/core"
import { Effect } from "effect"
import { isBuiltin } from "node:module"
import { posix } from "node:path"
import { publint } from "publint"
import { formatMessage } from "publint/utils"
import { importsOf, packageNamed } from "./Imports.ts"
import { noticeFile, wrongLicences } from "./Licences.ts"
import type { Tarball } from "./Tarball.ts"

/** Files that a tarball may have. */
const fitting =
  /^(?:package\.json|README\.md|AGENTS\.md|LICENSE|dist\/(?!.*\.test\.).*(?:\.c?js|\.js\.map|\.d\.ts|\.txt|completions\/souffleur\.(?:bash|zsh|fish)))$/u

/** Files that have no place in the tarball, and files that it lacks. */
const strays = ({ names }: Tarball) => [
  ...names.filter((name) => !fitting.test(name)).map((name) => `${name} has no place in it`),
  ...["README.md", "AGENTS.md", "LICENSE", "package.json"]
    .filter((name) => !names.includes(name))
    .map((name) => `${name} is missing`)
]

/** Says where versions differ, or are there in the workspace alone. */
const wrongVersions = ({ manifest }: Tarball, common: string) => [
  ...(manifest.version === common ? [] : [`its version is ${manifest.version}, and that of others ${common}`]),
  ...Object.entries({ ...manifest.dependencies, ...manifest.peerDependencies })
    .filter(([name, range]) => (name.startsWith("@souffleur/") ? range !== common : /^[a-z]+:/u.test(range)))
    .map(([name, range]) => `it needs ${name} ${range}`)
]

/**
 * Imports that a consumer cannot resolve. They are imports of a file that the tarball lacks, or of a package that it
 * does not name.
 */
const unresolved = ({ manifest, names, text }: Tarball) => {
  const { dependencies, name, peerDependencies } = manifest
  const named = new Set([name, ...Object.keys(dependencies), ...Object.keys(peerDependencies)])
  const resolves = (file: string, specifier: string) => {
    if (!specifier.startsWith(".")) return isBuiltin(specifier) || named.has(packageNamed(specifier))
    const target = posix.join(posix.dirname(file), specifier)
    return names.includes(file.endsWith(".d.ts") ? target.replace(/\.js$/u, ".d.ts") : target)
  }
  return names
    .filter((file) => /\.(?:c?js|d\.ts)$/u.test(file))
    .flatMap((file) =>
      importsOf(file, text(file))
        .filter((specifier) => !resolves(file, specifier))
        .map((specifier) => `${file} imports ${specifier}`)
    )
}

/** Says where the licences in it are not those of the packages that are bundled in it. */
const unlicensed = ({ names, text }: Tarball) =>
  wrongLicences(
    names.filter((name) => /\.c?js$/u.test(name)).map(text),
    names.filter((name) => posix.basename(name) === noticeFile).map(text)
  )

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

/** Lists all that is wrong with a tarball, in sentences. Its version has to be `version`. */
export const problemsOf = Effect.fn("problemsOf")(function* (tarball: Tarball, version: string) {
  const lint = yield* linted(tarball)
  const types = yield* wrongTypes(tarball)
  return [strays(tarball), wrongVersions(tarball, version), unresolved(tarball), unlicensed(tarball), lint, types]
    .flat()
    .map((problem) => `${tarball.manifest.name}: ${problem}`)
})
