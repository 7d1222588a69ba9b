import { extname } from "node:path"
import { fileURLToPath } from "node:url"
import type { Start } from "./Detached.ts"

/**
 * Returns the command that runs a file beside a module, with the same ending: a source, or compiled. No module may call
 * it as it loads, because an executable has neither the file nor a URL.
 */
export const programBeside = (module: string, name: string): Start["line"] => [
  process.execPath,
  fileURLToPath(new URL(name + extname(module), module))
]

/** Becomes an agent. The path of a launch file is appended. */
export const launchLine = (): Start["line"] => programBeside(import.meta.url, "../launch/launch")

/** Guards a watch. The order is appended, as JSON. */
export const guardianLine = (): Start["line"] => programBeside(import.meta.url, "guard")

/**
 * Flags for a small guardian: it runs a few lines each second, for days. The compilers of V8 would take 5 MB, and save
 * nothing. Only flags that this Node says it knows: an unknown one ends it at once.
 */
export const guardianFlags = (): ReadonlyArray<string> =>
  ["--expose-gc", "--jitless"].filter((flag) => process.allowedNodeEnvironmentFlags.has(flag))

/** Answers errands about the databases of agents. */
export const rowsLine = (): Start["line"] => programBeside(import.meta.url, "../sqlite/rows")

/** Starts a process that descends from none of souffleur's. The order is appended, as JSON. */
export const detachLine = (): Start["line"] => programBeside(import.meta.url, "detach")
