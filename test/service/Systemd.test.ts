import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { alive, prints, stage, task, until } from "../cli/CliStage.ts"
import { joinedAlone } from "../cli/JoinedAlone.ts"
import { managerMissing, userManager } from "./UserManager.ts"

/** A watch whose souffleur was killed. A service under a real manager takes it over. */
const serving = Effect.gen(function* () {
  const the = yield* stage([task(1), task(2, 60_000)])
  const manager = yield* userManager(the)
  const conductor = yield* the.conductor(2)
  const watch = the.watch(conductor)
  const { watch: id } = yield* prints(watch, "WatchSettled")
  watch.kill("SIGKILL")
  yield* watch.ended
  const installed = yield* the.run(["service", "install", id], manager.variables)
  assert.strictEqual(installed.code, 0, installed.errors)
  const unit = `souffleur-${id}.service`
  const pid = Effect.sync(() => Number(manager.shows(unit, "MainPID")))
  const another = (than: number) => until(pid, (now) => now > 0 && now !== than)
  const owners = Effect.map(the.events, (events) => events.filter(({ _tag }) => _tag === "OwnerTook").length)
  yield* until(owners, (count) => count === 2)
  return { the, conductor, manager, unit, pid, another, owners, id }
})

describe("behaviour#service", () => {
  it.live.skipIf(managerMissing)(
    "systemd starts a souffleur again that was killed, leaves its agents alone, and lets it go at its own end",
    () =>
      Effect.gen(function* () {
        const { another, conductor, id, manager, owners, pid, the, unit } = yield* serving
        const first = yield* pid
        process.kill(first, "SIGKILL")
        const second = yield* another(first)
        yield* until(owners, (count) => count === 3)

        // A successor that the service has launched is in its cgroup, and outlives it.
        conductor.kill("SIGKILL")
        const [successor] = yield* until(Effect.sync(the.launched), ({ length }) => length === 1)
        yield* until(the.events, (events) => events.some(({ _tag }) => _tag === "ConductorRelaunched"))
        assert.strictEqual(manager.systemctl("stop", unit).status, 0)
        assert.deepStrictEqual([alive(second), alive(successor!)], [false, true])
        assert.strictEqual(manager.shows(unit, "ActiveState"), "inactive")

        assert.strictEqual(manager.systemctl("start", unit).status, 0)
        yield* until(owners, (count) => count === 4)
        assert.isTrue(alive(successor!))
        const released = yield* the.run(["release", id])
        assert.strictEqual(released.code, 0, released.errors)
        yield* until(pid, (now) => now === 0)
        assert.deepStrictEqual(
          ["ActiveState", "ExecMainStatus", "Result"].map((property) => manager.shows(unit, property)),
          ["inactive", "0", "success"]
        )
        assert.isTrue(alive(successor!))
      }).pipe(Effect.scoped),
    600_000
  )

  it.live.skipIf(managerMissing)(
    "systemd ends a souffleur that has fallen silent, and starts it again: its watchdog is fed by the beats of the watch",
    () =>
      Effect.gen(function* () {
        const { another, conductor, owners, pid } = yield* serving
        const first = yield* pid
        process.kill(first, "SIGSTOP")
        yield* another(first)
        yield* until(owners, (count) => count === 3)
        assert.isTrue(alive(conductor.pid))
      }).pipe(Effect.scoped),
    900_000
  )
})

describe("fleet#a-host", () => {
  it.live.skipIf(managerMissing)(
    "systemd runs the shipper of a host, and its stop is no failure",
    () =>
      Effect.gen(function* () {
        const the = yield* stage([task(1)])
        const manager = yield* userManager(the)
        yield* joinedAlone(the.state)
        const installed = yield* the.run(["service", "install", "fleet"], manager.variables)
        assert.strictEqual(installed.code, 0, installed.errors)
        const shows = (...properties: ReadonlyArray<string>) =>
          properties.map((property) => manager.shows("souffleur-fleet.service", property))
        assert.deepStrictEqual(shows("ActiveState", "SubState"), ["active", "running"])
        assert.strictEqual(manager.systemctl("stop", "souffleur-fleet.service").status, 0)
        assert.deepStrictEqual(shows("ActiveState"), ["inactive"], "a failed one would be failed")
      }).pipe(Effect.scoped),
    600_000
  )
})
