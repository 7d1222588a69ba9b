import * as fs from "node:fs"
import { basename, isAbsolute, join } from "node:path"
import type { Executable, ProcessSource, Stat } from "./ProcessSource.ts"

/**
 * Returns whether a name is a terminal server's. The kernel cuts names to 15 characters, and any program can take such
 * a name.
 */
export const namedAsOne = (name: string): boolean =>
  /^(?:tmux: server.*|tmux|screen(?:-.*)?|SCREEN|zellij|kitty|dtach|abduco|wezterm-mux-ser)$/.test(name)

const program = /^(?:tmux|screen(?:-[\d.]+)?|zellij|kitty|dtach|abduco|wezterm-mux-server)$/

const folders = (): ReadonlyArray<string> => [
  ...(process.env["PATH"] ?? "").split(":").filter(isAbsolute),
  "/usr/local/bin",
  "/usr/bin",
  "/bin"
]

/** Returns whether souffleur itself would run this file by its name. */
const installed = (path: string): boolean =>
  folders().some((folder) => {
    try {
      return fs.realpathSync(join(folder, basename(path))) === path
    } catch {
      return false
    }
  })

/**
 * Returns whether a process is a terminal server, which outlives the programs in it. Both its name and the program that
 * it runs must say so, and that program must be installed or belong to root, so that no agent (uid `ours`) can have
 * made it. If the program may not be seen, the name decides: losing a terminal is worse than leaving a tool.
 */
export const isTerminalServer = (
  name: string,
  runs: Executable | undefined,
  ours: number,
  isInstalled = installed
): boolean => {
  if (!namedAsOne(name)) return false
  if (runs === undefined) return true
  // The file was replaced while it ran, as by an upgrade.
  const path = runs.path.replace(/ \(deleted\)$/u, "")
  return program.test(basename(path)) && ((runs.uid === 0 && ours !== 0) || isInstalled(path))
}

/** Returns whether a process of this machine is a terminal server. Reads its program only if its name says so. */
export const isTerminal =
  (ours: number, executable: ProcessSource["executable"]) =>
  ({ name, pid }: Stat): boolean =>
    namedAsOne(name) && isTerminalServer(name, executable(pid), ours)
