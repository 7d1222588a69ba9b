import { execFileSync } from "node:child_process"
import { chmodSync, mkdirSync, rmSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { build, type BuildOptions, type Plugin } from "rolldown"
import { ascii } from "../../release/Ascii.ts"
import { joined } from "../../release/Chunks.ts"
import { lateParts } from "../../release/LateParts.ts"
import { licences } from "../../release/Licences.ts"
import { plainInterop } from "../../release/Interop.ts"
import { shells } from "./src/completions/CompletionFile.ts"
import { version } from "./src/Version.ts"

/**
 * Builds the command of the published package, a folder that runs under plain Node. `node build.ts [folder]` writes it,
 * by default to `dist` beside this file. `souffleur.cjs` is short, and loads the chunks of the command that is asked
 * for.
 * Each small entry is one file with everything that its errand needs. A tool call waits for `hook.cjs`, and a recovery
 * for `launch.cjs`. `database.cjs` starts once a minute. `notify.cjs` speaks to a server. `guardian.cjs` is in memory as
 * long as a watch.
 * `page.cjs` is the server of the page with its views, and `souffleur page` alone loads it. `hub.cjs` is the
 * server of the hub, with the driver of Postgres. Both share the chunks of other commands. A file with copies of them starts no sooner, and takes 16 MB more.
 * `completions` has the completion of each shell, so that no command is loaded to write it.
 * Nothing is minified: that saves 4 ms of a start, and makes a stack trace unreadable.
 */

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const folder = process.argv[2] ?? here("dist")

/** Has the version as a literal, which is inlined. A chunk for it would be one more file to read. */
const literalVersion: Plugin = {
  name: "literal-version",
  load: (id) => (id === here("src/Version.ts") ? `export const version = "${version}"` : undefined)
}

const plugins = [literalVersion, lateParts, ascii, plainInterop]
const optionsOf = (source: string) =>
  ({
    input: here(source),
    platform: "node",
    // The UMD of jsonc-parser hides its own parts from a bundler.
    resolve: { mainFields: ["module", "main"] },
    // Only a bundler for browsers has it.
    transform: { define: { "import.meta.env": "undefined" } },
    plugins,
    // A chunk that is made by hand may export more than its entry.
    preserveEntrySignatures: "allow-extension",
    optimization: { inlineConst: true },
    // A busy machine makes a build slow, and not wrong.
    checks: { bundlerTimings: false },
    // A module that cannot be bundled would be missing outside the workspace.
    onLog: (_, log) => {
      throw new Error(log.message)
    }
  }) satisfies BuildOptions
/**
 * Files are scripts, and no modules. Node's loader of modules takes 4 ms of each start, and 5 MB of a process at rest.
 * Node also lets a program keep the compiled code of scripts alone, with all that has run.
 */
const format = { format: "cjs", strict: true, comments: { legal: true, annotation: false, jsdoc: false } } as const

// The chunks of an earlier build may have other names.
rmSync(`${folder}/chunks`, { recursive: true, force: true })
const command = optionsOf("src/main.ts")
const { output } = await build({
  ...command,
  write: false,
  output: { ...format, format: "esm", preserveModules: true }
})
// Each module is its own chunk here, so that a chunk takes in what its entries need and no more.
const chunks = joined(
  output.filter((one) => one.type === "chunk"),
  {
    errand: ["CompileCache", "HookEntry", "HookReader", "LaunchEntry"],
    program: ["Program"],
    status: ["CommandInstallation", "StatusCommand"],
    words: ["DyingWords"],
    log: ["Overview", "FirstTyped", "HookFiles", "MakeSouffleurLog", "WatchTimeline", "RunTimeline", "JobCounts"],
    // Commands of the setup start no watch.
    setup: ["SouffleurSetup", "PersonOnly", "AtWork", "FileClaims", "World"],
    souffleur: ["CommandWorld"],
    run: ["RunCommand", "WatchCommand"],
    report: ["ReportCommand"],
    // Effect's server, for the page and for the tools. Neither loads the other.
    http: ["HttpEffect", "HttpRouter", "Sse", "Socket"],
    // For the tools and for the cluster of hubs. Neither loads the other.
    rpc: ["RpcClient", "RpcGroup", "RpcServer", "RcMap"],
    loopback: ["LoopbackServer"],
    // Both pages: that of a host, and that of a hub. The commands of a host load none of them.
    view: ["FleetView", "Membership", "OwnCommand", "SaidWord"],
    pages: ["FleetPages"],
    page: ["PageCommand"],
    // No command of a host loads the hub, nor its driver of Postgres.
    fleet: ["FleetCommand", "FleetTable"],
    hub: ["HubCommand"]
  }
)
await build({
  ...command,
  // The command has the packages of every small entry.
  plugins: [...plugins, licences],
  output: {
    ...format,
    dir: folder,
    entryFileNames: "souffleur.cjs",
    chunkFileNames: ({ name }) => (name === "page" || name === "hub" ? "[name].cjs" : "chunks/[name].cjs"),
    codeSplitting: {
      includeDependenciesRecursively: false,
      groups: [{ debugName: "joined", name: (module) => chunks.get(module) ?? null }]
    }
  }
})
chmodSync(`${folder}/souffleur.cjs`, 0o755)
for (const [source, name] of [
  ["src/hook.ts", "hook.cjs"],
  ["src/database.ts", "database.cjs"],
  ["src/guardian.ts", "guardian.cjs"],
  ["src/notify.ts", "notify.cjs"],
  ["../node/src/launch/launch.ts", "launch.cjs"]
] as const)
  await build({ ...optionsOf(source), output: { ...format, file: `${folder}/${name}`, codeSplitting: false } })

// Without a home no compiled code is kept.
const completion = (shell: string) =>
  execFileSync(process.execPath, [`${folder}/souffleur.cjs`, "--completions", shell], { env: {} })
mkdirSync(`${folder}/completions`, { recursive: true })
for (const shell of shells) writeFileSync(`${folder}/completions/souffleur.${shell}`, completion(shell))
