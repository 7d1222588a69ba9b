import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fs from "node:fs"
import { join } from "node:path"
import { blocksOf } from "../Blocks.ts"
import { bundle, stage, task } from "./CliStage.ts"

/** `souffleur` is the built file, and `claude` an agent that works on the plan as one does. */
const programs = { souffleur: [], claude: ["__stand-in"] }

for (const { mark, place, text } of blocksOf("sh")) {
  if (mark === "")
    it.live(`${place} runs as it is shown`, () =>
      Effect.gen(function* () {
        const the = yield* stage([task(1)])
        const bin = join(the.home, "bin")
        fs.mkdirSync(bin)
        fs.rmSync(the.comms)
        for (const [name, args] of Object.entries(programs)) {
          const line = `#!/bin/sh\nexec '${process.execPath}' '${bundle}' ${args.join(" ")} "$@"\n`
          fs.writeFileSync(join(bin, name), line, { mode: 0o755 })
        }
        const shell = the.spawned("/bin/sh", ["-e", "-c", text], { PATH: `${bin}:${the.environment["PATH"]}` })
        const { code } = yield* shell.ended
        assert.strictEqual(code, 0, shell.errors())
      })
    )
}
