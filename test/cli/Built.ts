import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const built = fs.mkdtempSync(join(os.tmpdir(), "souffleur-built-"))
execFileSync(process.execPath, [fileURLToPath(new URL("../../packages/cli/build.ts", import.meta.url)), built])
const remove = () => fs.rmSync(built, { recursive: true, force: true })
// A worker of the tests is ended from outside and would not come to its exit.
if (process.env["VITEST"] === "true") (await import("@effect/vitest")).afterAll(remove)
else process.once("exit", remove)

/** The command as it is published, built once a test file, or a run: what users run, and it starts faster than its sources. */
export const bundle = join(built, "souffleur.js")
