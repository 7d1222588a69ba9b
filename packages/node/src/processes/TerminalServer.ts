import * as fs from "node:fs"
import { basename, isAbsolute, join } from "node:path"
import { executable, type Executable, type Stat } from "./Proc.ts"

/** The kernel cuts names to 15 characters. Anything can take one. */
export const namedAsOne = (name: string): boolean =>
  /^(?:tmux: server.*|tmux|screen(?:-.*)?|SCREEN|zellij|kitty|dtach|abduco|wezterm-mux-ser)$/.test(name)

const program = /^(?:tmux|screen(?:-[\d.]+)?|zellij|kitty|dtach|abduco|wezterm-mux-server)$/

const folders = (): ReadonlyArray<string> => [
  ...(process.env["PATH"] ?? "").split(":").filter(isAbsolute),
  "/usr/local/bin",
  "/usr/bin",
  "/bin"
]

/** Whether this file is the one of its name that souffleur itself would run. */
const installed = (path: string): boolean =>
  folders().some((folder) => {
    try {
      return fs.realpathSync(join(folder, basename(path))) === path
    } catch {
      return false
    }
  })

/**
 * A terminal outlives what runs in it, whoever started it. It is one by its name and by the program that it runs: one
 * that is installed, or one of root's, which an agent of ours (`ours`: its uid) could not have made. Where that may not
 * be seen, its name is taken: a terminal that is lost is worse than a tool that is left.
 */
export const isTerminalServer = (
  name: string,
  runs: Executable | undefined,
  ours: number,
  isInstalled = installed
): boolean => {
  if (!namedAsOne(name)) return false
  if (runs === undefined) return true
  // The file was replaced under it, as by an upgrade.
  const path = runs.path.replace(/ \(deleted\)$/u, "")
  return program.test(basename(path)) && ((runs.uid === 0 && ours !== 0) || isInstalled(path))
}

/** Of a process of this machine; what it runs is looked at only where its name says so. */
export const isTerminal =
  (ours: number) =>
  ({ name, pid }: Stat): boolean =>
    namedAsOne(name) && isTerminalServer(name, executable(pid), ours)
