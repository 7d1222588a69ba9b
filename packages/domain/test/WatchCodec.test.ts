import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, it } from "@effect/vitest"
import { eventCodec } from "@souffleur/eventlog"
import { Effect, FileSystem, Result, Schema } from "effect"
import { fileURLToPath } from "node:url"
import { decodeEvent, encodeEvent, eventTags } from "../src/event/WatchCodec.ts"
import { versionOf, WatchEvent } from "../src/event/WatchEvent.ts"
import { examples } from "./fixtures/events/Examples.ts"

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url))

/** Every frozen event of every version. */
const frozen = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const folder = path("fixtures/events")
  const found: Array<{
    readonly tag: string
    readonly version: number
    readonly json: { readonly _tag: string; readonly at: number }
  }> = []
  for (const version of (yield* fs.readDirectory(folder)).filter((name) => /^v\d+$/.test(name))) {
    for (const file of yield* fs.readDirectory(`${folder}/${version}`)) {
      const json = JSON.parse(
        yield* fs.readFileString(`${folder}/${version}/${file}`)
      ) as (typeof found)[number]["json"]
      found.push({ tag: file.replace(/\.json$/, ""), version: Number(version.slice(1)), json })
    }
  }
  return found
}).pipe(Effect.provide(NodeServices.layer))

it.effect("every frozen event decodes for ever, and one of today's version comes back as it was", () =>
  Effect.gen(function* () {
    for (const { json, tag, version } of yield* frozen) {
      const { _tag, at, ...data } = json
      assert.strictEqual(_tag, tag)
      const event = Result.getOrThrow(decodeEvent("fixtures", 1, { tag, version, at, data: JSON.stringify(data) }))
      assert.strictEqual(event._tag, tag)
      assert.isTrue(Schema.is(WatchEvent)(event))
      const again = encodeEvent(event)
      assert.deepStrictEqual([again.tag, again.version, again.at], [tag, versionOf(event._tag), at])
      // A field that was added since has its default; what was frozen is as it was.
      if (version === again.version) assert.deepInclude(JSON.parse(again.data), data)
    }
  })
)

it.effect("every tag has a frozen event of its version, and every frozen event a tag", () =>
  Effect.gen(function* () {
    const names = (yield* frozen).map(({ tag, version }) => `${tag} ${version}`)
    assert.includeMembers(
      names,
      eventTags.map((tag) => `${tag} ${versionOf(tag)}`),
      "missing: run test/fixtures/freeze.ts"
    )
    for (const name of names) assert.include(eventTags, name.split(" ")[0])
  })
)

it("an example of every tag survives the way into a store and back", () => {
  assert.sameMembers(Object.keys(examples), [...eventTags])
  for (const event of Object.values(examples)) {
    assert.deepStrictEqual(Result.getOrThrow(decodeEvent("a", 1, encodeEvent(event))), event)
  }
})

it("an event that breaks its own schema is never encoded", () => {
  assert.throws(() => encodeEvent({ ...examples.OwnerLeft, fence: 1.5 }))
})

it("an older version is read through its defaults, and a newer one is refused by its version", () => {
  const Painted = Schema.TaggedStruct("Painted", {
    at: Schema.Int,
    colour: Schema.String,
    /** Since version 2. */
    coats: Schema.Int.pipe(Schema.withDecodingDefaultKey(Effect.succeed(1)))
  })
  const { decode, encode } = eventCodec<typeof Painted.Type>("wall/", [Painted], () => 2)
  const stored = (version: number, fields: object) => ({ tag: "Painted", version, at: 7, data: JSON.stringify(fields) })
  const read = Result.getOrThrow(decode("wall/a", 1, stored(1, { colour: "red" })))
  assert.deepStrictEqual(read, Painted.make({ at: 7, colour: "red", coats: 1 }))
  assert.deepStrictEqual(encode(read), stored(2, { colour: "red", coats: 1 }))
  const refused = Result.getOrThrow(Result.flip(decode("wall/a", 1, stored(3, { colour: "red", coats: 1 }))))
  assert.strictEqual(refused.problem, "this souffleur reads versions up to 2: a newer souffleur wrote it")
})
