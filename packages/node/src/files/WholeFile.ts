import * as fs from "node:fs"
import { dirname, join } from "node:path"
import { hasCode } from "./SystemError.ts"
import { readTrustedText } from "./TrustedFile.ts"

const sync = (path: string): void => {
  const file = fs.openSync(path, "r")
  try {
    fs.fsyncSync(file)
  } finally {
    fs.closeSync(file)
  }
}

/**
 * Makes a file (0600) that is there whole or not at all, also after a power cut. Returns `false` where the name is
 * taken.
 * It uses `link`, which is exclusive, unlike `rename`. It is synchronous: nothing can come between its steps, and the
 * launch entry has no runtime.
 */
export const createWhole = (path: string, text: string): boolean => {
  // The draft has a folder of its own: its name is unique among all processes of all pid namespaces.
  const folder = fs.mkdtempSync(join(dirname(path), ".new-"))
  const draft = join(folder, "draft")
  try {
    fs.writeFileSync(draft, text, { flag: "wx", mode: 0o600, flush: true })
    fs.linkSync(draft, path)
    sync(dirname(path))
    return true
  } catch (error) {
    if (hasCode(error, "EEXIST")) return false
    throw error
  } finally {
    fs.rmSync(folder, { recursive: true, force: true })
  }
}

/** Bytes at most. The largest file is a launch, which holds an environment. */
const maxBytes = 16_000_000

/**
 * Reads a file of ours as text. `undefined`: there is no such file. Throws where another user owns it or can access it.
 */
export const readWhole = (path: string): string | undefined => {
  const read = readTrustedText(path, { own: true, others: "nothing", atMost: maxBytes })
  if ("text" in read) return read.text
  if (read.missing) return undefined
  throw new Error(`${path}: ${read.problem}`)
}
