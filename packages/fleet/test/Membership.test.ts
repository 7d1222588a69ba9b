import { assert, it } from "@effect/vitest"
import { HostServices } from "@souffleur/node"
import { Effect, FileSystem, Option, Redacted } from "effect"
import {
  forgetMembership,
  freshLogName,
  freshToken,
  keepMembership,
  type Membership,
  membershipOf
} from "../src/index.ts"

it.layer(HostServices.layer)((it) => {
  it.effect("a membership is kept for this user alone, and an address is https or of this machine", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const folder = yield* fs.realPath(yield* fs.makeTempDirectoryScoped({ prefix: "souffleur-member-" }))
      const file = `${folder}/fleet.json`
      assert.deepStrictEqual(yield* membershipOf(folder), Option.none())
      const membership: Membership = {
        version: 1,
        url: "https://hub.example",
        log: yield* freshLogName,
        token: yield* freshToken
      }
      yield* keepMembership(folder, membership)
      assert.strictEqual((yield* fs.stat(file)).mode & 0o777, 0o600)
      const kept = Option.getOrThrow(yield* membershipOf(folder))
      assert.deepStrictEqual([kept.url, kept.log], [membership.url, membership.log])
      assert.strictEqual(Redacted.value(kept.token), Redacted.value(membership.token))
      assert.notInclude(JSON.stringify(kept), Redacted.value(membership.token))
      const text = yield* fs.readFileString(file)
      const refused = (text: string, mode = 0o600) =>
        Effect.gen(function* () {
          yield* fs.writeFileString(file, text)
          yield* fs.chmod(file, mode)
          return yield* Effect.flip(membershipOf(folder))
        })
      for (const wrong of [
        text.replace("https:", "http:"),
        text.replace("https://", "https://me:secret@"),
        text.replace(Redacted.value(membership.token), "short"),
        text.replace(membership.log, "../other"),
        text.replace('"version":1', '"version":2'),
        "no JSON"
      ]) {
        assert.notStrictEqual(wrong, text)
        assert.include((yield* refused(wrong)).message, "souffleur fleet leave")
      }
      assert.strictEqual((yield* refused(text, 0o640))._tag, "FileRefused")
      yield* fs.chmod(file, 0o600)
      assert.isTrue(Option.isSome(yield* membershipOf(folder)), "as it was")
      yield* forgetMembership(folder)
      yield* forgetMembership(folder)
      assert.deepStrictEqual(yield* membershipOf(folder), Option.none())
    })
  )
})
