import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Effect } from "effect"
import { parseArgs } from "node:util"
import { type Outcome, torture } from "./Torture.ts"

/**
 * `node test/torture/runTorture.ts --kills N --seed S` attacks real processes in the midst of real recoveries. It kills
 * N with SIGKILL, or stops them for good. Then it prints a table of the points, and the violations that it saw. It ends
 * with 1 where it saw any.
 */
const { values } = parseArgs({
  options: {
    kills: { type: "string", default: "100" },
    seed: { type: "string" },
    worlds: { type: "string", default: "2" }
  }
})
const seed = values.seed ?? crypto.randomUUID()
const [wanted, atOnce] = [Number(values.kills), Number(values.worlds)]

const count = <A>(all: ReadonlyArray<A>, by: (one: A) => string) =>
  [...Map.groupBy(all, by)].map(([name, ones]) => [name, ones.length] as const)
const share = (part: number, whole: number) => `${((100 * part) / Math.max(1, whole)).toFixed(1)} %`

const table = ({ kills, violations, worlds }: Outcome): string => {
  const names = [...new Set(kills.map(({ who }) => who))].toSorted((one, other) => one.length - other.length)
  const width = (name: string) => Math.max(10, name.length + 2)
  const of = (at: string) =>
    names.map((name) =>
      String(kills.filter((kill) => kill.at === at && kill.who === name).length).padStart(width(name))
    )
  const lines = count(kills, ({ at }) => at)
    .toSorted(([one], [other]) => one.localeCompare(other, "en", { numeric: true }))
    .map(([at, all]) => `${at.padEnd(28)}${String(all).padStart(6)}${of(at).join("")}`)
  const inside = kills.filter((kill) => kill.inside).length
  const found = (what: string) => violations.filter((one) => one.what === what).length
  return [
    `${"where".padEnd(28)}${"kills".padStart(6)}${names.map((name) => name.padStart(width(name))).join("")}`,
    ...lines,
    "",
    `${kills.length} kills in ${worlds} worlds, ${inside} inside a recovery (${share(inside, kills.length)}); seed ${seed}`,
    `double launches ${found("doubleLaunches")} · lost events ${found("lostEvents")} · stuck ${found("stuck")} · forgotten ${found("forgotten")}`,
    `rivals ${found("rivals")} · strays ${found("strays")} · strangers believed ${found("believed")}`,
    ...violations.map((one) => `${one.seed}: ${one.what}: ${one.seen}`)
  ].join("\n")
}

const main = Effect.gen(function* () {
  console.log(`seed ${seed}`)
  let told = 0
  const outcome = yield* torture(wanted, seed, atOnce, ({ kills, violations }) => {
    if (kills.length - told < 50 && violations.length === 0) return
    told = kills.length
    console.log(`${kills.length} kills, ${violations.length} violations`)
  })
  console.log(table(outcome))
  if (outcome.violations.length > 0) process.exitCode = 1
})
NodeRuntime.runMain(main)
