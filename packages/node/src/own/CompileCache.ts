import * as fs from "node:fs"
import * as module from "node:module"
import { dirname, isAbsolute, join } from "node:path"
import { ownFolder } from "../files/Folder.ts"
import { keepScripts } from "../files/KeptScript.ts"
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
 * Returns the folder for a program, in the user's own for Node (NODE_COMPILE_CACHE) or in souffleur's. `makes`: a
 * folder that is missing is made.
 */
const folderFor = (program: string, makes: boolean): string | undefined => {
  const chosen = module.getCompileCacheDir()
  const name = `${process.version}-${fs.statSync(program).ino}`
  if (chosen !== undefined) return join(chosen, name)
  const folder = compiledDir(process.env)
  if (folder === undefined) return undefined
  const own = join(folder, name)
  const isNew = !fs.existsSync(own)
  if (isNew && !makes) return undefined
  // The code in it is run.
  if (ownFolder(folder) !== undefined || ownFolder(own) !== undefined) return undefined
  if (isNew) prune(folder)
  return own
}

/**
 * Keeps the compiled code of all that is loaded from now on. `program`: path of the running program. `word`: what it
 * is asked for; `undefined`: kept code is used, and no file is written. A folder that others may write is not used.
 * Does nothing where no folder can be used. Does nothing in an executable either, which brings compiled code.
 */
export const keepCompiled = (program: string, word: string | undefined): void => {
  try {
    if (isExecutable) return
    const folder = folderFor(program, word !== undefined)
    if (folder === undefined) return
    if (word !== undefined) fs.mkdirSync(folder, { recursive: true, mode: 0o700 })
    const parts = dirname(fs.realpathSync(program))
    keepScripts([parts, join(parts, "chunks")], folder, word)
  } catch {
    // The code is compiled at each start, as without a cache.
  }
}
