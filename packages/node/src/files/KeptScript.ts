import * as fs from "node:fs"
import { Module } from "node:module"
import { basename, dirname, join } from "node:path"
import { constants, Script } from "node:vm"
import { waitedBeside } from "../own/HostClock.ts"

/** Milliseconds after which a start is over. A process that rests later drops compiled code. */
const startMillis = 5000

/** Part of a module that Node's types leave out. Node calls it with the text of each script that is loaded. */
interface Compiling {
  _compile: (this: NodeJS.Module, text: string, path: string, ...more: ReadonlyArray<unknown>) => unknown
}

/** Compiled code of a script. It fits the script with this time of change, and has the functions of these words. */
interface Kept {
  readonly code: Buffer
  readonly changed: number
  readonly words: ReadonlyArray<string>
}

/** Reads what `write` has written. `undefined`: there is none. */
const read = (path: string): Kept | undefined => {
  try {
    const bytes = fs.readFileSync(path)
    // JSON has no end of line of its own.
    const end = bytes.lastIndexOf("\n")
    return { code: bytes.subarray(0, end), ...JSON.parse(bytes.toString("utf8", end)) }
  } catch {
    return undefined
  }
}

/** Removes the drafts of a script that a killed start has left. */
const removeDrafts = (path: string): void => {
  for (const name of fs.readdirSync(dirname(path)))
    if (name.startsWith(`${basename(path)}.`)) fs.rmSync(join(dirname(path), name), { force: true })
}

/**
 * Writes at once as a whole, also where the power fails: V8 trusts what it reads. A start whose draft another one has
 * removed keeps nothing.
 */
const write = (path: string, { code, ...rest }: Kept): void => {
  removeDrafts(path)
  const draft = `${path}.${process.pid}`
  try {
    fs.writeFileSync(draft, Buffer.concat([code, Buffer.from(`\n${JSON.stringify(rest)}`)]), {
      mode: 0o600,
      flush: true
    })
    fs.renameSync(draft, path)
  } finally {
    // On a full disk half a draft is there.
    fs.rmSync(draft, { force: true })
  }
}

/**
 * Keeps the compiled code of scripts in the folders `scripts` in the folder `kept`. Node's own cache has none of the
 * functions that a script calls, because Node takes it before the script runs. `word`: what the program is asked for.
 * The code is taken again with each new word, and has the functions of all. A program that fails keeps nothing.
 * Without a word kept code is used, and no file is written.
 */
export const keepScripts = (scripts: ReadonlyArray<string>, kept: string, word: string | undefined): void => {
  const fresh: Array<() => void> = []
  const modules = Module.prototype as unknown as Compiling
  const plain = modules._compile
  modules._compile = function (text, path, ...more) {
    if (!scripts.includes(dirname(path))) return plain.call(this, text, path, ...more)
    const at = join(kept, basename(path))
    const changed = fs.statSync(path).ctimeMs
    const found = read(at)
    const fitting = found?.changed === changed ? found : undefined
    const script = new Script(Module.wrap(text), {
      filename: path,
      importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
      ...(fitting === undefined ? {} : { cachedData: fitting.code })
    })
    // V8 rejects the code of another version, or of other flags.
    const words = fitting === undefined || script.cachedDataRejected ? [] : fitting.words
    if (word !== undefined && !words.includes(word))
      fresh.push(() => write(at, { code: script.createCachedData(), changed, words: [...words, word] }))
    const require = (id: string) => this.require(id)
    return script.runInThisContext().call(this.exports, this.exports, require, this, path, dirname(path))
  }
  const take = () => {
    try {
      for (const one of fresh.splice(0)) one()
    } catch {
      // The code is compiled at the next start, as without a cache.
    }
  }
  process.once("exit", (code) => code === 0 && take())
  void waitedBeside(startMillis).then(take)
}
