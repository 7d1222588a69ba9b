import * as fs from "node:fs"
import * as module from "node:module"
import { isAbsolute, join } from "node:path"
import { ownFolder } from "../files/Folder.ts"
import { isExecutable } from "./OwnProgram.ts"

/** Folders that are kept, each of a few megabytes. A program has one under each Node. An update is a new program. */
const keptFolders = 4

/** Returns the folder of compiled code (spec: settings#compiled-code). `undefined`: there is no absolute home. */
export const compiledDir = ({ HOME, XDG_CACHE_HOME }: NodeJS.ProcessEnv): string | undefined => {
  if (XDG_CACHE_HOME && isAbsolute(XDG_CACHE_HOME)) return join(XDG_CACHE_HOME, "souffleur")
  return HOME && isAbsolute(HOME) ? join(HOME, ".cache", "souffleur") : undefined
}

/** Names a folder of ours: the version of Node, and the inode of a program. */
const ours = /^v[\w.]+-\d+$/u

/** Removes our oldest folders. A program whose folder is removed while it runs compiles again at its next start. */
const prune = (folder: string): void => {
  const paths = fs.readdirSync(folder).flatMap((name) => (ours.test(name) ? [join(folder, name)] : []))
  const dated = paths.map((path) => ({ path, at: fs.lstatSync(path).mtimeMs })).toSorted((a, b) => b.at - a.at)
  for (const { path } of dated.slice(keptFolders)) fs.rmSync(path, { recursive: true, force: true })
}

/**
 * Makes Node keep the compiled code of all modules that are imported from now on. `program`: path of the running
 * program. A folder that others may write is not used, because the code in it is run. Does nothing where no folder can
 * be used, or where the user has chosen one (NODE_COMPILE_CACHE). Does nothing in an executable either, which brings
 * compiled code.
 */
export const keepCompiled = (program: string): void => {
  try {
    const folder = compiledDir(process.env)
    if (isExecutable || folder === undefined || module.getCompileCacheDir() !== undefined) return
    const own = join(folder, `${process.version}-${fs.statSync(program).ino}`)
    const isNew = !fs.existsSync(own)
    if (ownFolder(folder) !== undefined || ownFolder(own) !== undefined) return
    module.enableCompileCache(own)
    if (isNew) prune(folder)
  } catch {
    // The code is compiled at each start, as without a cache.
  }
}
