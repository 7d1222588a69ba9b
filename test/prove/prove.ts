import { execFileSync, spawn } from "node:child_process"
import { parseArgs } from "node:util"
import { added, type Proof, proofs, write } from "./Proofs.ts"

/**
 * `pnpm prove --hours N` runs a slice of each command in turn, with a fresh seed, until N hours are over. Each slice
 * that ends is added to `docs/proofs.json` and to its page, so that a run which was stopped resumes by the same words:
 * the command with the smallest share of its goal comes first. `--minutes N` records nothing, for trees that change.
 * `--age` names each proof that is out of date. It ends with 1 where a slice found something.
 */
const { values } = parseArgs({
  args: process.argv.slice(2).filter((word) => word !== "--"),
  options: { hours: { type: "string" }, minutes: { type: "string" }, age: { type: "boolean", default: false } }
})

const vitest = ["node_modules/vitest/vitest.mjs", "run", "--project", "fleet", "FleetTorture"]
/** `slice`: half a minute or so on two cores. `goal`: the size of a proof. */
const commands = [
  {
    command: "pnpm simulate",
    unit: "cycles",
    slice: 400,
    goal: 200_000,
    args: (seed: number, size: number) => ["test/simulation/simulate.ts", `--seed=${seed}`, `--cycles=${size}`]
  },
  {
    command: "pnpm simulate --runs",
    unit: "assignments",
    slice: 200,
    goal: 50_000,
    args: (seed: number, size: number) => [
      "test/simulation/simulate.ts",
      "--runs",
      `--seed=${seed}`,
      `--cycles=${size}`
    ]
  },
  {
    command: "pnpm torture",
    unit: "kills",
    slice: 10,
    goal: 500,
    args: (seed: number, size: number) => ["test/torture/runTorture.ts", `--seed=${seed}`, `--kills=${size}`]
  },
  {
    command: "pnpm fuzz",
    unit: "inputs",
    slice: 2000,
    goal: 100_000,
    args: (seed: number, size: number) => ["test/fuzz/fuzz.ts", `--seed=${seed}`, `--inputs=${size}`]
  },
  {
    command: "pnpm nights",
    unit: "nights",
    slice: 1,
    goal: 20,
    args: (seed: number, size: number) => ["test/agents/nights.ts", `--seed=${seed}`, `--nights=${size}`]
  },
  { command: "pnpm test:fleet", unit: "kills", slice: 30, goal: 300, args: () => vitest }
]

const git = (...args: ReadonlyArray<string>): string =>
  execFileSync("git", args, { encoding: "utf8", stdio: "pipe" }).trim()
const refuse = (why: string): never => {
  console.error(why)
  process.exit(2)
}

/** What `.ci/run` says of each proof: a commit that is no ancestor, or too many commits of sources since. */
const tellAge = (): void => {
  if (git("rev-parse", "--is-shallow-repository") === "true") {
    console.log("a shallow clone: the age of the proofs is not looked at")
    return
  }
  for (const { command, commit } of proofs()) {
    try {
      git("merge-base", "--is-ancestor", commit, "HEAD")
    } catch {
      console.log(`${command}: its commit ${commit.slice(0, 8)} is no ancestor of this one`)
      continue
    }
    const since = Number(git("rev-list", "--count", `${commit}..HEAD`, "--", "packages"))
    if (since > 300) console.log(`${command}: ${since} commits of sources since its proof`)
  }
}

/** Runs one slice. Resolves with its exit code, and all that it printed. */
const run = (args: ReadonlyArray<string>, env: Readonly<Record<string, string>>) =>
  new Promise<{ readonly code: number | null; readonly said: string }>((resolve, reject) => {
    const child = spawn(process.execPath, args, {
      env: { ...process.env, ...env },
      stdio: ["ignore", "pipe", "pipe"]
    })
    let said = ""
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text: string) => (said += text))
    child.on("error", reject)
    child.on("close", (code) => resolve({ code, said }))
  })

const prove = async (milliseconds: number, recording: boolean): Promise<void> => {
  const commit = git("rev-parse", "HEAD")
  // The command writes these two itself.
  const dirty = () =>
    git("status", "--porcelain", "--", ".", ":!docs/proofs.json", ":!docs/reliability.md") !== "" ||
    git("rev-parse", "HEAD") !== commit
  const stop = () => refuse("the tree is not that of its commit: commit first, and run it again")
  if (recording && dirty()) stop()
  let all = recording ? proofs() : []
  const shareOf = ({ command, goal }: (typeof commands)[number]) =>
    (all.find((one) => one.command === command && one.commit === commit)?.size ?? 0) / goal
  process.once("SIGINT", () => process.exit(130))
  const end = performance.now() + milliseconds
  for (let turn = 0; performance.now() < end; turn++) {
    const next = recording
      ? commands.toSorted((one, other) => shareOf(one) - shareOf(other))[0]!
      : commands[turn % commands.length]!
    const seed = crypto.getRandomValues(new Uint32Array(1))[0]! % 900_000_000
    const { command, slice: size, unit } = next
    const { code, said } = await run(next.args(seed, size), { FLEET_KILLS: String(size), FLEET_SEED: String(seed) })
    console.log(`${command}: ${size} ${unit}, seed ${seed}: ${code === 0 ? "held" : "broken"}`)
    // A skipped test proves nothing.
    if (code === 0 && /\bTests +\d+ skipped|^skipped: /mu.test(said)) refuse(`${command} was skipped here:\n${said}`)
    if (code !== 0) {
      console.log(`FAILED: ${command} with seed ${seed} ended with ${code}:\n${said.split("\n").slice(-30).join("\n")}`)
      process.exitCode = 1
    }
    if (!recording) continue
    // What ran on another tree proves nothing of this one.
    if (dirty()) stop()
    const date = new Date().toISOString().slice(0, 10)
    const slice: Proof = {
      command,
      seeds: [String(seed)],
      size,
      unit,
      verdict: code === 0 ? "held" : "broken",
      commit,
      date
    }
    all = added(all, slice)
    write(all)
  }
}

const time = (name: string, text: string): number =>
  Number(text) > 0 ? Number(text) : refuse(`--${name} ${text}: a number above 0 is needed`)

if (values.age) tellAge()
else if (values.minutes !== undefined) await prove(time("minutes", values.minutes) * 60_000, false)
else await prove(time("hours", values.hours ?? "1") * 3_600_000, true)
