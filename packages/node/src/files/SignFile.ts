import * as fs from "node:fs"
import { dirname, join } from "node:path"
import { hasCode } from "./SystemError.ts"

/** Bytes after which a file of signs becomes the older one. So the two keep at least that much. */
const maxBytes = 131_072

/** Limit of files of signs, and the number that pruning leaves. */
const maxFiles = 500
const keptFiles = 400

/** Milliseconds after which a lock counts as left behind by a dead process. */
const abandonedMillis = 60_000

const { O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK, O_WRONLY } = fs.constants

/** Names the file in which the signs lie that came before a file's own. */
export const olderSigns = (path: string): string => `${path}.1`

/**
 * Appends to the file with one write, and returns its size in bytes. Repeats the write where it went to a removed
 * file.
 */
const append = (path: string, line: string): number => {
  for (;;) {
    const file = fs.openSync(path, O_APPEND | O_CREAT | O_WRONLY | O_NOFOLLOW | O_NONBLOCK, 0o600)
    try {
      fs.writeSync(file, line)
      const { nlink, size } = fs.fstatSync(file)
      if (nlink > 0) return size
    } finally {
      fs.closeSync(file)
    }
  }
}

/** Makes a file of signs the older one, under a lock. Without it two writers in turn would leave a short older one. */
const rotate = (path: string): void => {
  const lock = `${path}.lock`
  try {
    fs.closeSync(fs.openSync(lock, "wx", 0o600))
  } catch (error) {
    const left = hasCode(error, "EEXIST") ? fs.statSync(lock, { throwIfNoEntry: false }) : undefined
    if (left !== undefined && left.mtimeMs + abandonedMillis < performance.timeOrigin) fs.rmSync(lock, { force: true })
    return
  }
  try {
    if ((fs.statSync(path, { throwIfNoEntry: false })?.size ?? 0) > maxBytes) fs.renameSync(path, olderSigns(path))
  } finally {
    fs.rmSync(lock, { force: true })
  }
}

/** Removes the files with the oldest writes. Sessions come and go for months, and an agent may make some up. */
const pruneSigns = (folder: string): void => {
  const names = fs.readdirSync(folder)
  if (names.length <= maxFiles) return
  const files = names.map((name) => ({ path: join(folder, name), at: fs.statSync(join(folder, name)).mtimeMs }))
  for (const { path } of files.toSorted((a, b) => b.at - a.at).slice(keptFiles)) fs.rmSync(path, { force: true })
}

/**
 * Appends a line to a file of signs (0600), which it makes if it is missing. A file that has become too large becomes
 * the older one, in place of the one before. So a line is lost only after newer lines of that size. A file of a new
 * session takes the place of the oldest.
 */
export const appendSign = (path: string, line: string): void => {
  const isNew = !fs.existsSync(path)
  if (append(path, line) > maxBytes) rotate(path)
  if (isNew) pruneSigns(dirname(path))
}
