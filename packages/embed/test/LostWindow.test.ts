import { assert, describe, it } from "@effect/vitest"
import { Agent, Settings } from "@souffleur/domain"
import { FakeWorld, fakeKind, untilEvent } from "@souffleur/testing"
import { Effect, FileSystem, Layer, Option } from "effect"
import { HostServices } from "@souffleur/node"
import { Parts, type Remark, Remarks, Souffleur } from "../src/index.ts"
import { lostWindow } from "../src/window/LostWindow.ts"

const conductor = { pid: 4711, sessionId: "s1" }

/** A world whose Conductor has a terminal. */
const windowed = (settings: Partial<Settings["Service"]> = {}) => {
  const world = new FakeWorld({ conductor, settings: { launcher: "auto", ...settings } })
  world.processes.run({ ...world.processes.table.get(conductor.pid)!, hasTerminal: true })
  return world
}
const lost = (
  world: FakeWorld,
  variables: Readonly<Record<string, string>> = {},
  terminal: "headless" | "tmux" = "headless",
  changed = Effect.updateService(Agent, (agent) => agent)
) =>
  Effect.flatMap(Settings, (settings) => lostWindow(conductor, { settings, terminal, variables })).pipe(
    changed,
    Effect.map(Option.getOrUndefined),
    Effect.provide(world.layer)
  )

describe("settings#launcher", () => {
  it.effect(
    "a Conductor with a terminal whose successor would have none is told, and what print mode takes from it",
    () =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* lost(windowed()), {
          lost: "process 4711 has a window, and its successor would have none: in print mode (-p) nobody can answer it or type to it, and each command that its settings do not allow is refused",
          todo: "for a window, start souffleur in tmux"
        })
        const only = windowed()
        only.agent.windowless = true
        assert.strictEqual((yield* lost(only))?.todo, "souffleur launches this agent in print mode alone")
      })
  )
  it.effect(
    "nothing is told of one in print mode or without a terminal, of a successor with a window, or by choice",
    () =>
      Effect.gen(function* () {
        const print = Effect.updateService(Agent, (agent) => ({ ...agent, inPrintMode: () => true }))
        const without = new FakeWorld({ conductor })
        assert.isUndefined(yield* lost(windowed(), {}, "headless", print))
        assert.isUndefined(yield* lost(without))
        assert.isUndefined(yield* lost(windowed({ launcher: "headless" })))
        assert.isUndefined(yield* lost(windowed(), {}, "tmux"))
      })
  )
  it.effect("the process that holds the session is asked, where a person named its terminal", () =>
    Effect.gen(function* () {
      const world = new FakeWorld({ conductor, settings: { launcher: "auto" } })
      world.processes.run({ pid: 80, hasTerminal: true })
      world.agent.sessions = [{ pid: 80, sessionId: "s1" }]
      assert.match((yield* lost(world))?.lost ?? "", /^process 80 has a window/u)
    })
  )
  it.effect("the setting to write names a terminal that is installed, where there is a display", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const bin = yield* fs.makeTempDirectoryScoped()
      for (const name of ["xterm", "foot"]) yield* fs.writeFileString(`${bin}/${name}`, "#!/bin/sh\n", { mode: 0o755 })
      const todo = (variables: Readonly<Record<string, string>>) =>
        Effect.map(lost(windowed(), { PATH: bin, ...variables }), (found) => found?.todo)
      assert.strictEqual(
        yield* todo({ WAYLAND_DISPLAY: "wayland-0" }),
        `for a window, start souffleur with SOUFFLEUR_TERMINAL_COMMAND='["foot"]' (TERMINAL_COMMAND in the config file), or in tmux`
      )
      yield* fs.remove(`${bin}/foot`)
      assert.include(yield* todo({ DISPLAY: ":0" }), `'["xterm","-e"]'`)
      assert.strictEqual(yield* todo({}), "for a window, start souffleur in tmux")
    }).pipe(Effect.provide(HostServices.layer))
  )

  it.effect("a watch says so as it starts and as it goes on, but not one that only observes", () => {
    const world = windowed()
    const said: Array<Remark> = []
    const warnings = () => said.splice(0).filter(({ level }) => level === "warning")
    const layer = Souffleur.layer.pipe(Layer.provide(Parts.layerFixed(fakeKind)), Layer.provideMerge(world.layer))
    return Effect.gen(function* () {
      const souffleur = yield* Souffleur
      const asked = { ...conductor, project: "/p", comms: null }
      const { id } = yield* Effect.scoped(
        Effect.tap(souffleur.watch(asked), ({ id }) => untilEvent(id, "WatchSettled"))
      )
      assert.deepStrictEqual(
        warnings().map(({ text }) => text.slice(0, 40)),
        ["process 4711 has a window, and its succe"]
      )
      yield* Effect.scoped(souffleur.resume(id))
      assert.lengthOf(warnings(), 1)
      yield* souffleur.release(id)
      yield* Effect.scoped(souffleur.watch({ ...asked, observe: true }))
      assert.lengthOf(warnings(), 0)
    }).pipe(
      Effect.scoped,
      Effect.provide(layer),
      Effect.provideService(Remarks, (one) => Effect.sync(() => void said.push(one)))
    )
  })
})
