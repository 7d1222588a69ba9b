import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect, FileSystem, Schema, Stream } from "effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"
import { fileURLToPath, pathToFileURL } from "node:url"
import { chromium } from "playwright-core"

/**
 * `pnpm pictures`: runs the demonstration on real processes, and shows its log in a real Chromium. It writes `page.png`
 * and `report.png`, the pictures of the page and of the report. `CHROMIUM` names the browser.
 */
const file = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const souffleur = file("../../packages/cli/src/main.ts")

const Printed = Schema.fromJsonString(Schema.Struct({ url: Schema.String }))

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
    await browser.close()
  })
}).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
NodeRuntime.runMain(main)
