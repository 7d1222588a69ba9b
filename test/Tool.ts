import { execFile } from "node:child_process"
import { delimiter, join } from "node:path"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("..", import.meta.url))
const bin = join(root, "node_modules", ".bin")

/** Runs a tool of the workspace over the workspace. Returns its output where it fails, and else the empty text. */
export const complaints = (name: string, ...args: ReadonlyArray<string>): Promise<string> =>
  new Promise((resolve) => {
    const env = { ...process.env, PATH: `${bin}${delimiter}${process.env["PATH"] ?? ""}` }
    execFile(join(bin, name), args, { cwd: root, env, maxBuffer: 10_000_000 }, (error, printed, told) =>
      resolve(error === null ? "" : `${error.message}\n${printed}${told}`)
    )
  })
