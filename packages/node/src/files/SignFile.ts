import * as fs from "node:fs"
import { join } from "node:path"
import { hasCode } from "../processes/Proc.ts"

/** Bytes of a file of signs, and to how many it is cut when it has more. */
const most = 262_144
const kept = 131_072

/** Files of signs, and how many are left when there are more. */
const mostFiles = 500
const keptFiles = 400

/** Milliseconds after which a draft was left behind by a process that died. */
const abandoned = 60_000

const { O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK, O_WRONLY } = fs.constants

/** One write at the end of the file that has this name: once more where that file was replaced meanwhile. */
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
 * Leaves the newest lines. Whoever appends meanwhile finds out that the file was replaced and says it again, or was
 * read here after the replacement: a line may be there twice, and none is lost. The draft's name is the lock.
 */
const cut = (path: string): void => {
  const draft = `${path}.cut`
  let next: number
  try {
    next = fs.openSync(draft, "ax", 0o600)
  } catch (error) {
    const left = hasCode(error, "EEXIST") ? fs.statSync(draft, { throwIfNoEntry: false }) : undefined
    if (left !== undefined && left.mtimeMs + abandoned < performance.timeOrigin) fs.rmSync(draft, { force: true })
    return
  }
  const whole = fs.openSync(path, "r")
  try {
    const end = fs.fstatSync(whole).size
    const tail = end > most ? readFrom(whole, end - kept) : Buffer.alloc(0)
    if (tail.length === 0) return fs.rmSync(draft, { force: true })
    fs.writeSync(next, tail.subarray(tail.indexOf(10) + 1))
    fs.renameSync(draft, path)
    fs.writeSync(next, readFrom(whole, end - kept + tail.length))
  } finally {
    fs.closeSync(whole)
    fs.closeSync(next)
  }
}

/**
 * Appends a line to a file of signs (0600), made where there is none. One that has become too large is cut to its
 * newest lines.
 */
export const appendSign = (path: string, line: string): void => {
  if (append(path, line) > most) cut(path)
}

/** Sessions come and go for months: the files that were longest not written to go. */
export const pruneSigns = (folder: string): void => {
  const names = fs.readdirSync(folder)
  if (names.length <= mostFiles) return
  const files = names.map((name) => ({ path: join(folder, name), at: fs.statSync(join(folder, name)).mtimeMs }))
  for (const { path } of files.toSorted((a, b) => b.at - a.at).slice(keptFiles)) fs.rmSync(path, { force: true })
}
