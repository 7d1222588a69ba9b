import { chmodSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { build } from "rolldown"

/**
 * One file that runs under plain Node, the command of the published package: `node build.ts [folder]`, `dist` beside
 * this file by default. Beside it `hook.js`, which is `souffleur hook` alone: a tool call of the agent waits for it,
 * and to read all of the command takes longer than Node takes to start; and `comms.js`, which touches comms alone, and
 * is started once a minute. Not minified: that saves 4 ms of a start, and a stack trace could no longer be read.
 */
const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const folder = process.argv[2] ?? here("dist")

/**
 * A Node without its SQLite would end with a stack trace before a line of ours runs: an import of what is not there
 * cannot be caught. Asked for instead, it is told in a sentence.
 */
const sqlite = `const found = process.getBuiltinModule?.("node:sqlite")
if (found === undefined) {
  process.stderr.write("souffleur: Node >= 22.19 is needed, and this is " + process.version + "\\n")
  process.exit(2)
}
export const { DatabaseSync, backup } = found`
const sqliteAsked = {
  name: "sqlite",
  resolveId: (id: string) => (id === "node:sqlite" ? "\0sqlite" : null),
  load: (id: string) => (id === "\0sqlite" ? sqlite : null)
}

for (const [input, name] of [
  ["src/main.ts", "souffleur.js"],
  ["src/hook.ts", "hook.js"],
  ["src/comms.ts", "comms.js"]
] as const) {
  const file = `${folder}/${name}`
  await build({
    input: here(input),
    platform: "node",
    plugins: [sqliteAsked],
    output: { file, format: "esm", codeSplitting: false, comments: { legal: true, annotation: false, jsdoc: false } },
    // What cannot be bundled would be missing where there is no workspace.
    onLog: (_, log) => {
      throw new Error(log.message)
    }
  })
  chmodSync(file, 0o755)
}
