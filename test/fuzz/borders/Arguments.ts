import type { Seed } from "../../simulation/Seed.ts"
import { border, holds } from "../Border.ts"
import { printsWell, say } from "../CommandLine.ts"
import { number, plainWord, run } from "../Hostile.ts"

/** Draws an argument as a shell hands it on: it has no NUL. */
const argument = (seed: Seed): string =>
  seed.pick<() => string>([
    () => plainWord(seed),
    () => plainWord(seed),
    () => String(number(seed)),
    () => run(seed).replaceAll("\0", "").slice(0, 100_000)
  ])()

/** Commands that start no program, and write only in their own home. */
const commands: ReadonlyArray<(seed: Seed) => ReadonlyArray<string>> = [
  (seed) => ["export", argument(seed)],
  (seed) => ["export", "--", argument(seed)],
  (seed) => ["estimate", argument(seed)],
  (seed) => ["watch", "--pid", argument(seed), "--session-id", "abc", "--observe"],
  (seed) => ["watch", `PID:${argument(seed)}`, `SESSION_ID:${argument(seed)}`],
  (seed) => ["adopt", "--pid", argument(seed), "--session-id", argument(seed)],
  (seed) => ["compact", argument(seed)],
  (seed) => [seed.pick(["status", "log", "why", "state", "release", "retry", "done", "attach"]), argument(seed)],
  (seed) => ["state", "--at", argument(seed)],
  (seed) => ["log", "--since", argument(seed)],
  (seed) => ["log", "--from", argument(seed)],
  (seed) => ["conduct", "status", "--run", argument(seed)],
  (seed) => ["conduct", "answer", argument(seed), argument(seed)],
  (seed) => ["conduct", argument(seed), "--dry-run"],
  (seed) => ["run", "--no-guardian", "--", "claude", "--settings", argument(seed)],
  (seed) => [argument(seed), argument(seed)],
  (seed) => [`--${argument(seed)}`]
]

export const args = border("arguments", {
  share: 3,
  draw: (seed) => seed.pick(commands)(seed),
  checks: {
    "are taken": async (words, place) => {
      const said = await say(place.folder, words)
      holds(
        said.code === "still at it" || [0, 1, 2, 3, 4].includes(said.code),
        "it ends in no way of its own",
        said.code
      )
      printsWell(said)
    }
  }
})
