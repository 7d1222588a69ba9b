import {
  Agent,
  baselineOf,
  type Claims,
  Comms,
  type EventLog,
  type Launcher,
  leastPin,
  type Permission,
  Processes,
  quietUntilNow,
  type Settings,
  unreadBaseline
} from "@souffleur/domain"
import { adopt, command, finish, release, stop } from "@souffleur/supervisor"
import { Clock, Context, Effect, type FileSystem, Path, Scheduler } from "effect"
import type { Conductor } from "./SimulatedAgent.ts"
import { Gate } from "./EffectGate.ts"
import type { NewProcess } from "./ProcessTable.ts"
import { defaults } from "./Incarnation.ts"
import { ports } from "./Ports.ts"
import { SimScheduler } from "./SimScheduler.ts"
import type { World } from "./SimulatedWorld.ts"

/** Says a word, from a process of its own: an operator's, or one that `started` describes. */
export const operate = <A, E>(
  world: World,
  what: string,
  word: Effect.Effect<
    A,
    E,
    Agent | Claims | Comms | EventLog | FileSystem.FileSystem | Launcher | Path.Path | Processes | Settings
  >,
  started: NewProcess = {}
): void => {
  const process = world.processes.start({ name: "souffleur", ...started })
  const gate = new Gate(() => undefined, {
    kill: () => undefined,
    pause: () => undefined,
    now: () => world.timeline.monotonic
  })
  const context = ports(world, process, gate, defaults).pipe(
    Context.add(
      Clock.Clock,
      world.timeline.clock(() => false)
    ),
    Context.add(Scheduler.Scheduler, new SimScheduler(world.queue, 2048))
  )
  Effect.runForkWith(context)(Effect.provide(word, Path.layer)).addObserver((exit) => {
    world.tell(`an operator's word: ${what}: ${exit._tag}`)
    world.processes.end(process)
  })
}

/** Releases the watch: no act may follow. */
export const releaseBy = (world: World): void => {
  world.released = true
  operate(world, "release", release(world.id))
}

/** Has the agent stopped, and its watch ended. */
export const stopBy = (world: World): void => {
  world.stopped = true
  operate(world, "stop", stop(world.id))
}

/** Says through an agent's tools that the work is done, or asks for a hand-off. The quiet hours put a hand-off off. */
export const finishBy = (world: World): void => {
  world.finished = true
  operate(world, "done", finish(world.id, "agent"))
}
export const requestBy = (world: World, conductor: Conductor, request: string): void =>
  operate(
    world,
    "handoff",
    Effect.gen(function* () {
      yield* command(world.id, {
        _tag: "RequestHandoff",
        sessionId: conductor.sessionId,
        request,
        quietUntil: yield* quietUntilNow(world.settings.quietHours ?? null),
        digest: "0".repeat(64),
        tasks: { count: world.comms.tasks.size, fingerprint: world.comms.fingerprint }
      })
      conductor.condition = "handoff"
    })
  )

export const retryBy = (world: World): void => operate(world, "retry", command(world.id, { _tag: "Retry" }))

/** Hands the conversation over to the other one of two agents, which have the same program here. */
export const handOverBy = (world: World): void => {
  const from = world.ledger.watch.agent ?? "claude"
  const agent = from === "claude" ? "codex" : "claude"
  operate(world, "retry --agent", command(world.id, { _tag: "Retry", handover: { from, agent, lives: true } }))
}

/** Holds the watch, and lets it go on: nothing may be launched in between. */
export const holdBy = (world: World): void => operate(world, "hold", command(world.id, { _tag: "Hold" }))
export const goBy = (world: World): void => operate(world, "go", command(world.id, { _tag: "Go" }))

/** Adopts a Conductor as `souffleur adopt` does. */
export const adoptBy = (world: World, { process, sessionId }: Conductor): void => {
  const word = Effect.gen(function* () {
    const agent = yield* Agent
    const comms = yield* Comms
    const processes = yield* Processes
    const baseline = yield* Effect.orElseSucceed(Effect.map(comms.snapshot, baselineOf), () =>
      unreadBaseline(world.ledger.watch.baseline)
    )
    const print = agent.inPrintMode(yield* processes.commandLine(process.identity.pid))
    return yield* adopt(world.id, { conductor: process.identity, sessionId, print, baseline })
  })
  operate(world, "adopt", word)
}

/** Pins another ceiling by a person's word, whatever the file says. */
export const trustBy = (world: World, ceiling: Permission): void => {
  world.ceilings.said(ceiling)
  operate(world, `trust ${ceiling}`, command(world.id, { _tag: "Trust", pin: { ...leastPin, ceiling } }))
}
