import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fs from "node:fs"
import * as os from "node:os"
import { join } from "node:path"
import { stage } from "../cli/CliStage.ts"
import { noPostgres } from "./PostgresServer.ts"

/** Plays the demonstration from the bundle, and returns what it tells. */
const played = Effect.fnUntraced(function* (more: Readonly<Record<string, string>>) {
  const the = yield* stage([])
  // Postgres may run as a user of its own, which must get through to its folder.
  const TMPDIR = yield* Effect.acquireRelease(
    Effect.sync(() => fs.mkdtempSync(join(os.tmpdir(), "souffleur-fleet-"))),
    (folder) => Effect.sync(() => fs.rmSync(folder, { recursive: true, force: true, maxRetries: 20 }))
  )
  fs.chmodSync(TMPDIR, 0o755)
  const { code, errors, lines } = yield* the.run(["demo", "fleet"], { TMPDIR, ...more })
  const text = lines.join("\n")
  assert.strictEqual(code, 0, `${errors}\n${text}`)
  return text
})

describe("command-line#fleet", () => {
  it.live.skipIf(noPostgres !== undefined)("the demonstration of a fleet runs to its end from the bundle alone", () =>
    Effect.gen(function* () {
      const text = yield* played({})
      assert.match(text, /^build2 +opera-\w+ +claude +S1 .* working$/mu)
      assert.match(text, /The hub is killed: kill -9 \d+[^]*build2 has brought its agent back/u)
      assert.match(text, /^build2 +opera-\w+ +claude +S2 .* working$/mu)
      assert.match(text, /^build3 +opera-\w+ +claude +S1 .* needs you: it stands by/mu)
      assert.match(text, /build3 has taken it: retry[^]*^build3 +opera-\w+ +claude +S2 .* working$/mu)
      assert.lengthOf(text.match(/^build\d +opera-\w+ +claude +S\d .* ended: completed$/gmu)!, 3)
      // Nothing leads to the hub that is gone, and each host is found.
      assert.match(text, /This is for build1\. Try next:/u)
      const folders = [...text.matchAll(/build\d: SOUFFLEUR_STATE_DIR=(\S+)/gu)].map(([, folder]) => folder!)
      assert.lengthOf(folders, 3)
      for (const folder of folders) {
        assert.isTrue(fs.existsSync(join(folder, "souffleur.db")))
        for (const file of ["fleet.json", "fleet-login.json"]) assert.isFalse(fs.existsSync(join(folder, file)))
      }
    }).pipe(Effect.scoped)
  )
  it.live.skipIf(noPostgres !== undefined)(
    "an agent that plays it says no word of a person, and types retry on that host",
    () =>
      Effect.gen(function* () {
        const text = yield* played({ CLAUDECODE: "1" })
        assert.match(text, /only a person may use souffleur fleet retry[^]*it is said on build3 itself/u)
        assert.notInclude(text, "has taken it")
        assert.match(text, /^build3 +opera-\w+ +claude +S2 .* working$/mu)
      }).pipe(Effect.scoped)
  )
})
