import { loadPlan } from "@souffleur/plan"
import { border, holds } from "../Border.ts"
import { homeIn, printsWell, say } from "../CommandLine.ts"
import { alike, bent, bytes, mangled, run, torn, tree, word } from "../Hostile.ts"
import { settle } from "../Settle.ts"
import type { Seed } from "../../simulation/Seed.ts"

const plan = {
  workflow_id: "opera",
  finish: { prompt: "Tell what was done" },
  tasks: [
    {
      id: "t1",
      title: "The model",
      description: "Make it",
      acceptance_criteria: ["it is there", "it works"],
      depends_on: []
    },
    { id: "t2", title: "The view", description: "Show it", acceptance_criteria: "it is seen", depends_on: ["t1"] }
  ]
}

const yaml = (seed: Seed): string =>
  seed.pick<() => string>([
    () => JSON.stringify(plan),
    () => JSON.stringify(alike(seed, plan)),
    () => JSON.stringify(bent(seed, plan)),
    () => mangled(seed, JSON.stringify(plan, null, 2)),
    () => JSON.stringify(tree(seed, 5)),
    () => `tasks:\n  - id: t1\n    title: ${word(seed)}\n    acceptance_criteria: |\n      ${run(seed)}\n`,
    () => "a: &a [x]\nb: &b [*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c]\ntasks: *d",
    () => seed.pick(["- ", "{", "a:\n", "? ", "!!x ", "&a *a ", "> ", "| "]).repeat(seed.between(0, 3000)),
    () => run(seed)
  ])()

const markdown = (seed: Seed): string =>
  `---\n${yaml(seed)}\n---\n# t1${run(seed)}\n${word(seed)}\n${"`".repeat(seed.between(0, 9))}\n## t2: ${word(seed)}\n${run(seed)}`

export const plans = border("plans", {
  share: 8,
  draw: (seed) => {
    const isMarkdown = seed.chance(0.4)
    const text = isMarkdown ? markdown(seed) : yaml(seed)
    return {
      name: isMarkdown ? "opera/plan.md" : "opera/plan.yaml",
      data: seed.chance(0.05) ? bytes(seed) : torn(seed, text),
      telling: seed.chance(0.1)
    }
  },
  checks: {
    "is read": async ({ data, name }, place) => {
      const home = homeIn(place.folder)
      const file = home.write(name, data)
      await settle(loadPlan(file, home.project))
    },
    "is told": async ({ data, name, telling }, place) => {
      if (!telling) return
      const file = homeIn(place.folder).write(name, data)
      const said = await say(place.folder, ["conduct", file, "--dry-run"])
      holds(said.code === 0 || said.code === 2, "it ends in no way of its own", said)
      printsWell(said)
    }
  }
})
