import childProcess from "node:child_process"
import { syncBuiltinESMExports } from "node:module"

/** A program that is on no machine. */
const nowhere = "/nonexistent/souffleur-fuzz"

/** Starts and signals that were tried since the last question. After the trap is set, none takes effect. */
let caught: Array<string> = []

export const takeCaught = (): ReadonlyArray<string> => caught.splice(0)

/** Keeps this process from starting programs and from sending signals. Every try is written down. */
export const setTrap = (): void => {
  caught = []
  const note = (how: string, words: ReadonlyArray<unknown>) => {
    const told = `${how} ${JSON.stringify(words.slice(0, 2)).slice(0, 300)}`
    // A dry run asks git for the branch, as it asks of each repository: with no program of its configuration.
    if (!/^spawn \["[^"]*\/git",.*"core\.hooksPath=\/dev\/null"/u.test(told)) caught.push(told)
  }
  const { fork, spawn, spawnSync } = childProcess
  const late =
    (how: string) =>
    (...words: ReadonlyArray<unknown>) => {
      note(how, words)
      // The failure comes as a real one does: on the process that never was.
      return spawn(nowhere, [], { stdio: "ignore" })
    }
  const atOnce =
    (how: string) =>
    (...words: ReadonlyArray<unknown>) => {
      note(how, words)
      return spawnSync(nowhere)
    }
  Object.assign(childProcess, {
    spawn: late("spawn"),
    exec: late("exec"),
    execFile: late("execFile"),
    fork: (...words: Parameters<typeof fork>) => late("fork")(...words),
    spawnSync: atOnce("spawnSync"),
    execSync: atOnce("execSync"),
    execFileSync: atOnce("execFileSync")
  })
  syncBuiltinESMExports()
  const kill = process.kill.bind(process)
  process.kill = (pid, signal) => {
    // Signal 0 only asks whether the process is there.
    if (signal === 0) return kill(pid, 0)
    note("kill", [pid, signal])
    return true
  }
  process.execve = (...words) => {
    note("execve", words)
    throw new Error("execve")
  }
}
