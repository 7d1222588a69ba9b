import { assert, describe, it } from "@effect/vitest"
import { Agent, Event, Launcher, makeWatchRef, type Role } from "@souffleur/domain"
import { FailedClosed, type Provider } from "@souffleur/recovery"
import { Context, Effect, FileSystem, Layer, Path } from "effect"
import { Roles, standardProviders } from "../src/index.ts"
import { died, living, recovering, watching } from "./SupervisorWorld.ts"

/** The services of a larger app for its own provider. */
class Pager extends Context.Service<Pager, { readonly page: (text: string) => Effect.Effect<void> }>()("test/Pager") {}

/** A provider of the app's own: it asks a person, and closes. */
const askSomebody: Provider<Pager> = {
  name: "ask_somebody",
  applies: (watch) => watch.recovery?.trigger === "pid",
  recover: Effect.fn("AskSomebody")(function* (watch) {
    yield* (yield* Pager).page(`session ${watch.sessionId}`)
    return yield* new FailedClosed({ stage: "ask_somebody", message: "a person was asked" })
  })
}
it.effect("an app adds its own provider, with its services, before the standard ones", () =>
  Effect.gen(function* () {
    const { context, events } = yield* living([...watching, died(), recovering()])
    const paged: Array<string> = []
    const own = Roles.layerWith<Pager | Layer.Services<typeof Roles.layer>>([askSomebody, ...standardProviders]).pipe(
      Layer.provide([
        Layer.succeedContext(context),
        Layer.succeed(Pager, { page: (text) => Effect.sync(() => void paged.push(text)) }),
        Layer.mock(Launcher)({ terminals: ["headless"] as const, outputPath: () => "" }),
        FileSystem.layerNoop({}),
        Path.layer
      ])
    )
    const ref = yield* Effect.provideContext(makeWatchRef("w", { _tag: "Owner", fence: 1 }), context)
    const run = Effect.flatMap(ref.state, (watch) => Roles.use((roles) => roles.run("recovery/1" as Role, watch, ref)))
    yield* Effect.provide(run, own)
    assert.deepStrictEqual(paged, ["session s1"])
    assert.deepInclude((yield* events)[0], {
      _tag: "RecoveryFailedClosed",
      stage: "ask_somebody",
      message: "a person was asked"
    })
  })
)

describe("behaviour#awaiting-a-session-id", () => {
  it.effect("each role looks for sessions where the log says that the agent keeps them", () =>
    Effect.gen(function* () {
      const folder = "/home/ada/.claude-work"
      const { context } = yield* living([...watching, Event.AgentFolderFound.make({ at: 0, folder })])
      const looked: Array<string> = []
      const agent = Agent.of({
        ...Context.get(context, Agent),
        lookIn: (folders) => Effect.sync(() => void looked.push(...folders))
      })
      const own = Roles.layerWith([askSomebody]).pipe(
        Layer.provide([
          Layer.succeedContext(Context.add(context, Agent, agent)),
          Layer.succeed(Pager, { page: () => Effect.void }),
          Layer.mock(Launcher)({ terminals: ["headless"] as const, outputPath: () => "" }),
          FileSystem.layerNoop({}),
          Path.layer
        ])
      )
      const ref = yield* Effect.provideContext(makeWatchRef("w", { _tag: "Owner", fence: 1 }), context)
      const run = Effect.flatMap(ref.state, (watch) => Roles.use((roles) => roles.run("standby/1" as Role, watch, ref)))
      yield* Effect.timeoutOption(Effect.provide(run, own), 0).pipe(Effect.race(Effect.yieldNow))
      assert.deepStrictEqual(looked, [folder])
    })
  )
})
