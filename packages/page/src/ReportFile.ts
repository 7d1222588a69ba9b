import { digestOf, type Zone } from "@souffleur/domain"
import type { Report } from "@souffleur/embed"
import { Effect } from "effect"
import { Base64, Hex } from "effect/encoding"
import { pageStyle } from "./asset/PageStyle.ts"
import { html, unescaped, written } from "./Html.ts"
import { reportPage } from "./view/ReportPage.ts"

/** Returns the source of a policy that allows one text of a style, and no other. */
const sourceOf = Effect.fnUntraced(function* (style: string) {
  const digest = yield* Effect.fromResult(Hex.decode(yield* digestOf(style)))
  return `'sha256-${Base64.encode(digest)}'`
}, Effect.orDie)

/**
 * Returns a report as one file of HTML, by the clock of a zone. It names no other file, has no script, and a browser
 * would run none that came into it.
 *
 * @example
 * ```ts
 * import { personsZone } from "@souffleur/domain"
 * import { Souffleur } from "@souffleur/embed"
 * import { reportFile } from "@souffleur/page"
 * import { Clock, Effect, FileSystem } from "effect"
 *
 * const kept = Effect.gen(function* () {
 *   const until = yield* Clock.currentTimeMillis
 *   const report = yield* Souffleur.use(({ report }) => report({ since: until - 43_200_000, until }))
 *   const text = yield* reportFile(report, yield* personsZone)
 *   yield* FileSystem.FileSystem.use((fs) => fs.writeFileString("report.html", text))
 * })
 * ```
 */
export const reportFile = Effect.fn("reportFile")(function* (report: Report, zone: Zone) {
  const policy = `default-src 'none'; style-src ${yield* sourceOf(pageStyle)}; base-uri 'none'; form-action 'none'`
  return written(
    html`<!doctype html>
      <html lang="en">
        <head>
          <meta charset="utf-8" />
          <meta http-equiv="content-security-policy" content="${policy}" />
          <meta name="viewport" content="width=device-width, initial-scale=1" />
          <meta name="color-scheme" content="light dark" />
          <meta name="referrer" content="no-referrer" />
          <title>souffleur: report</title>
          ${unescaped(`<style>${pageStyle}</style>`)}
        </head>
        <body>
          <header class="top"><span class="brand">souffleur</span></header>
          <main>${reportPage({ report, links: null, seen: { now: report.until, zone } })}</main>
        </body>
      </html> `
  )
})
