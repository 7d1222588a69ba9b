import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { HostServices } from "@souffleur/node"
import { Effect } from "effect"
import { spawnSync } from "node:child_process"
import { parseArgs } from "node:util"
import { installedAgent, orSkipped } from "../claude/Install.ts"
import { apart, onLoopbackAlone } from "./Apart.ts"
import { planned } from "./NightFaults.ts"
import { claudeCode, realAgents } from "./Versions.ts"

/**
 * `pnpm nights --seed N --nights K` has the real Claude Code and the real Codex do lists of tasks on a scripted model,
 * under `souffleur run`, while faults strike that the seed draws. The next night has the next seed, so that `--seed N`
 * plays that one again. It ends with 1 where a night broke a rule.
 */
const { values } = parseArgs({
  args: process.argv.slice(2).filter((word) => word !== "--"),
  options: { seed: { type: "string" }, nights: { type: "string", default: "1" } }
})
const [seed, count] = [values.seed ?? String(crypto.getRandomValues(new Uint32Array(1))[0]!), values.nights].map(
  Number
) as [number, number]
if (![seed, count].every(Number.isSafeInteger) || count < 1) {
  console.error("--seed and --nights are whole numbers: pnpm nights --seed 7 --nights 2")
  process.exit(2)
}
/** Programs of the agents, for the process that has loopback alone. */
const given = process.env["NIGHTS_PROGRAMS"]

const programs = Effect.forEach([claudeCode, ...realAgents.filter(({ bin }) => bin === "codex")], (agent) =>
  installedAgent(agent).pipe(
    Effect.catchTag("NotInstalled", ({ message }) => orSkipped({ bin: agent.bin, message })),
    Effect.map((program) => [agent.bin, program] as const)
  )
).pipe(Effect.map(Object.fromEntries<string | null>))

const play = Effect.fnUntraced(function* (found: Readonly<Record<string, string | null>>) {
  const { night } = yield* Effect.promise(() => import("./RealNight.ts"))
  let broken = 0
  for (let one = seed; one < seed + count; one++) {
    const plan = yield* planned(one)
    const { launches, seconds, sentence, told, violations } = yield* night(plan, found[plan.agent] ?? "")
    const isBroken = violations.length > 0
    if (isBroken) console.log(told)
    console.log(`${one} ${isBroken ? "BROKEN" : "held"} in ${seconds} s, ${launches} launches: ${sentence}`)
    for (const what of violations) console.log(`  ${what}`)
    if (isBroken) broken++
  }
  console.log(`${count} nights, ${broken} broken; seed ${seed}`)
  if (broken > 0) process.exitCode = 1
})

const main = Effect.gen(function* () {
  if (given !== undefined) return yield* play(JSON.parse(given))
  const found = yield* programs
  if (Object.values(found).includes(null)) return
  if (!onLoopbackAlone) return yield* play(found)
  const words = [...apart, process.execPath, ...process.argv.slice(1, 2), `--seed=${seed}`, `--nights=${count}`]
  const env = { ...process.env, NIGHTS_PROGRAMS: JSON.stringify(found) }
  process.exitCode = spawnSync("unshare", words, { stdio: "inherit", env }).status ?? 1
})
NodeRuntime.runMain(Effect.provide(main, HostServices.layer))
