import { isSea } from "node:sea"

/** True if this program is a single executable, which brings its Node. */
export const isExecutable: boolean = isSea()

/** The words that start this program again: Node and the script, or the executable alone. */
export const ownWords: readonly [string, ...ReadonlyArray<string>] = isExecutable
  ? [process.execPath]
  : [process.execPath, process.argv[1] ?? ""]
