import { Processes } from "@souffleur/domain"
import { assert, it } from "@effect/vitest"
import { Effect, FileSystem, Schedule } from "effect"
import { spawn } from "node:child_process"
import { HostServices } from "../src/index.ts"
import { layer } from "../src/processes/Processes.ts"
import { lockersIn } from "../src/processes/Locks.ts"

it("a lock counts if it is of a whole file, and of that inode", () => {
  const locks = [
    "1: FLOCK  ADVISORY  WRITE 929 fe:00:77 0 EOF",
    "2: FLOCK  ADVISORY  WRITE 930 fe:00:7 0 EOF",
    "3: POSIX  ADVISORY  WRITE 931 fe:00:77 0 EOF",
    "4: POSIX  ADVISORY  READ 932 fe:00:77 128 128",
    ""
  ]
  assert.deepStrictEqual(lockersIn(locks.join("\n"), "77"), [929])
})

it.live("a process holds a lock until it ends, and a file without one has no holder", () =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const processes = yield* Processes
    const folder = yield* fs.makeTempDirectoryScoped({ prefix: "souffleur-locks-" })
    const file = `${folder}/writer.lock`
    yield* fs.writeFileString(file, "")
    assert.deepStrictEqual(yield* processes.lockers(file), [])
    assert.deepStrictEqual(yield* processes.lockers(`${folder}/none`), [])
    const child = spawn("flock", ["--no-fork", file, "sleep", "600"], { stdio: "ignore" })
    yield* Effect.addFinalizer(() => Effect.sync(() => child.kill("SIGKILL")))
    const holders = Effect.map(processes.lockers(file), (all) => all.map(({ identity }) => identity.pid))
    const schedule = Schedule.spaced("20 millis")
    yield* Effect.repeat(holders, { until: (all) => all.length > 0, schedule })
    assert.deepStrictEqual(yield* holders, [child.pid])
    child.kill("SIGKILL")
    yield* Effect.repeat(holders, { until: (all) => all.length === 0, schedule })
  }).pipe(Effect.scoped, Effect.provide([HostServices.layer, layer]))
)
