import { chmodSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { build } from "rolldown"

/**
 * A folder that runs under plain Node, the published package: `node build.ts [folder]`, `dist` beside this file by default. The
 * command, `souffleur.js`, is small, and loads of the other files what an errand needs: to read all of them takes longer than
 * Node takes to start, and a tool call of the agent waits for a hook. Not minified: that saves 4 ms of a start, and a stack
 * trace could no longer be read.
 */
const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const dir = process.argv[2] ?? here("dist")

await build({
  input: here("src/main.ts"),
  platform: "node",
  output: {
    dir,
    entryFileNames: "souffleur.js",
    chunkFileNames: "[name].js",
    format: "esm",
    comments: { legal: true, annotation: false, jsdoc: false }
  },
  // What cannot be bundled would be missing where there is no workspace.
  onLog: (_, log) => {
    throw new Error(log.message)
  }
})
chmodSync(`${dir}/souffleur.js`, 0o755)
