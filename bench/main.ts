import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Console, Effect } from "effect"
import { append } from "./Append.ts"

const benches = { append }

const name = process.argv[2]
const bench = name !== undefined && name in benches ? benches[name as keyof typeof benches] : undefined

NodeRuntime.runMain(
  (bench ?? Console.error(`bench: one of ${Object.keys(benches).join(", ")}`)).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
)
