import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, it } from "@effect/vitest"
import { Effect, FileSystem, Result } from "effect"
import { fileURLToPath } from "node:url"
import { runCodec, runVersionOf } from "../src/run/RunEvent.ts"
import { examples } from "./fixtures/events/RunExamples.ts"

const { decode, encode, tags } = runCodec

it.effect("every frozen event of a run decodes for ever, and every tag has one of its version", () =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const folder = fileURLToPath(new URL("fixtures/events", import.meta.url))
    const found: Array<string> = []
    for (const version of (yield* fs.readDirectory(folder)).filter((name) => /^v\d+$/u.test(name))) {
      for (const file of yield* fs.readDirectory(`${folder}/${version}`)) {
        const { _tag, at, ...data } = JSON.parse(yield* fs.readFileString(`${folder}/${version}/${file}`)) as {
          _tag: string
          at: number
        }
        const stored = { tag: _tag, version: Number(version.slice(1)), at, data: JSON.stringify(data) }
        const again = encode(Result.getOrThrow(decode("run/a", 1, stored)))
        if (again.version === stored.version) assert.deepInclude(JSON.parse(again.data), data)
        found.push(`${_tag} ${stored.version}`)
      }
    }
    assert.includeMembers(
      found,
      tags.map((tag) => `${tag} ${runVersionOf(tag)}`),
      "missing: run test/fixtures/freeze.ts"
    )
  }).pipe(Effect.provide(NodeServices.layer))
)

it("an example of every tag of a run survives the way into a store and back", () => {
  assert.sameMembers(Object.keys(examples), [...tags])
  for (const event of Object.values(examples))
    assert.deepStrictEqual(Result.getOrThrow(decode("run/a", 1, encode(event))), event)
})

it("an event that a watch has, and a run has not, names itself", () => {
  const error = Result.getOrThrow(
    Result.flip(decode("run/a", 3, { tag: "WatchOpened", version: 1, at: 0, data: "{}" }))
  )
  assert.deepInclude(error, { _tag: "UnreadableEvent", stream: "run/a", revision: 3, tag: "WatchOpened" })
})
