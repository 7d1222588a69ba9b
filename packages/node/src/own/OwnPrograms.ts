import { extname } from "node:path"
import { fileURLToPath } from "node:url"
import type { Start } from "./Detached.ts"

/** The same ending as this file: a source that Node runs itself, or its compiled form. */
// An executable has no URL, and starts no program by its file.
const ending = extname(String(import.meta.url))

/** Returns the command that runs a file beside a module, of the same form as this package. */
export const programBeside = (module: string, name: string): Start["line"] => [
  process.execPath,
  URL.canParse(`${name}${ending}`, module) ? fileURLToPath(new URL(`${name}${ending}`, module)) : name
]

/** Becomes an agent. The path of a launch file is appended. */
export const launchLine = programBeside(import.meta.url, "../launch/launch")

/** Guards a watch. The order is appended, as JSON. */
export const guardianLine = programBeside(import.meta.url, "guard")
