// node bench/bench.ts [name [option]]: one bench, or all of them. Options need a name. It ends with 1, and names the benches, where a limit is
// missed.
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Console, Effect, type Scope } from "effect"
import { append } from "./Append.ts"
import { built } from "./Child.ts"
import { estimate } from "./EstimateBench.ts"
import { hub } from "./HubBench.ts"
import { idle } from "./Idle.ts"
import { many } from "./ManyBench.ts"
import { neighbours } from "./NeighboursBench.ts"
import { page } from "./PageBench.ts"
import { rebuild } from "./Rebuild.ts"
import { recovery } from "./RecoveryBench.ts"
import { start } from "./Start.ts"
import { store } from "./StoreBench.ts"
import { suite } from "./SuiteBench.ts"
import { transcripts } from "./Transcripts.ts"
import { trim } from "./TrimBench.ts"
import { words } from "./WordsBench.ts"

const [name, option, count] = process.argv.slice(2)

type Bench = readonly [run: Effect.Effect<boolean, unknown, NodeServices.NodeServices | Scope.Scope>, what: string]
const benches: Readonly<Record<string, Bench>> = {
  append: [append, "events appended a second, beside raw node:sqlite"],
  rebuild: [rebuild(Number(option ?? 200_000)), "a log folded to its state, beside reading it; [events]"],
  store: [store, "each command and tool on 10,000 finished watches and on a million events, beside an empty store"],
  start: [start, "how long each command, a hook and a launch take, beside bare Node"],
  idle: [
    idle(Number(option ?? 60)),
    "memory and processor of a watch and its guardian at rest; how soon a death is noticed; [seconds]"
  ],
  neighbours: [
    neighbours(Number(option ?? 30)),
    "processor of a watch at rest while others write beats into its store; [seconds]"
  ],
  many: [
    many(Number(option ?? 40), Number(count ?? 300)),
    "many agents: memory and processor by one app beside a souffleur for each; all die at once; [agents [seconds]]"
  ],
  page: [
    page(Number(option ?? 60)),
    "the page on 10,000 watches: time, size and memory, a conversation of 100 MB, and a watch that somebody looks at; [seconds]"
  ],
  hub: [
    hub(Number(option ?? 10_000)),
    "a hub on a real Postgres: the news of its hosts, a backlog, and what a host pays; [hosts]"
  ],
  recovery: [
    recovery(option === "--gigabyte" ? [0, 100, 1000] : [0, 100]),
    "an agent is killed: how soon its successor runs, by the size of the session; [--gigabyte]"
  ],
  estimate: [estimate, "the estimate of an export that was trimmed, and the memory of one of 1 GB"],
  words: [words, "1 MB of an agent's output in one line on a terminal, whatever it holds"],
  trim: [trim, "10 MB, 100 MB and 1 GB trimmed in process"],
  transcripts: [
    transcripts(option === "--gigabyte" ? [10, 100, 1000] : [10, 100]),
    "export and trim as processes with their memory; [--gigabyte]"
  ],
  suite: [
    suite(option === "--busy" ? Number(count ?? 20) : 0),
    "the tests of `pnpm test`, once and alone, and a night in memory; with [--busy N] N times beside two busy loops"
  ]
}
const all = Object.entries(benches)
const asked = all.filter(([each]) => name === undefined || each === name)

const main = Effect.gen(function* () {
  if (asked.length === 0) {
    yield* Console.log(
      ["pnpm bench [name]", ...all.map(([each, [, what]]) => `  ${each.padEnd(12)}${what}`)].join("\n")
    )
    return
  }
  yield* built
  const missed: Array<string> = []
  for (const [each, [bench]] of asked) if (!(yield* Effect.scoped(bench))) missed.push(each)
  if (missed.length === 0) return yield* Console.log("Each limit is met.")
  yield* Console.log(`A limit is missed: ${missed.join(", ")}`)
  process.exitCode = 1
})
NodeRuntime.runMain(main.pipe(Effect.provide(NodeServices.layer)))
