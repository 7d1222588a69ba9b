import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { encodeDetachOrder } from "../src/own/DetachEntry.ts"
import { builtProgram } from "./fixtures/BuiltProgram.ts"
import { folder, killed } from "./fixtures/Spawned.ts"

const between = await builtProgram(fileURLToPath(new URL("fixtures/detaches.ts", import.meta.url)))

it.live("the process in between prints the pid that it started, and ends; its code says if it could not", () =>
  Effect.gen(function* () {
    const at = yield* folder
    const ask = (...line: [string, ...Array<string>]) =>
      spawnSync(process.execPath, [between, encodeDetachOrder({ line, cwd: at, output: join(at, "out") })], {
        encoding: "utf8"
      })
    const started = ask("/bin/sleep", "300")
    const pid = Number(started.stdout)
    yield* Effect.addFinalizer(() => killed(pid))
    assert.deepStrictEqual([started.status, pid > 1], [0, true])
    assert.notStrictEqual(fs.readFileSync(`/proc/${pid}/stat`, "utf8").split(" ")[3], String(process.pid))
    const none = ask(join(at, "no such program"))
    assert.deepStrictEqual([none.status, none.stdout], [1, ""])
  }).pipe(Effect.scoped)
)
