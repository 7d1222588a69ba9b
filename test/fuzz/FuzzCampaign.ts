import { spawn } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { setTimeout as pause } from "node:timers/promises"
import type { Readable } from "node:stream"
import { type Border } from "./Border.ts"
import type { Finding } from "./FuzzFinding.ts"

/** Inputs of one border, from `from` to `to`, the last one excluded. */
export interface Stretch {
  readonly border: string
  /** Processor ms of one check. */
  readonly within: number
  readonly from: number
  readonly to: number
}

export interface Tally {
  inputs: number
  checks: number
  readonly findings: Array<Finding>
}

/** The argument that a worker is started with. */
export interface Order {
  readonly seed: number
  readonly stretches: ReadonlyArray<Stretch>
  /** The file of the borders. */
  readonly module: string
  /** A folder for all of it. */
  readonly root: string
}

/** Time between two looks at the worker, ms. */
const lookEvery = 250
/**
 * Limit for all checks of an input and their second tries, in multiples of the limit of one check. An input over it
 * hangs.
 */
const tries = 5
/**
 * Time after which a worker waits for something that never comes, ms. In this time it sleeps, and uses less than
 * `nothing`, in processor ms.
 */
const patience = 10_000
const nothing = 200

/** Reads the processor time of a process, in ticks, and whether it sleeps; `undefined` where that cannot be seen. */
const usedBy = (pid: number): { readonly ticks: number; readonly sleeps: boolean } | undefined => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8")
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
    return { ticks: Number(fields[11]) + Number(fields[12]), sleeps: fields[0] === "S" }
  } catch {
    return undefined
  }
}
const tick = 10

/** Divides the inputs among the borders by their shares. Each border has one input at least. */
export const stretchesOf = (borders: ReadonlyArray<Border>, inputs: number): ReadonlyArray<Stretch> => {
  const all = borders.reduce((sum, { share }) => sum + share, 0)
  return borders.map(({ name, share, within }) => ({
    border: name,
    within,
    from: 0,
    to: Math.max(1, Math.round((inputs * share) / all))
  }))
}

/** The rest of the stretches after an input. */
const after = (stretches: ReadonlyArray<Stretch>, border: string, input: number): ReadonlyArray<Stretch> => {
  const at = stretches.findIndex((one) => one.border === border)
  const [here, ...rest] = stretches.slice(at)
  return input + 1 < here!.to ? [{ ...here!, from: input + 1 }, ...rest] : rest
}

/** Runs one worker through the stretches, as far as it comes. Gives the rest where an input ended it. */
const work = (order: Order, tallies: ReadonlyMap<string, Tally>): Promise<ReadonlyArray<Stretch>> =>
  new Promise((resolve, reject) => {
    const worker = spawn(
      process.execPath,
      ["--max-old-space-size=3000", new URL("fuzzWorker.ts", import.meta.url).pathname, JSON.stringify(order)],
      { stdio: ["pipe", "ignore", "pipe", "pipe"] }
    )
    let now:
      | { readonly border: string; readonly input: number; readonly most: number; readonly ticks: number }
      | undefined
    let [idle, awake, words, why] = [0, 0, "", ""]
    const end = (because: string) => {
      why = because
      worker.kill("SIGKILL")
    }
    const look = () => {
      const used = usedBy(worker.pid ?? 0)
      if (used === undefined || now === undefined) return
      const spent = (used.ticks - now.ticks) * tick
      idle = used.sleeps && (used.ticks - awake) * tick < nothing ? idle + 1 : 0
      if (idle === 0) awake = used.ticks
      if (spent > now.most) end("it takes the processor, and does not end")
      else if (idle > patience / lookEvery) end("it waits for what never comes")
    }
    const looking = async () => {
      for (; worker.exitCode === null && worker.signalCode === null; look()) await pause(lookEvery)
    }
    void looking()
    worker.stderr?.on("data", (part: Buffer) => (words = (words + part.toString("utf8")).slice(-500)))
    createInterface({ input: worker.stdio[3] as Readable }).on("line", (line) => {
      if (line.startsWith("{")) {
        const finding = JSON.parse(line) as Finding
        return void tallies.get(finding.border)?.findings.push(finding)
      }
      const [what, border = "", input] = line.split(" ")
      if (what === "input") {
        idle = 0
        const { within } = order.stretches.find((one) => one.border === border)!
        now = { border, input: Number(input), most: tries * within + 1000, ticks: usedBy(worker.pid ?? 0)?.ticks ?? 0 }
        tallies.get(border)!.inputs += 1
      } else if (now !== undefined) tallies.get(now.border)!.checks += Number(border)
    })
    worker.on("error", reject)
    worker.on("close", (code, signal) => {
      if (code === 0) return resolve([])
      if (now === undefined) return reject(new Error(`the worker did not begin: ${signal ?? code} ${words}`))
      const { border, input } = now
      const kind = why === "" ? ("uncaught" as const) : ("hang" as const)
      const [what, shown] = why === "" ? [`it ended the process: ${signal ?? code}`, words] : [why, ""]
      tallies.get(border)!.findings.push({ kind, border, input, check: "one of all", what, shown })
      resolve(after(order.stretches, border, input))
    })
  })

/**
 * Runs the stretches in a process of their own, and ends it where an input hangs. It goes on after that input in
 * another process. A hang is measured by processor time, not by a clock: a busy machine makes no input hang.
 */
export const campaign = async (
  seed: number,
  stretches: ReadonlyArray<Stretch>,
  module = new URL("Borders.ts", import.meta.url).href
): Promise<ReadonlyMap<string, Tally>> => {
  const tallies = new Map(stretches.map(({ border }) => [border, { inputs: 0, checks: 0, findings: [] } as Tally]))
  const root = mkdtempSync(join(tmpdir(), "souffleur-fuzz-"))
  try {
    for (let left = stretches; left.length > 0;) left = await work({ seed, stretches: left, module, root }, tallies)
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
  return tallies
}
