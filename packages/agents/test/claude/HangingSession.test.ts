import { assert, describe, it } from "@effect/vitest"
import type { HostServices } from "@souffleur/node"
import { FileRefused, TrustedFiles } from "@souffleur/process"
import { Deferred, Effect, Fiber, Option, type Scope } from "effect"
import { TestClock } from "effect/testing"
import { limited } from "../../../node/src/files/FileLimit.ts"
import { claudeFolder, services } from "./support/ClaudeFolder.ts"
import { exportTranscript, portIn } from "./support/ClaudePort.ts"

/** Runs a read of a session file whose file system is dead, until its time is over. */
const hanging = Effect.fnUntraced(function* <A, E>(
  read: (folder: string) => Effect.Effect<A, E, HostServices.HostServices | Scope.Scope>
) {
  const folder = yield* claudeFolder({ "projects/-p/abc.jsonl": "{}\n" })
  const begun = yield* Deferred.make<void>()
  // It answers in the end: what hangs is known to the whole process, also to the tests after this one.
  const answered = yield* Deferred.make<never>()
  const open: TrustedFiles["Service"]["open"] = (path) =>
    limited(path, Effect.andThen(Deferred.succeed(begun, undefined), Deferred.await(answered))).pipe(
      Effect.mapError(({ message }) => new FileRefused({ path, problem: message, missing: false }))
    )
  const reading = yield* Effect.forkChild(
    read(folder).pipe(
      Effect.updateService(TrustedFiles, (files) => ({ ...files, open })),
      Effect.result
    )
  )
  yield* Deferred.await(begun)
  yield* TestClock.adjust("30 seconds")
  return yield* Effect.ensuring(Fiber.join(reading), Deferred.interrupt(answered))
})

it.layer(services)((it) => {
  describe("behaviour#reads-that-hang", () => {
    it.effect("an export of a session file that hangs fails with the name of the file and the limit", () =>
      Effect.gen(function* () {
        const failed = yield* hanging((folder) =>
          exportTranscript(`${folder}/projects/-p/abc.jsonl`, `${folder}/abc.md`)
        )
        assert.match(
          failed._tag === "Failure" ? failed.failure.message : "it was made",
          /abc\.jsonl.*did not answer within 30 s/u
        )
      })
    )
    it.effect("the signs of a session file that hangs are not known", () =>
      Effect.gen(function* () {
        const signs = yield* hanging((folder) => Effect.flatMap(portIn(folder), (agent) => agent.signs("abc")))
        assert.isTrue(signs._tag === "Success" && Option.isNone(signs.success))
      })
    )
  })
})
