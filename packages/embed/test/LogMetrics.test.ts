import { assert, describe, it } from "@effect/vitest"
import { initial, prometheusText } from "@souffleur/domain"
import { watchJob } from "../src/jobs/Job.ts"
import { gaugesOf } from "../src/metrics/LogMetrics.ts"

describe("command-line#metrics", () => {
  it("the numbers of a log have each state word, with the ended ones by their count", () => {
    const watch = { ...initial, phase: "Watching", project: "/p", generation: 3, cycles: 2, lastEventAt: 1500 } as const
    const named = { id: "w", watch }
    const text = prometheusText(
      gaugesOf({ jobs: [watchJob(named, true)], watches: [named], ended: { watch: 10_000, run: 0 } })
    )
    for (const line of [
      "# TYPE souffleur_jobs gauge",
      'souffleur_jobs{kind="watch",state="needs you"} 0',
      'souffleur_jobs{kind="watch",state="working"} 1',
      'souffleur_jobs{kind="watch",state="ended"} 10000',
      'souffleur_generation{watch="w",project="/p"} 3',
      'souffleur_last_event_seconds{watch="w",project="/p"} 1.5'
    ])
      assert.include(text.split("\n"), line)
    assert.notInclude(text, "souffleur_context_tokens{", "it is not known")
    assert.isTrue(text.endsWith("\n"))
  })

  it("a word of others ends no label, and begins no line", () => {
    const sample = { labels: { project: 'a"} 1\nevil 2 \\' }, value: 1 }
    const lines = prometheusText([{ name: "x", help: "h", type: "gauge", samples: [sample] }]).split("\n")
    assert.lengthOf(lines, 4)
    assert.match(lines[2]!, /^x\{project="(?:[^"\\]|\\\\|\\"|\\n)*"\} 1$/u)
  })
})
