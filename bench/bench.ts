// node bench/bench.ts [append | rebuild [events] | estimate | start | idle [seconds] | trim | transcripts [--gigabyte]]
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Console, Effect } from "effect"
import { append } from "./Append.ts"
import { estimate } from "./EstimateBench.ts"
import { idle } from "./Idle.ts"
import { rebuild } from "./Rebuild.ts"
import { start } from "./Start.ts"
import { transcripts } from "./Transcripts.ts"
import { trim } from "./TrimBench.ts"

const [name, option] = process.argv.slice(2)

const benches = {
  append: [append, "events appended a second, beside raw node:sqlite"],
  rebuild: [rebuild(Number(option ?? 200_000)), "a log folded to its state, beside reading it; [events]"],
  estimate: [estimate, "1 GB estimated in process, beside wc and Python"],
  start: [start, "how long --version, a hook and --help take to start, beside bare Node"],
  idle: [
    idle(Number(option ?? 60)),
    "memory and processor of a watch at rest, beside bare Effect; how soon a death is noticed; [seconds]"
  ],
  trim: [trim, "10 MB, 100 MB and 1 GB trimmed in process"],
  transcripts: [
    transcripts(option === "--gigabyte" ? [10, 100, 1000] : [10, 100]),
    "estimate, export and trim as processes with their memory, beside wc and Python; [--gigabyte]"
  ]
} as const
const bench = Object.entries(benches).find(([each]) => each === name)?.[1][0]
const list = Object.entries(benches).map(([each, [, what]]) => `  ${each.padEnd(12)}${what}`)

const main = Effect.gen(function* () {
  if (bench === undefined) return yield* Console.log(["pnpm bench <name>", ...list].join("\n"))
  yield* bench
})
NodeRuntime.runMain(main.pipe(Effect.scoped, Effect.provide(NodeServices.layer)))
