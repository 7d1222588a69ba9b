import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fs from "node:fs"
import { dirname, join } from "node:path"
import { machineIdentity } from "../src/processes/Machine.ts"
import { folder } from "./fixtures/Spawned.ts"

const files = { id: "etc/machine-id", bus: "var/lib/dbus/machine-id", hardware: "sys/class/dmi/id/product_uuid" }
const [one, other] = ["0".repeat(31) + "1", "0".repeat(31) + "2"]

describe("behaviour#one-owner", () => {
  it.effect("a machine is identified by a hash of its own id and its hardware's, if it has an id", () =>
    Effect.gen(function* () {
      const root = yield* folder
      const put = (file: string, text: string) => {
        fs.mkdirSync(dirname(join(root, file)), { recursive: true })
        fs.writeFileSync(join(root, file), text)
      }
      assert.isNull(machineIdentity(root))
      put(files.id, "uninitialized\n")
      assert.isNull(machineIdentity(root), "an image that was never booted")
      put(files.bus, `${one}\n`)
      const before = machineIdentity(root)
      put(files.id, `${one}\n`)
      assert.strictEqual(machineIdentity(root), before)
      put(files.id, `${other}\n`)
      assert.notStrictEqual(machineIdentity(root), before)
      const disk = machineIdentity(root)
      put(files.hardware, "6A3F\n")
      const first = machineIdentity(root)
      put(files.hardware, "7B40\n")
      assert.lengthOf(new Set([disk, first, machineIdentity(root)]), 3, "a copy of its disk in another machine")
      assert.match(first ?? "", /^[0-9a-f]{32}$/u)
      assert.notInclude(first ?? "", other)
    })
  )
})
