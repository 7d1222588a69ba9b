import * as NodeServices from "@effect/platform-node/NodeServices"
import { afterAll, assert, beforeAll, it } from "@effect/vitest"
import { Effect } from "effect"
import { spawn, spawnSync } from "node:child_process"
import * as fs from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { setTimeout } from "node:timers/promises"
import manifest from "../../packages/cli/package.json" with { type: "json" }
import { makeExecutable } from "../../release/Executable.ts"
import { wrongLicences } from "../../release/Licences.ts"

const folder = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), "souffleur-executable-")))
const home = join(folder, "home")
let program = ""
beforeAll(async () => {
  fs.mkdirSync(join(home, "run"), { recursive: true, mode: 0o700 })
  const made = makeExecutable(process.arch === "arm64" ? "arm64" : "x64", folder)
  program = await Effect.runPromise(Effect.provide(made, NodeServices.layer))
})
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }))

/** Without a Node in the path, in a home that was empty. */
const env = { HOME: home, PATH: "/usr/bin:/bin", TMPDIR: home, XDG_RUNTIME_DIR: join(home, "run") }
const run = (...args: ReadonlyArray<string>) => {
  const { status, stderr, stdout } = spawnSync(program, args, { cwd: home, env, encoding: "utf8" })
  return { code: status, text: stdout, errors: stderr }
}
/** The command line of a process; empty if it has ended. */
const wordsOf = (pid: number | string) => {
  try {
    return fs.readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").slice(0, -1)
  } catch {
    return []
  }
}
/** Waits for a process with these first words. A new one has those of its parent for a moment. */
const untilRuns = async (among: () => ReadonlyArray<number>, ...words: ReadonlyArray<string>): Promise<number> => {
  for (;;) {
    const found = among().find((pid) => words.every((word, n) => wordsOf(pid)[n] === word))
    if (found !== undefined) return found
    await setTimeout(20)
  }
}

it("the executable runs without a Node beside it, and leaves no compiled code", () => {
  assert.deepStrictEqual(run("--version"), { code: 0, text: `souffleur v${manifest.version}\n`, errors: "" })
  assert.strictEqual(run("status").code, 0)
  assert.isFalse(fs.existsSync(join(home, ".cache")))
})

it("the executable for the other processor is of that processor, and has the program", async () => {
  const other = process.arch === "arm64" ? "x64" : "arm64"
  const made = await Effect.runPromise(Effect.provide(makeExecutable(other, folder), NodeServices.layer))
  const bytes = fs.readFileSync(made)
  // The field e_machine of ELF.
  assert.strictEqual(bytes.readUInt16LE(18), { x64: 62, arm64: 183 }[other])
  assert.isTrue(bytes.includes("NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2:1"), "Node would ignore the program")
  assert.isTrue(bytes.includes("// packages/cli/src/main.ts"))
  assert.strictEqual(fs.statSync(made).mode & 0o777, 0o755)
})

it("the licences beside the executable are those of souffleur, of Node, and of each package in it", () => {
  const notice = fs.readFileSync(`${program}.LICENSES.txt`, "utf8")
  const modules = fs
    .readFileSync(program, "latin1")
    .split("\n")
    .filter((line) => line.startsWith("// node_modules/.pnpm/"))
  assert.isAbove(modules.length, 100)
  // No module says that it is of one of these two.
  assert.deepStrictEqual(wrongLicences([modules.join("\n")], [notice]), [
    "souffleur has a licence there, and is not bundled",
    "Node.js has a licence there, and is not bundled"
  ])
  assert.include(notice, "Copyright Node.js contributors")
  assert.include(notice, "OpenSSL")
})

/** Returns the children of a process, or none once it has ended. */
const childrenOf = (pid: number | undefined): ReadonlyArray<number> => {
  const file = `/proc/${pid}/task/${pid}/children`
  return fs.existsSync(file) ? (fs.readFileSync(file, "utf8").match(/\d+/gu) ?? []).map(Number) : []
}

it("the executable is one word where it starts itself: in hooks, as a guardian, and to launch again", async () => {
  assert.strictEqual(run("hooks", "install").code, 0)
  const settings = fs.readFileSync(join(home, ".claude", "settings.local.json"), "utf8")
  assert.include(settings, `'${program}' hook 2>`)
  const watch = spawn(program, ["run", "--json", "--", "/bin/sleep", "1000"], { cwd: home, env })
  const ended = new Promise((resolve) => watch.on("exit", resolve))
  let launched = 0
  for await (const text of createInterface({ input: watch.stdout })) {
    const event = JSON.parse(text) as { readonly _tag: string; readonly conductor?: { readonly pid: number } }
    if (event._tag === "WatchSettled") {
      // A launch is below the shell that waits for it.
      const below = () => childrenOf(watch.pid).flatMap((pid) => [pid, ...childrenOf(pid)])
      await untilRuns(below, program, "__guardian")
      process.kill(await untilRuns(below, "/bin/sleep", "1000"), "SIGKILL")
    }
    if (event._tag === "ConductorRelaunched") {
      launched = event.conductor?.pid ?? 0
      break
    }
  }
  await untilRuns(() => [launched], "/bin/sleep", "1000")
  assert.strictEqual(run("release").code, 0)
  await ended
  process.kill(launched, "SIGKILL")
})
