import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { HostServices } from "@souffleur/node"
import { Effect } from "effect"
import { parseArgs } from "node:util"
import { installedAgent } from "../claude/Install.ts"
import { night } from "./Night.ts"
import { planned } from "./NightFaults.ts"
import { claudeCode, realAgents } from "./Versions.ts"

/**
 * `pnpm nights --seed N --nights K` has the real Claude Code and the real Codex do lists of tasks on a scripted model,
 * under `souffleur run`, while faults strike that the seed draws. The next night has the next seed, so that
 * `--seed N` plays that one again. It ends with 1 where a night broke a rule.
 */
const { values } = parseArgs({
  args: process.argv.slice(2).filter((word) => word !== "--"),
  options: { seed: { type: "string" }, nights: { type: "string", default: "1" } }
})
const seed = Number(values.seed ?? crypto.getRandomValues(new Uint32Array(1))[0]! % 900_000_000)
const count = Number(values.nights)
if (!Number.isSafeInteger(seed) || !(count >= 1)) {
  console.error("--seed and --nights are whole numbers: pnpm nights --seed 7 --nights 2")
  process.exit(2)
}

const main = Effect.gen(function* () {
  let broken = 0
  for (let one = seed; one < seed + count; one++) {
    const plan = yield* planned(one)
    const agent = plan.agent === "claude" ? claudeCode : realAgents.find(({ bin }) => bin === plan.agent)!
    const { launches, seconds, sentence, told, violations } = yield* night(plan, yield* installedAgent(agent))
    console.log(
      `${one} ${violations.length === 0 ? "held" : "BROKEN"} in ${seconds} s, ${launches} launches: ${sentence}`
    )
    if (violations.length > 0) {
      broken++
      console.log([...violations.map((what) => `  ${what}`), told].join("\n"))
    }
  }
  console.log(`${count} nights, ${broken} broken; seed ${seed}`)
  if (broken > 0) process.exitCode = 1
})
NodeRuntime.runMain(Effect.provide(main, HostServices.layer))
