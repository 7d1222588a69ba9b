import * as fs from "node:fs"
import { dirname, join } from "node:path"
import { type AgentProcess, processesIn } from "../claude/AgentProcesses.ts"
import { bundle } from "../cli/Built.ts"

/** Files of sessions, the newest first. */
export const sessionsIn = (home: string): ReadonlyArray<string> =>
  [".claude/projects", ".codex/sessions"]
    .map((folder) => join(home, folder))
    .filter((folder) => fs.existsSync(folder))
    .flatMap((folder) => fs.globSync(join(folder, "**/*.jsonl")))
    .toSorted((one, other) => fs.statSync(other).mtimeMs - fs.statSync(one).mtimeMs)

/** The processes of a home, told apart. */
export const lookAt = (home: string, place: string) => {
  const all = processesIn(home)
  const launchOf = ({ environment }: AgentProcess) =>
    environment.find((one) => one.startsWith("SOUFFLEUR_LAUNCH_ID="))?.slice("SOUFFLEUR_LAUNCH_ID=".length)
  const agentProcesses = all.filter((one) => one.program.startsWith(place) && launchOf(one) !== undefined)
  const these = new Set(agentProcesses.map(({ pid }) => pid))
  const own = all.filter(({ argv }) => argv.some((word) => dirname(word) === dirname(bundle)))
  return {
    all,
    launches: [...new Set(agentProcesses.map(launchOf))],
    agent: agentProcesses.filter(({ parent }) => !these.has(parent)),
    souffleur: own.filter(({ argv }) => argv.includes(bundle) && (argv.includes("run") || argv.includes("watch"))),
    guardian: own.filter(({ argv }) => argv.some((word) => /__guardian|guardian\.cjs/u.test(word)))
  }
}
