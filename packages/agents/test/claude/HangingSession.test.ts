import { assert, describe, it } from "@effect/vitest"
import { FileRefused, TrustedFiles } from "@souffleur/process"
import { Deferred, Effect, Fiber, type FileSystem, Option, type Path } from "effect"
import { TestClock } from "effect/testing"
import { limited } from "../../../node/src/files/FileLimit.ts"
import { exportTranscript } from "../../src/claude/export/ClaudeExport.ts"
import { makeSessionSigns } from "../../src/claude/session/SessionSigns.ts"
import { claudeFolder, services } from "./support/ClaudeFolder.ts"

/** Runs a read of a session file whose file system is dead, until its time is over. */
const hanging = Effect.fnUntraced(function* <A, E>(
  read: (file: string) => Effect.Effect<A, E, FileSystem.FileSystem | Path.Path | TrustedFiles>
) {
  const folder = yield* claudeFolder({ "abc.jsonl": "{}\n" })
  const begun = yield* Deferred.make<void>()
  // It answers in the end: what hangs is known to the whole process, also to the tests after this one.
  const answered = yield* Deferred.make<never>()
  const open: TrustedFiles["Service"]["open"] = (path) =>
    limited(path, Effect.andThen(Deferred.succeed(begun, undefined), Deferred.await(answered))).pipe(
      Effect.mapError(({ message }) => new FileRefused({ path, problem: message, missing: false }))
    )
  const reading = yield* Effect.forkChild(
    read(`${folder}/abc.jsonl`).pipe(
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
        const failed = yield* hanging((file) => exportTranscript(file, `${file}.md`))
        assert.match(
          failed._tag === "Failure" ? failed.failure.message : "it was made",
          /abc\.jsonl.*did not answer within 30 s/u
        )
      })
    )
    it.effect("the signs of a session file that hangs are not known", () =>
      Effect.gen(function* () {
        const signs = yield* hanging(makeSessionSigns())
        assert.isTrue(signs._tag === "Success" && Option.isNone(signs.success))
      })
    )
  })
})
