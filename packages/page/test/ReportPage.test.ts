import { assert, describe, it } from "@effect/vitest"
import { Souffleur } from "@souffleur/embed"
import { Effect } from "effect"
import { createHash } from "node:crypto"
import { utc } from "../../domain/src/Time.ts"
import { reportFile } from "../src/index.ts"
import { ask, began, enter, layerStage, makeStage, night } from "./PageStage.ts"
import { stuckRun } from "./RunStage.ts"

const hostile = `<script>alert("1")</script>`
const hour = 3_600_000

describe("command-line#report", () => {
  it.live("a report is one file that names no other, and allows its own style alone", () =>
    Effect.gen(function* () {
      const { context, tell, tellRun } = yield* makeStage()
      yield* tell("opera-0001", night(`/srv/${hostile}`))
      yield* tellRun("auth-0001", stuckRun("/srv/auth"))
      const report = yield* Effect.provideContext(
        Souffleur.use(({ report }) => report({ since: began, until: began + 12 * hour })),
        context
      )
      const text = yield* reportFile(report, utc)
      const [, policy = ""] = /http-equiv="content-security-policy" content="([^"]+)"/u.exec(text) ?? []
      const [, style = ""] = /<style>([^]*)<\/style>/u.exec(text) ?? []
      const digest = createHash("sha256").update(style).digest("base64")
      assert.strictEqual(
        policy.replaceAll("&#39;", "'"),
        `default-src 'none'; style-src 'sha256-${digest}'; base-uri 'none'; form-action 'none'`
      )
      assert.notMatch(text, /<script|<link|<img|\s(?:src|href|style)=|url\(|@import/iu)
      for (const words of [
        "Needs you",
        "souffleur resume opera-0001",
        "&lt;script&gt;",
        'class="death"',
        "Create the model"
      ])
        assert.include(text, words)
      // A report of the time after the death has neither it nor the recovery.
      const after = yield* Effect.provideContext(
        Souffleur.use(({ report }) => report({ since: began + 4 * hour, until: began + 12 * hour })),
        context
      )
      const later = yield* reportFile(after, utc)
      assert.include(later, "opera-0001")
      assert.notMatch(later, /class="death"|class="mend"/u)
    }).pipe(Effect.scoped, Effect.provide(layerStage))
  )
})

describe("command-line#page", () => {
  it.live("the page has the report of the hours that its address names", () =>
    Effect.gen(function* () {
      const { project, serve, tell } = yield* makeStage()
      yield* tell("opera-0001", night(project))
      yield* tell("ended-0002", [...night(project), { _tag: "ConductorCompleted", at: began + hour * 4, by: "turn" }])
      const { cookie, list } = yield* enter(yield* serve)
      const report = (query: string) => ask(`${list}report${query}`, { headers: { cookie } })
      const usual = yield* report("")
      assert.strictEqual(usual.status, 200)
      assert.match(usual.text, /<a href="[^"]+\/watches\/opera-0001">opera-0001<\/a>/u)
      // The night was long ago, so that only what lives is told.
      assert.notInclude(usual.text, "ended-0002")
      const long = yield* report("?since=9999d")
      assert.include(long.text, "ended-0002")
      assert.include(long.text, 'class="death"')
      for (const wrong of ["?since=soon", "?since=0h", "?since=1e9d", "?since=12h&since=1d"])
        assert.notInclude((yield* report(wrong)).text, "ended-0002", wrong)
    }).pipe(Effect.scoped, Effect.provide(layerStage))
  )
})
