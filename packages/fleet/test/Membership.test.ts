import { assert, describe, it } from "@effect/vitest"
import { freshUuid } from "@souffleur/domain"
import { HostServices } from "@souffleur/node"
import { Effect, FileSystem, Option, Redacted, Schema } from "effect"
import { freshToken, Introduction, type Login, logins, type Membership, memberships } from "../src/index.ts"

describe("fleet#membership", () => {
  it.layer(HostServices.layer)((it) => {
    it.effect("a membership is kept for this user alone, and an address is https or of this machine", () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const folder = yield* fs.realPath(yield* fs.makeTempDirectoryScoped({ prefix: "souffleur-member-" }))
        const file = `${folder}/fleet.json`
        assert.deepStrictEqual(yield* memberships.read(folder), Option.none())
        const membership: Membership = {
          version: 1,
          url: "https://hub.example",
          log: yield* freshUuid,
          token: yield* freshToken,
          readOnly: true
        }
        yield* memberships.keep(folder, membership)
        assert.strictEqual((yield* fs.stat(file)).mode & 0o777, 0o600)
        const kept = Option.getOrThrow(yield* memberships.read(folder))
        assert.deepStrictEqual([kept.url, kept.log, kept.readOnly], [membership.url, membership.log, true])
        assert.strictEqual(Redacted.value(kept.token), Redacted.value(membership.token))
        assert.notInclude(JSON.stringify(kept), Redacted.value(membership.token))
        const text = yield* fs.readFileString(file)
        const refused = (text: string, mode = 0o600) =>
          Effect.gen(function* () {
            yield* fs.writeFileString(file, text)
            yield* fs.chmod(file, mode)
            return yield* Effect.flip(memberships.read(folder))
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
        assert.isTrue(Option.isSome(yield* memberships.read(folder)), "as it was")
        // Its person never heard of words.
        yield* fs.writeFileString(file, text.replace(/,?"readOnly":true/u, ""))
        const earlier = Option.getOrThrow(yield* memberships.read(folder))
        assert.deepStrictEqual([earlier.log, earlier.readOnly], [membership.log, true])
        assert.isFalse(Schema.decodeUnknownSync(Introduction)({ host: "h", machine: null }).takesWords)
        const login: Login = { version: 1, url: membership.url, token: yield* freshToken }
        yield* logins.keep(folder, login)
        assert.strictEqual((yield* fs.stat(`${folder}/fleet-login.json`)).mode & 0o777, 0o600)
        yield* memberships.forget(folder)
        yield* memberships.forget(folder)
        const { token } = Option.getOrThrow(yield* logins.read(folder))
        assert.strictEqual(Redacted.value(token), Redacted.value(login.token))
        yield* fs.chmod(`${folder}/fleet-login.json`, 0o640)
        assert.strictEqual((yield* Effect.flip(logins.read(folder)))._tag, "FileRefused")
        yield* logins.forget(folder)
        assert.deepStrictEqual(yield* logins.read(folder), Option.none())
        assert.deepStrictEqual(yield* memberships.read(folder), Option.none())
      })
    )
  })
})
