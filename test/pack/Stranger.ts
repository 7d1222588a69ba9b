import { Effect, FileSystem, Path, Schema } from "effect"
import { inject } from "vitest"
import { command } from "../../release/Command.ts"
import { readTarballs } from "../../release/Tarball.ts"

/** The package manager of this workspace, by the command that its README names. */
export const pnpm = ["npx", "--yes", "pnpm@12.21.0"] as const
const yarn = ["npx", "--yes", "--package=@yarnpkg/cli-dist@4.18.1", "yarn"] as const

export type Manager = "npm" | "pnpm" | "yarn"

const Dependencies = Schema.Record(Schema.String, Schema.String)
const Project = Schema.StructWithRest(Schema.Struct({ dependencies: Dependencies }), [
  Schema.Record(Schema.String, Schema.Unknown)
])
const fromJson = Schema.decodeEffect(Schema.fromJsonString(Project))
const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`

/** A project outside the workspace, with its packages installed. */
export interface Stranger {
  readonly folder: string
  /** Runs a program there and returns its standard output. Fails with `CommandFailed` where it ends with another code than 0. */
  readonly run: (...words: readonly [string, ...ReadonlyArray<string>]) => ReturnType<typeof command>
}

/** Takes away the variables of this run that would lead a package manager back into the workspace. */
export const apart = (folder: string): Readonly<Record<string, string | undefined>> => ({
  ...Object.fromEntries(
    Object.keys(process.env)
      .filter((name) =>
        /^(?:npm_(?!config_(?:registry|cafile)$)|pnpm_|PNPM_|INIT_CWD$|NODE_OPTIONS$|VITEST|SOUFFLEUR_)/u.test(name)
      )
      .map((name) => [name, undefined])
  ),
  // A lock file that is missing is made, in a test run too.
  CI: undefined,
  TMPDIR: folder,
  PATH: `${process.execPath.replace(/\/[^/]+$/u, "")}:${process.env["PATH"]}`
})

/**
 * Gives the tarballs to a project in place of the registry, which has no version of them yet. Each is a dependency, so
 * that they find each other.
 */
const manifestFor = (manager: Manager, project: typeof Project.Type, tarballs: Readonly<Record<string, string>>) => ({
  ...project,
  dependencies: { ...project.dependencies, ...tarballs },
  ...(manager === "yarn" ? { resolutions: tarballs } : {})
})

/** pnpm takes each folder with a manifest for a project of its own. */
const settingsFor = (manager: Manager, tarballs: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  manager === "pnpm"
    ? { "pnpm-workspace.yaml": json({ packages: ["*"], overrides: tarballs }) }
    : manager === "yarn"
      ? { ".yarnrc.yml": json({ nodeLinker: "node-modules", enableTelemetry: false }), "yarn.lock": "" }
      : {}

const install: Readonly<Record<Manager, readonly [string, ...ReadonlyArray<string>]>> = {
  npm: ["npm", "install", "--no-audit", "--no-fund"],
  pnpm: [...pnpm, "install", "--no-frozen-lockfile"],
  yarn: [...yarn, "install"]
}

/** Copies a folder out of the workspace, with what a package manager needs to find the tarballs. It is gone with the scope. */
const outside = Effect.fnUntraced(function* (manager: Manager, from: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const temporary = yield* fs.makeTempDirectoryScoped({ prefix: "souffleur-stranger-" })
  const folder = path.join(temporary, path.basename(from))
  yield* fs.copy(from, folder)
  const tarballs = Object.fromEntries(
    (yield* readTarballs(inject("tarballs"))).map(({ file, manifest }) => [manifest.name, `file:${file}`])
  )
  for (const [name, text] of Object.entries(settingsFor(manager, tarballs)))
    yield* fs.writeFileString(path.join(folder, name), text)
  const runIn =
    (cwd: string): Stranger["run"] =>
    (...words) =>
      command(cwd, words, apart(temporary))
  return { folder, tarballs, runIn }
})

/**
 * Copies a project out of the workspace and installs it there, with every package of souffleur from its tarball. It is
 * gone with the scope. Fails with `CommandFailed` where the package manager does.
 */
export const stranger = Effect.fn("stranger")(function* (manager: Manager, from: string) {
  const fs = yield* FileSystem.FileSystem
  const { folder, runIn, tarballs } = yield* outside(manager, from)
  const file = `${folder}/package.json`
  const project = yield* Effect.flatMap(fs.readFileString(file), fromJson)
  yield* fs.writeFileString(file, json(manifestFor(manager, project, tarballs)))
  const run = runIn(folder)
  yield* run(...install[manager])
  return { folder, run } satisfies Stranger
})

/**
 * Copies a folder of projects out of the workspace and installs all of them at once. Each has what it names alone. They
 * are gone with the scope. Fails with `CommandFailed` where pnpm does.
 */
export const strangers = Effect.fn("strangers")(function* (from: string) {
  const fs = yield* FileSystem.FileSystem
  const { folder, runIn } = yield* outside("pnpm", from)
  yield* fs.writeFileString(`${folder}/package.json`, json({ private: true }))
  yield* runIn(folder)(...install.pnpm)
  return (name: string): Stranger => ({ folder: `${folder}/${name}`, run: runIn(`${folder}/${name}`) })
})
