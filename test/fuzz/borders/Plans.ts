import { loadPlan, planText, termsOf } from "@souffleur/plan"
import { isDeepStrictEqual } from "node:util"
import { border, holds } from "../Border.ts"
import { asking, homeIn, printsWell, say } from "../CommandLine.ts"
import { alike, bent, bytes, mangled, run, torn, tree, word } from "../Hostile.ts"
import { valueOf } from "../Settle.ts"
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

const tracked = {
  master: { tasks: [{ id: 1, title: "The model", status: "done", dependencies: [2], subtasks: [] }] },
  data: [{ id: "op-1", title: "The view", status: "open", dependencies: [{ depends_on_id: "op-2", type: "blocks" }] }]
}
const json = (seed: Seed): string =>
  seed.pick<() => string>([
    () => yaml(seed),
    () => JSON.stringify(bent(seed, seed.pick([tracked, tracked.master, tracked.data]))),
    () => mangled(seed, JSON.stringify(seed.pick([tracked, tracked.data]), null, 2))
  ])()

/** Lines of the forms of other tools, in any order. */
const lines = (seed: Seed): string =>
  Array.from({ length: seed.between(0, 20) }, () =>
    seed.pick<() => string>([
      () => `### Task ${seed.between(0, 3)}: ${word(seed)}`,
      () => `## Phase ${seed.between(0, 3)}: ${word(seed)}`,
      () => `## ${seed.between(0, 3)}. ${word(seed)}`,
      () => `- [${seed.pick([" ", "x", "~", word(seed)])}] T00${seed.between(0, 9)} ${run(seed)}`,
      () => `${" ".repeat(seed.between(0, 9))}- [ ] ${seed.between(0, 3)}.${seed.between(0, 3)} ${word(seed)}`,
      () => seed.pick(["<!--", "-->", "```", "~~~", "---", "> quoted", "## Validation Commands", "**Goal**: all"]),
      () => run(seed)
    ])()
  ).join(seed.pick(["\n", "\r\n", "\n\n"]))

const ownMarkdown = (seed: Seed): string =>
  `---\n${yaml(seed)}\n---\n# t1${run(seed)}\n${word(seed)}\n${"`".repeat(seed.between(0, 9))}\n## t2: ${word(seed)}\n${run(seed)}`

export const plans = border("plans", {
  share: 8,
  draw: (seed) => {
    const [end, draw] = seed.pick([
      ["md", lines],
      ["md", ownMarkdown],
      ["json", json],
      ["yaml", yaml]
    ] as const)
    const text = draw(seed)
    return {
      name: `opera/plan.${end}`,
      data: seed.chance(0.05) ? bytes(seed) : torn(seed, text),
      telling: seed.chance(0.1)
    }
  },
  checks: {
    "is read": async ({ data, name }, place) => {
      const home = homeIn(place.folder)
      const file = home.write(name, data)
      const read = await valueOf(loadPlan(file, home.project))
      if (read === undefined) return
      const again = home.write("opera/again.yaml", (await valueOf(planText(read.plan)))!)
      const written = await valueOf(loadPlan(again, home.project))
      const [said, saidAgain] = await Promise.all([read, written].map((one) => one && valueOf(termsOf(one.plan))))
      holds(isDeepStrictEqual(said, saidAgain), "it is written as another plan", { said, saidAgain })
    },
    "is told": async ({ data, name, telling }, place) => {
      if (!telling) return
      const file = homeIn(place.folder).write(name, data)
      const said = await say(place.folder, ["conduct", file, "--dry-run"], asking)
      holds(said.code === 0 || said.code === 2, "it ends in no way of its own", said)
      printsWell(said)
    }
  }
})
