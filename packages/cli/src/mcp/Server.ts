import { Effect, Exit, Fiber, Layer, Option, Semaphore, Stdio } from "effect"
import { McpProtocol, McpServer } from "effect/ai"
import { layerStoreReading, opening, settingsOf, unfinished } from "@souffleur/embed/internal"
import { version } from "../Version.ts"
import { projectHere } from "./CallContext.ts"
import { postMessage, readMessages, registerTasks, setState } from "./CommsTools.ts"
import { screened } from "./Requests.ts"
import { tools } from "./Tools.ts"
import { requestContextRecovery } from "./RecoveryTools.ts"
import { myState, status } from "./StateTools.ts"
import { done, heartbeat } from "./WatchTools.ts"

/** The services of the tools. This tool needs all of them. */
type World = Effect.Services<ReturnType<typeof requestContextRecovery>>

/** The model reads this before the tools. */
const instructions =
  "souffleur is a watchdog. It brings you, the Conductor, back with your conversation when you die, hang or run out of context. Tell it that you live (heartbeat). Ask it for a fresh context before yours runs out (request_context_recovery). Tell it when all work is complete (done)."

/**
 * The tools with their handlers. One call runs at a time: two openings of one database file in one process release each
 * other's locks.
 */
export const handlers = tools.toLayer(
  Effect.gen(function* () {
    const turn = yield* Semaphore.make(1)
    const context = yield* Effect.context<World>()
    const one = <A, E>(act: Effect.Effect<A, E, World>) => turn.withPermits(1)(Effect.provide(act, context))
    return tools.of({
      heartbeat: () => one(heartbeat()),
      my_state: () => one(myState()),
      set_state: (word) => one(setState(word)),
      post_message: (word) => one(postMessage(word)),
      read_messages: (word) => one(readMessages(word)),
      register_tasks: (word) => one(registerTasks(word)),
      request_context_recovery: (word) => one(requestContextRecovery(word)),
      done: () => one(done()),
      status: () => one(status())
    })
  })
)

/** The protocols that an agent may speak. The real one asks for the newest first, and settles on an older one. */
const protocols = [
  McpProtocol.v2026_07_28,
  McpProtocol.v2025_11_25,
  McpProtocol.v2025_06_18,
  McpProtocol.v2025_03_26,
  McpProtocol.v2024_11_05
] as const

const server = McpServer.layerStdio({
  name: "souffleur",
  version,
  instructions,
  protocols,
  registrations: McpServer.toolkit(tools).pipe(Layer.provide(handlers))
}).pipe(Layer.provide(Layer.effect(Stdio.Stdio, Effect.map(Stdio.Stdio, screened))))

/** Refuses a file that nothing trusts yet. A watch that is under way has its own pin, whatever the file says now. */
const admitted = Effect.gen(function* () {
  const project = yield* projectHere
  const store = layerStoreReading(yield* settingsOf(project))
  const known = yield* Effect.orElseSucceed(Effect.provide(unfinished({ project }), store), Option.none)
  if (Option.isNone(known)) yield* opening(project)
})

/** Serves standard input and output until the input ends. The server then interrupts itself, which is no failure. */
export const serve = admitted.pipe(
  Effect.andThen(Effect.forkChild(Layer.launch(server))),
  Effect.flatMap(Fiber.await),
  Effect.flatMap((exit) => (Exit.hasInterrupts(exit) ? Effect.void : exit)),
  Effect.catchTag("IllegalArgumentError", Effect.die)
)
