import { Console, Effect } from "effect"
import { Command } from "effect/cli"
import { conductDemo } from "../demo/ConductDemo.ts"
import { demo } from "../demo/Demo.ts"
import type { DemoFailed } from "../demo/Scene.ts"
import { Ended } from "../Failure.ts"

const failed = ({ message }: DemoFailed) =>
  Effect.andThen(Console.error(`souffleur: the demo failed: ${message}`), Effect.fail(new Ended({ code: 1 })))

const conductDemoCommand = Command.make("conduct", {}, () => Effect.catchTag(conductDemo(), "DemoFailed", failed)).pipe(
  Command.withDescription("Conduct a plan to its end, with its conductor killed half-way")
)

const fleetDemoCommand = Command.make("fleet", {}, () =>
  // It has the contract of a hub, which no other act needs.
  Effect.promise(() => import("../demo/FleetDemo.ts")).pipe(
    Effect.flatMap(({ fleetDemo }) => fleetDemo()),
    Effect.catchTag("DemoFailed", failed)
  )
).pipe(Command.withDescription("Run three hosts and a hub, which is killed while an agent dies"))

/** Plays the demonstration in a folder of its own, with a stand-in for the agent. */
export const demoCommand = Command.make("demo", {}, () => Effect.catchTag(demo(), "DemoFailed", failed)).pipe(
  Command.withSubcommands([conductDemoCommand, fleetDemoCommand])
)
