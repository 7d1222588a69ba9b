import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { bundle, stage } from "./CliStage.ts"
import { live } from "./Live.ts"

describe("command-line#a-persons-word", () => {
  live("an ancestor that souffleur launched refuses the word, whatever its child has left out of its environment", () =>
    Effect.gen(function* () {
      const the = yield* stage([])
      // The shell stays above it: `exit` follows.
      const words = `env -u SOUFFLEUR_LAUNCH_ID '${process.execPath}' '${bundle}' config --trust; exit $?`
      const said = Effect.fnUntraced(function* (more: Readonly<Record<string, string>>) {
        const shell = the.spawned("/bin/sh", ["-c", words], more)
        return { code: (yield* shell.ended).code, errors: shell.errors() }
      })
      const below = yield* said({ SOUFFLEUR_LAUNCH_ID: "opera-0001-g1-launch-1" })
      assert.strictEqual(below.code, 2, below.errors)
      assert.match(below.errors, /only a person may use config --trust.*agent pid \d+ has started it/su, below.errors)
      const person = yield* said({})
      assert.strictEqual(person.code, 0, person.errors)
    })
  )
})
