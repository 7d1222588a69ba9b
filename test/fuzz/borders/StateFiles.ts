import { progressOf, readState, runCodec } from "@souffleur/plan"
import { Result } from "effect"
import { border, holds } from "../Border.ts"
import { alike, bent, mangled, run, today, tree, word } from "../Hostile.ts"

const state = {
  workflow_id: "opera",
  phase: "implementation",
  current_task: "t2",
  tasks: [
    {
      id: "t1",
      title: "The model",
      status: "completed",
      attempts: 1,
      implementer_commits: ["d34db33f"],
      files_changed: ["src/model.ts"],
      test_file: "test/model.test.ts",
      feedback: [{ attempt: 1, summary: "no", issues: ["one"], suggestions: ["two"] }],
      started_at: "2026-11-21T20:00:00Z",
      completed_at: "2026-11-21T21:00:00Z"
    },
    { id: "t2", status: "pending" }
  ],
  created_at: "2026-11-21T20:00:00Z",
  updated_at: "2026-11-21T21:00:00Z"
}

/** Checks progress that is taken over: it becomes an event. */
export const stateFiles = border("state-files", {
  share: 8,
  draw: (seed) =>
    seed.pick<() => string>([
      () => JSON.stringify(alike(seed, state)),
      () =>
        JSON.stringify(
          alike(seed, { ...state, tasks: Array.from({ length: seed.between(0, 50) }, () => state.tasks[0]) })
        ),
      () => JSON.stringify(bent(seed, state)),
      () => mangled(seed, JSON.stringify(state)),
      () => JSON.stringify(tree(seed)),
      () => word(seed),
      () => run(seed)
    ])(),
  checks: {
    "is taken over": (text) => {
      const read = readState(text)
      if (Result.isFailure(read)) return
      const stored = runCodec.encode({
        _tag: "ProgressImported",
        at: today,
        from: "state",
        tasks: progressOf(read.success),
        finishing: null
      })
      holds(
        Result.isSuccess(runCodec.decode("run/opera-0001", 2, stored)),
        "progress is stored, and cannot be read again"
      )
    }
  }
})
