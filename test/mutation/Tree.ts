import { Effect } from "effect"
import { execFileSync } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, symlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"

export const root = resolve(import.meta.dirname, "../..")

/** Files and folders that tests read. */
const entries = [
  ".gitignore",
  "docs",
  "packages",
  "release",
  "test",
  "vitest.config.ts",
  "tsconfig.base.json",
  "tsconfig.json",
  "tsconfig.test.json",
  "package.json"
]

const copy = (): string => {
  const tree = realpathSync(mkdtempSync(join(tmpdir(), "souffleur-mutants-")))
  for (const entry of entries)
    cpSync(join(root, entry), join(tree, entry), {
      recursive: true,
      verbatimSymlinks: true,
      filter: (path) => !/\/(?:dist|\.tsbuild)$/u.test(path)
    })
  mkdirSync(join(tree, "node_modules/@souffleur"), { recursive: true })
  for (const name of readdirSync(join(root, "node_modules")))
    if (name !== "@souffleur" && !name.startsWith(".vite"))
      symlinkSync(join(root, "node_modules", name), join(tree, "node_modules", name))
  for (const name of readdirSync(join(root, "node_modules/@souffleur")))
    symlinkSync(join(tree, "packages", name), join(tree, "node_modules/@souffleur", name))
  // Some tests ask git which files there are.
  execFileSync("git", ["init", "--quiet", tree])
  return tree
}

/**
 * A copy of the tree without what is built, until the scope ends; what is installed is linked. Its packages are its
 * own, also where they name each other, so that every test takes the mutant.
 */
export const copyTree = Effect.acquireRelease(Effect.sync(copy), (tree) =>
  Effect.sync(() => rmSync(tree, { recursive: true, force: true }))
)
