import * as os from "node:os"
import { assert, it } from "@effect/vitest"
import { inject } from "vitest"

it.skipIf(!inject("onLoopbackAlone"))("the agents of these tests have a network of loopback alone", () => {
  assert.deepStrictEqual(Object.keys(os.networkInterfaces()), ["lo"])
})
