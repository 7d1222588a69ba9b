import { existsSync, realpathSync } from "node:fs"
import { dirname, join } from "node:path"
import { isSea } from "node:sea"

/** True if this program is a single executable, which brings its Node. */
export const isExecutable: boolean = isSea()

/** The words that start this program again: Node and the script, or the executable alone. */
export const ownWords: readonly [string, ...ReadonlyArray<string>] = isExecutable
  ? [process.execPath]
  : [process.execPath, process.argv[1] ?? ""]

/**
 * Returns the folder of the published command, which has its other files. `undefined`: this program is the source, or
 * the single executable.
 */
export const publishedFolder = (): string | undefined => {
  try {
    // npm starts the command by a link to it.
    const folder = dirname(realpathSync.native(ownWords[1] ?? ""))
    return existsSync(join(folder, "hook.cjs")) ? folder : undefined
  } catch {
    return undefined
  }
}
