import { Processes as NodeProcesses } from "@souffleur/node"
import { Effect } from "effect"
import { runningSessions } from "../../../packages/agents/src/claude/session/RunningSessions.ts"
import { border } from "../Border.ts"
import { homeIn } from "../CommandLine.ts"
import { bent, mangled, number, plainWord, run, some, torn, tree, word } from "../Hostile.ts"
import { settle } from "../Settle.ts"
import type { Seed } from "../../simulation/Seed.ts"

const pidFile = (seed: Seed) => ({
  pid: seed.pick([process.pid, process.ppid, 1, number(seed)]),
  sessionId: word(seed),
  cwd: word(seed),
  procStart: seed.pick<unknown>([word(seed), number(seed)]),
  status: seed.pick(["busy", "idle", "waiting", word(seed)]),
  waitingFor: word(seed)
})

export const pidFiles = border("pid-files", {
  share: 3,
  draw: (seed) =>
    some(seed, 6, () => ({
      name: seed.pick([
        String(process.pid),
        String(seed.between(1, 99_999)),
        plainWord(seed).replaceAll("/", "").slice(0, 60) || "x"
      ]),
      data: torn(
        seed,
        seed.pick<() => string>([
          () => JSON.stringify(pidFile(seed)),
          () => JSON.stringify(bent(seed, pidFile(seed))),
          () => mangled(seed, JSON.stringify(pidFile(seed))),
          () => JSON.stringify(tree(seed)),
          () => run(seed)
        ])()
      )
    })),
  checks: {
    "are read": async (files, place) => {
      const { claude, write } = homeIn(place.folder)
      for (const { data, name } of files) write(`claude/sessions/${name}.json`, data)
      await settle(runningSessions(claude).pipe(Effect.provide(NodeProcesses.layer)))
    }
  }
})
