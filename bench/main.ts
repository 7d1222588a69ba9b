// node bench/main.ts append | rebuild [events]
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Console, Effect } from "effect"
import { append } from "./Append.ts"
import { rebuild } from "./Rebuild.ts"

const [name, size] = process.argv.slice(2)

const benches = { append, rebuild: rebuild(Number(size ?? 200_000)) }
const bench = Object.entries(benches).find(([each]) => each === name)?.[1]

NodeRuntime.runMain(
  (bench ?? Console.error(`one of: ${Object.keys(benches).join(", ")}`)).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
)
