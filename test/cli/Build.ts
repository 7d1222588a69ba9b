import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

/**
 * Returns the folder for the compiled code of a bundle. The first start with each word makes it. Later starts take
 * less of the processor.
 */
export const compiledOf = (bundle: string): string => join(dirname(dirname(bundle)), "compiled")

/**
 * Builds the command as users run it, in a folder of its own. The build starts faster than its sources. Suites that run
 * one after another share the build in the folder that `SOUFFLEUR_TEST_BUILD` names.
 */
export const build = () => {
  const kept = process.env["SOUFFLEUR_TEST_BUILD"]
  const folder = kept ?? fs.mkdtempSync(join(os.tmpdir(), "souffleur-built-"))
  const bundle = join(folder, "dist", "souffleur.cjs")
  const built = { bundle, remove: () => kept === undefined && fs.rmSync(folder, { recursive: true, force: true }) }
  // The cache is made last.
  if (fs.existsSync(compiledOf(bundle))) return built
  fs.mkdirSync(folder, { recursive: true })
  // As the package that is published says it; else Node would try each file as another kind first.
  fs.writeFileSync(join(folder, "package.json"), '{ "type": "module" }\n')
  execFileSync(process.execPath, [
    fileURLToPath(new URL("../../packages/cli/build.ts", import.meta.url)),
    dirname(bundle)
  ])
  const env = { HOME: folder, SOUFFLEUR_STATE_DIR: join(folder, "state"), NODE_COMPILE_CACHE: compiledOf(bundle) }
  execFileSync(process.execPath, [bundle, "status"], { env })
  return built
}
