// node ManyKeeper.mjs <order as JSON>: an app that keeps an agent in each folder, and prints a line for each event. A
// signal USR2 begins to measure how late its loop is and to count the statements of SQL. The next one prints both.
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Souffleur } from "@souffleur/embed"
import { Memory } from "@souffleur/node"
import { Console, Effect, Layer } from "effect"
import { monitorEventLoopDelay } from "node:perf_hooks"
import { StatementSync } from "node:sqlite"
import type { ManyOrder } from "./ManyWorld.ts"

const order = JSON.parse(process.argv[2]!) as ManyOrder

const delays = monitorEventLoopDelay({ resolution: 5 })
let statements = 0
for (const run of ["all", "get", "iterate", "run"] as const) {
  const native = StatementSync.prototype[run] as (...values: Array<unknown>) => unknown
  StatementSync.prototype[run] = function (this: StatementSync, ...values: Array<unknown>) {
    // The looks for the commits of others come by the second, not by the death.
    if (!this.sourceSQL.startsWith("PRAGMA")) statements++
    return native.apply(this, values)
  } as never
}
const tell = (tag: string, pid: number) => process.stdout.write(`${JSON.stringify({ tag, watch: "", at: 0, pid })}\n`)
process.on("SIGUSR2", () => {
  if (delays.enable()) {
    statements = 0
    return delays.reset()
  }
  delays.disable()
  tell("statements", statements)
  tell("delay", Math.round(delays.max / 1e6))
})

const keep = Effect.fnUntraced(function* (project: string, wake: Effect.Effect<void>) {
  const souffleur = yield* Souffleur
  const { guarded } = order
  const watch = yield* souffleur.run({
    project,
    command: [order.agent, "-p", "work"],
    ...(guarded ? { guardian: { line: () => [process.execPath, ...process.argv.slice(1)], cwd: project } } : {})
  })
  yield* watch.narrate(({ event: { _tag: tag, at } }, { conductor }) =>
    Effect.andThen(wake, Console.log(JSON.stringify({ watch: project, tag, at, pid: conductor?.pid ?? 0 })))
  )
})

NodeRuntime.runMain(
  Memory.makeRest.pipe(
    Effect.flatMap(({ wake }) =>
      Effect.forEach(order.folders, (project) => keep(project, wake), { concurrency: "unbounded", discard: true })
    ),
    Effect.andThen(Effect.never),
    Effect.scoped,
    Effect.provide(
      Layer.orDie(
        Souffleur.layerNode({
          stateDir: order.state,
          settings: { launcher: "headless", launchSpacing: 0, ...order.settings }
        })
      )
    )
  )
)
