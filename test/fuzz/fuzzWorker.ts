import { mkdirSync, rmSync, writeSync } from "node:fs"
import { join } from "node:path"
import { setImmediate as nextTurn } from "node:timers/promises"
import type { Border, Place } from "./Border.ts"
import { Broken } from "./Border.ts"
import type { Order } from "./FuzzCampaign.ts"
import type { Finding } from "./FuzzFinding.ts"
import { seedOf } from "./SeedOf.ts"
import { setTrap, takeCaught } from "./Trap.ts"

/**
 * Tells the parent a line on descriptor 3. It is written at once, so that a parent that kills this process knows its
 * input.
 */
const tell = (line: string) => void writeSync(3, `${line}\n`)

const { module, root, seed, stretches } = JSON.parse(process.argv[2]!) as Order
// No file of the machine's own user is read or written.
for (const name of Object.keys(process.env))
  if (/^(?:SOUFFLEUR_|CLAUDE|XDG_|TMUX|KITTY_)/u.test(name)) delete process.env[name]
process.env["HOME"] = root

/** Errors that no code awaits. They belong to the present input. */
let stray: Array<unknown> = []
process.on("uncaughtException", (error) => stray.push(error))
process.on("unhandledRejection", (error) => stray.push(error))
// The open stdin keeps a waiting worker alive. Its end means that the parent is gone. Then the worker ends.
process.stdin.resume().on("end", () => process.exit(1))
setTrap()
const { borders } = (await import(module)) as { readonly borders: ReadonlyArray<Border> }

/** Describes an error by the first places of our code in its stack, and by its message. */
const described = (error: unknown): readonly [what: string, shown: string] => {
  if (!(error instanceof Error)) return ["it threw what is no error", String(error).slice(0, 300)]
  const frames = (error.stack ?? "")
    .split("\n")
    .filter((line) => /^\s+at /u.test(line) && !line.includes("node_modules"))
  const where = frames.slice(0, 3).map((line) => line.trim().replaceAll(/file:\/\/\S*\/(?=packages\/|test\/)/gu, ""))
  return [
    [error.name, ...where].join(" "),
    `${error.message} ${error.cause === undefined ? "" : String(error.cause)}`.slice(0, 300)
  ]
}

const millis = ({ system, user }: NodeJS.CpuUsage) => (system + user) / 1000

const attempt = async (run: () => unknown): Promise<readonly [cpu: number, thrown: ReadonlyArray<unknown>]> => {
  const before = process.cpuUsage()
  const thrown: Array<unknown> = []
  try {
    await run()
    // An error that no code awaits comes to light a turn later.
    await nextTurn()
  } catch (error) {
    thrown.push(error)
  }
  return [millis(process.cpuUsage(before)), [...thrown, ...stray.splice(0)]]
}

const one = async ({ checks, name, within }: Border, input: number): Promise<ReadonlyArray<Finding>> => {
  const path = join(root, `${name}-${input}`)
  const made = { folder: false }
  const place: Place = {
    get folder() {
      if (!made.folder) mkdirSync(path, { mode: 0o700 })
      made.folder = true
      return path
    }
  }
  const found: Array<Finding> = []
  const find = (kind: Finding["kind"], check: string, what: string, shown: string) =>
    void found.push({ kind, border: name, input, check, what, shown })
  let done = 0
  for (const [check, run] of checks(seedOf(seed, name, input), place)) {
    const [cpu, thrown] = await attempt(run)
    for (const error of thrown) {
      if (error instanceof Broken) find("broken", check, error.message, error.shown)
      else find("uncaught", check, ...described(error))
    }
    // A slow check is tried again. The first time compiles code, and collects the garbage of other checks.
    if (cpu > within && (await attempt(run))[0] > within)
      find("slow", check, `more than ${within} ms of the processor`, `${Math.round(cpu)} ms`)
    for (const act of takeCaught()) find("shell", check, "something was to be started, or signalled", act)
    done += 1
  }
  tell(`checks ${done}`)
  if (made.folder) rmSync(path, { recursive: true, force: true })
  return found
}

for (const { border: name, from, to } of stretches) {
  const border = borders.find((one) => one.name === name)!
  for (let input = from; input < to; input++) {
    tell(`input ${name} ${input}`)
    for (const finding of await one(border, input)) tell(JSON.stringify(finding))
  }
}
process.exit(0)
