import { Effect, FileSystem, Path } from "effect"

/** The folder of the work trees in a state folder. */
export const treesFolder = "trees"
/** The link beside the trees of a run that leads to its project. */
export const projectLink = ".project"

/**
 * Returns the project of a folder in the work tree of a task: an agent there belongs to it. Any other folder is its
 * own. Both are real paths.
 */
export const projectOfTree = Effect.fn("projectOfTree")(function* (folder: string, stateDir: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const all = yield* Effect.orElseSucceed(fs.realPath(path.join(stateDir, treesFolder)), () => undefined)
  if (all === undefined || !folder.startsWith(`${all}${path.sep}`)) return folder
  const [run = ""] = path.relative(all, folder).split(path.sep)
  return yield* Effect.orElseSucceed(fs.realPath(path.join(all, run, projectLink)), () => folder)
})
