import { chmodSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { build } from "rolldown"

/**
 * One file that runs under plain Node, the command of the published package: `node build.ts [folder]`, `dist` beside
 * this file by default. `hook.js` beside it is `souffleur hook` alone. A tool call of the agent waits for it, and the
 * whole command takes longer to read than Node takes to start. `comms.js` touches comms alone, and starts once a minute.
 * Nothing is minified: that saves 4 ms of a start, and makes a stack trace unreadable.
 */
const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const folder = process.argv[2] ?? here("dist")

/**
 * Asks for SQLite before the bundle imports it. An import of a missing module cannot be caught, so an old Node would end
 * with a stack trace. It ends with a sentence instead.
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
    // A module that cannot be bundled would be missing outside the workspace.
    onLog: (_, log) => {
      throw new Error(log.message)
    }
  })
  chmodSync(file, 0o755)
}
