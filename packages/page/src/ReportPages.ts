import { Clock, Effect } from "effect"
import { HttpRouter } from "effect/http"
import { framed, type PageWorld, queried, withFailures } from "./PageWorld.ts"
import { reportPage } from "./view/ReportPage.ts"

/** Milliseconds of the units of a time, and the time that is told without one. */
const [units, usual] = [{ m: 60_000, h: 3_600_000, d: 86_400_000 }, 12 * 3_600_000] as const

/** Reads a time such as `12h` or `7d`, in milliseconds. */
const lengthOf = (word: string): number => {
  const [, count, unit] = /^([1-9]\d{0,3})([mhd])$/u.exec(word) ?? []
  return count === undefined ? usual : Number(count) * units[unit as keyof typeof units]
}

/** Returns the route of the report of the last hours. */
export const reportPages = (world: PageWorld) => {
  const page = Effect.gen(function* () {
    const until = yield* Clock.currentTimeMillis
    const since = until - lengthOf((yield* queried)("since"))
    const report = yield* world.souffleur.report({ since, until })
    const main = reportPage({ report, links: world.links, seen: yield* world.seen })
    return framed({ title: "Report · souffleur", live: null, main }, world)
  })
  return [HttpRouter.route("GET", "/report", withFailures(world)(page))] as const
}
