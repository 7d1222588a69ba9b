import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect, FileSystem, Schedule, Schema, Stream } from "effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"
import { fileURLToPath, pathToFileURL } from "node:url"
import { chromium } from "playwright-core"
import { terminalHtml } from "./TerminalHtml.ts"

/**
 * `pnpm pictures`: runs the demonstration on real processes, and shows its log in a real Chromium. It writes `page.png`
 * and `report.png`, the pictures of the page and of the report. Then it runs four commands, and draws the screen of
 * `souffleur top` in a real tmux as `top.png`. `CHROMIUM` names the browser.
 */
const file = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const souffleur = file("../../packages/cli/src/main.ts")

const Printed = Schema.fromJsonString(Schema.Struct({ url: Schema.String }))

/** A command that goes on until its folder is removed. */
const lasting = "touch go; while [ -e go ]; do sleep 1; done"

/** The commands of the picture of `top`, by the names of their folders. */
const commands = {
  shop: lasting,
  docs: `[ -e once ] || { touch once; exit 3; }; ${lasting}`,
  api: lasting,
  notes: "exit 0"
} as const

/** Runs the commands, kills one souffleur, and returns the screen of `top` with its colours. */
const screenOfTop = Effect.fnUntraced(function* (home: string) {
  const fs = yield* FileSystem.FileSystem
  const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
  const env = {
    HOME: home,
    SOUFFLEUR_STATE_DIR: `${home}/state`,
    SOUFFLEUR_LAUNCHER: "headless",
    TMUX_TMPDIR: home,
    TERM: "xterm-256color",
    LC_ALL: "C.UTF-8"
  }
  yield* fs.makeDirectory(home)
  const tmux = (...args: ReadonlyArray<string>) =>
    spawner.string(ChildProcess.make("tmux", ["-L", "pictures", "-f", "/dev/null", ...args], { env, extendEnv: true }))
  for (const [name, script] of Object.entries(commands)) {
    const cwd = `${home}/${name}`
    yield* fs.makeDirectory(cwd)
    const run = yield* ChildProcess.make(
      process.execPath,
      [souffleur, "run", "--no-guardian", "--json", "--", "/bin/sh", "-c", script],
      { cwd, env, extendEnv: true }
    )
    // The second life of `docs` has begun by then.
    const settled = name === "notes" ? "ConductorCompleted" : name === "docs" ? "ConductorRelaunched" : "WatchSettled"
    yield* run.stdout.pipe(
      Stream.decodeText(),
      Stream.splitLines,
      Stream.takeUntil((line) => line.includes(settled)),
      Stream.runDrain
    )
    if (name === "api") yield* run.kill({ killSignal: "SIGKILL" })
  }
  const line = [process.execPath, souffleur, "top", "--utc"].map((word) => `'${word}'`).join(" ")
  yield* Effect.acquireRelease(tmux("new-session", "-d", "-x", "92", "-y", "14", line), () =>
    Effect.ignore(tmux("kill-server"))
  )
  return yield* Effect.repeat(tmux("capture-pane", "-e", "-p"), {
    until: (text) => text.includes("needs you") && text.includes("ended"),
    schedule: Schedule.spaced("200 millis")
  })
})

const main = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
  const home = yield* fs.makeTempDirectoryScoped({ prefix: "souffleur-pictures-" })
  const made = (args: ReadonlyArray<string>, more = {}) =>
    ChildProcess.make(process.execPath, [souffleur, ...args], { env: { HOME: home, ...more }, extendEnv: true })
  const story = yield* spawner.string(made(["demo"]))
  const log = /^The log: +(.+)\/souffleur\.db$/mu.exec(story)?.[1]
  if (log === undefined) return yield* Effect.die(new Error(`the demonstration did not come to its end:\n${story}`))
  const here = { SOUFFLEUR_STATE_DIR: log }

  const report = `${home}/report.html`
  yield* fs.writeFileString(report, yield* spawner.string(made(["report", "--since", "1h", "--format", "html"], here)))
  const screen = yield* screenOfTop(`${home}/top`)
  const page = yield* made(["page", "--port", "0", "--json"], here)
  const [line = ""] = yield* page.stdout.pipe(Stream.decodeText(), Stream.splitLines, Stream.take(1), Stream.runCollect)
  const { url } = yield* Schema.decodeEffect(Printed)(line)
  yield* Effect.promise(async () => {
    const browser = await chromium.launch({
      executablePath: process.env["CHROMIUM"] ?? "/usr/bin/chromium",
      args: ["--no-sandbox"]
    })
    const tab = await browser.newPage({ viewport: { width: 960, height: 1280 }, colorScheme: "light" })
    await tab.goto(url)
    await tab.locator(".job-name a").first().click()
    await tab.getByText("Ended", { exact: true }).waitFor()
    await tab.locator("#events summary").last().click()
    await tab.screenshot({ path: file("page.png") })
    await tab.goto(pathToFileURL(report).href)
    await tab.screenshot({ path: file("report.png"), fullPage: true })
    const terminal = await browser.newPage({ viewport: { width: 960, height: 400 } })
    await terminal.setContent(terminalHtml(screen))
    await terminal.locator("pre").screenshot({ path: file("top.png") })
    await browser.close()
  })
}).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
NodeRuntime.runMain(main)
