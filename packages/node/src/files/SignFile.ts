import * as fs from "node:fs"
import { join } from "node:path"
import { hasCode } from "./SystemError.ts"

/** Limit of a file of signs in bytes, and the bytes that a cut leaves. */
const maxBytes = 262_144
const keptBytes = 131_072

/** Limit of files of signs, and the number that pruning leaves. */
const maxFiles = 500
const keptFiles = 400

/** Milliseconds after which a draft counts as left behind by a dead process. */
const abandonedMillis = 60_000

const { O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK, O_WRONLY } = fs.constants

/**
 * Appends to the file with one write, and returns its size in bytes. Repeats the write if the file was replaced
 * meanwhile.
 */
const append = (path: string, line: string): number => {
  for (;;) {
    const file = fs.openSync(path, O_APPEND | O_CREAT | O_WRONLY | O_NOFOLLOW | O_NONBLOCK, 0o600)
    try {
      fs.writeSync(file, line)
      const written = fs.fstatSync(file)
      if (fs.statSync(path, { throwIfNoEntry: false })?.ino === written.ino) return written.size
    } finally {
      fs.closeSync(file)
    }
  }
}

const readFrom = (file: number, position: number): Buffer => {
  const bytes = Buffer.alloc(Math.max(0, fs.fstatSync(file).size - position))
  return bytes.subarray(0, fs.readSync(file, bytes, 0, bytes.length, position))
}

/**
 * Cuts a file to its newest lines. The draft's name is the lock.
 * A writer that appends meanwhile either sees the replacement and writes again, or wrote before it and is copied here.
 * So a line may be there twice, and none is lost.
 */
const cut = (path: string): void => {
  const draft = `${path}.cut`
  let next: number
  try {
    next = fs.openSync(draft, "ax", 0o600)
  } catch (error) {
    const left = hasCode(error, "EEXIST") ? fs.statSync(draft, { throwIfNoEntry: false }) : undefined
    if (left !== undefined && left.mtimeMs + abandonedMillis < performance.timeOrigin) fs.rmSync(draft, { force: true })
    return
  }
  const whole = fs.openSync(path, "r")
  try {
    const end = fs.fstatSync(whole).size
    const tail = end > maxBytes ? readFrom(whole, end - keptBytes) : Buffer.alloc(0)
    if (tail.length === 0) return fs.rmSync(draft, { force: true })
    fs.writeSync(next, tail.subarray(tail.indexOf(10) + 1))
    fs.renameSync(draft, path)
    fs.writeSync(next, readFrom(whole, end - keptBytes + tail.length))
  } finally {
    fs.closeSync(whole)
    fs.closeSync(next)
  }
}

/**
 * Appends a line to a file of signs (0600), which it makes if it is missing. Cuts a file that has become too large to
 * its newest lines.
 */
export const appendSign = (path: string, line: string): void => {
  if (append(path, line) > maxBytes) cut(path)
}

/** Removes the files with the oldest writes. Sessions come and go for months. */
export const pruneSigns = (folder: string): void => {
  const names = fs.readdirSync(folder)
  if (names.length <= maxFiles) return
  const files = names.map((name) => ({ path: join(folder, name), at: fs.statSync(join(folder, name)).mtimeMs }))
  for (const { path } of files.toSorted((a, b) => b.at - a.at).slice(keptFiles)) fs.rmSync(path, { force: true })
}
