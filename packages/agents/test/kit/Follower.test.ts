import { assert, describe, it } from "@effect/vitest"
import { HostServices } from "@souffleur/node"
import { Effect, FileSystem } from "effect"
import { makeFollower } from "../../src/kit/lines/Follower.ts"

const line = (record: object) => `${JSON.stringify(record)}\n`

const following = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const file = `${yield* fs.makeTempDirectoryScoped({ prefix: "souffleur-follower-" })}/s1.jsonl`
  const follow = makeFollower(
    () => ({ sum: 0 }),
    (state, { added }) => {
      state.sum += Number(added)
    }
  )
  return {
    sum: (key?: string) => Effect.map(follow(file, key), (state) => state.sum),
    write: (text: string, flag: "a" | "w" = "a") => fs.writeFileString(file, text, { flag }),
    leave: fs.rename(file, `${file}.away`)
  }
})

describe("behaviour#retries", () => {
  it.layer(HostServices.layer)((it) => {
    it.effect("each record of a growing file is read once, in whole lines, and another file begins again", () =>
      Effect.gen(function* () {
        const { leave, sum, write } = yield* following
        yield* write(`${line({ added: 1 })}no record\n${line({ added: 2 }).slice(0, -1)}`)
        assert.strictEqual(yield* sum(), 1)
        yield* write(`\n${line({ added: 4 })}`)
        assert.strictEqual(yield* sum(), 7)
        assert.strictEqual(yield* sum("of another reader"), 7)
        yield* leave
        yield* write(line({ added: 8 }).repeat(9), "w")
        assert.strictEqual(yield* sum(), 72)
        yield* write(line({ added: 16 }), "w")
        assert.strictEqual(yield* sum(), 16)
      })
    )
    it.effect("readers at once count each record once", () =>
      Effect.gen(function* () {
        const { sum, write } = yield* following
        yield* write(line({ added: 1 }) + line({ added: 2 }))
        assert.deepStrictEqual(yield* Effect.all([sum(), sum(), sum()], { concurrency: 3 }), [3, 3, 3])
      })
    )
  })
})
