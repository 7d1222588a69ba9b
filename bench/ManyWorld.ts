import { Effect, FileSystem, Path, Schema, Stream } from "effect"
import { build } from "rolldown"
import { running } from "./Child.ts"
import { until } from "./Resting.ts"
import { sessionFile, tokensInUse } from "./SessionFileBench.ts"

/** What an app of the bench keeps. */
export interface ManyOrder {
  readonly state: string
  /** A folder for each agent. */
  readonly folders: ReadonlyArray<string>
  readonly agent: string
  readonly guarded: boolean
  readonly settings?: { readonly maxTokens?: number }
}

const Told = Schema.fromJsonString(
  Schema.Struct({ tag: Schema.String, watch: Schema.String, at: Schema.Int, pid: Schema.Int })
)
/** What the app has told: an event of the watch of a folder, with the pid of its agent. */
export type Told = typeof Told.Type

const root = `${import.meta.dirname}/..`
/** The small programs of souffleur, which it finds beside its modules. */
const programs = ["node/src/launch/launch", "node/src/own/guard", "node/src/own/detach", "node/src/sqlite/rows"].concat(
  ["errand", "hookSign", "notice"].map((name) => `embed/src/${name}`)
)

/** Builds the app as ES modules, one for each source, as a release has them. Returns its path. */
const keeperIn = Effect.fnUntraced(function* (folder: string) {
  const dir = `${folder}/built`
  const input = ["bench/ManyKeeper", ...programs.map((name) => `packages/${name}`)].map((name) => `${root}/${name}.ts`)
  yield* Effect.promise(() =>
    build({
      input,
      platform: "node",
      logLevel: "silent",
      // The UMD of jsonc-parser hides its own parts from a bundler.
      resolve: { mainFields: ["module", "main"] },
      output: { dir, preserveModules: true, preserveModulesRoot: root, entryFileNames: "[name].mjs" }
    })
  )
  return `${dir}/bench/ManyKeeper.mjs`
})

/** An agent that notes its pid, and has a session that lies ready or a small one. */
const agentIn = (folder: string) => `#!/bin/sh
echo $$ >> ${folder}/agents
while [ $# -gt 0 ] && [ "$1" != --session-id ]; do shift; done
if [ -n "$2" ]; then
  to="${folder}/claude/projects/$(pwd | tr / -)"; mkdir -p "$to"
  if [ -e session.jsonl ]; then mv session.jsonl "$to/$2.jsonl"; else
    # A record of the agent says where it works.
    printf '{"type":"system","cwd":"%s","sessionId":"%s"}\\n' "$(pwd)" "$2" > "$to/$2.jsonl"
    cat ${folder}/session.jsonl >> "$to/$2.jsonl"
  fi
fi
exec sleep 1000000
`

const ended = (pid: string) => {
  try {
    process.kill(Number(pid), "SIGKILL")
  } catch {
    // It has ended.
  }
}

/** Makes a folder for each of some agents, and the agent. */
export const manyFolders = Effect.fnUntraced(function* (folder: string, count: number) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  yield* sessionFile(`${folder}/session.jsonl`, 1, tokensInUse.few)
  const agent = path.join(folder, "claude-bench")
  yield* fs.writeFileString(agent, agentIn(folder), { mode: 0o755 })
  yield* Effect.addFinalizer(() =>
    Effect.map(
      Effect.orElseSucceed(fs.readFileString(`${folder}/agents`), () => ""),
      (pids) => pids.split("\n").filter(Boolean).forEach(ended)
    )
  )
  const folders = Array.from({ length: count }, (_, n) => path.join(folder, `job-${n}`))
  yield* Effect.forEach(folders, (each) => fs.makeDirectory(each), { discard: true })
  return { agent, folders }
})

/** The variables of souffleur for those agents. */
export const variablesIn = (folder: string) => ({
  HOME: folder,
  SOUFFLEUR_CLAUDE_DIR: `${folder}/claude`,
  SOUFFLEUR_AGENT_COMMAND: `${folder}/claude-bench`,
  SOUFFLEUR_LAUNCHER: "headless",
  SOUFFLEUR_LAUNCH_SPACING: "0s"
})

/** Starts the app, and waits until it watches each agent. Returns what it has told so far. */
export const startedApp = Effect.fnUntraced(function* (folder: string, order: Omit<ManyOrder, "state">) {
  const keeper = yield* keeperIn(folder)
  const words = [keeper, JSON.stringify({ state: `${folder}/state`, ...order })]
  const { pid, stdout } = yield* running(process.execPath, words, folder, variablesIn(folder))
  const told = new Array<Told>()
  yield* Effect.forkScoped(
    stdout.pipe(
      Stream.decodeText(),
      Stream.splitLines,
      Stream.mapEffect((line) => Schema.decodeEffect(Told)(line)),
      Stream.runForEach((event) => Effect.sync(() => told.push(event)))
    )
  )
  const settled = () => told.filter(({ tag }) => tag === "WatchSettled").length === order.folders.length
  yield* until(() => (settled() ? true : undefined))
  /** The pid of the newest agent of each watch. */
  const agents = () => {
    const newest = new Map(told.flatMap(({ pid, watch }) => (pid === 0 ? [] : [[watch, pid]])))
    return [...newest.values()]
  }
  return { pid, told, agents }
})
