import { it } from "@effect/vitest"
import axe from "axe-core"
import { Effect } from "effect"
import { afterAll } from "vitest"
import { existsSync, mkdirSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { type BrowserContextOptions, chromium, type Page } from "playwright-core"

/** The browser of Debian, or that of `CHROMIUM`. */
const executablePath = process.env["CHROMIUM"] ?? "/usr/bin/chromium"
const there = existsSync(executablePath)
if (!there) console.warn(`no Chromium at ${executablePath}: its tests are skipped`)

/** A test in a real browser. It is skipped where there is none. */
export const inBrowser = there ? it.live : it.live.skip

/** A name of the network that leads to this machine, as a page of others could make one. */
export const rebound = "attacker.example"

/** The folder of the screenshots. */
const shots = fileURLToPath(new URL("shots/", import.meta.url))

/** Sizes of a telephone and of a screen. */
export const narrow = { width: 360, height: 740 }
export const wide = { width: 1280, height: 800 }

/** One browser for the tests of a file, because its start takes longest. */
const browser = there
  ? chromium.launch({
      executablePath,
      // Root has no sandbox.
      args: ["--no-sandbox", `--host-resolver-rules=MAP ${rebound} 127.0.0.1`]
    })
  : undefined
afterAll(async () => (await browser)?.close())

/** Opens an empty page of a profile of the test's own. `complaints`: errors and warnings of its console. */
export const tab = Effect.fnUntraced(function* (options: BrowserContextOptions = { viewport: wide }) {
  const context = yield* Effect.acquireRelease(
    Effect.promise(async () => (await browser!).newContext(options)),
    (context) => Effect.promise(() => context.close())
  )
  // Names what is missing, and is long enough for a busy machine.
  context.setDefaultTimeout(60_000)
  const complaints: Array<string> = []
  const open = async () => {
    const page = await context.newPage()
    page.on("console", (said) => {
      if (said.type() === "error" || said.type() === "warning") complaints.push(said.text())
    })
    page.on("pageerror", (error) => complaints.push(String(error)))
    page.on("dialog", (dialog) => {
      complaints.push(dialog.message())
      void dialog.dismiss()
    })
    return page
  }
  return { complaints, context, open, page: yield* Effect.promise(open) }
})

/** Returns what hinders a reader of a page, by the rules of axe. */
export const hindrances = async (page: Page): Promise<ReadonlyArray<string>> => {
  await page.evaluate(axe.source)
  const { violations } = await page.evaluate(() => (globalThis as unknown as { readonly axe: typeof axe }).axe.run())
  return violations.flatMap(({ help, nodes }) => nodes.map(({ html }) => `${help}: ${html}`))
}

/** Returns how many pixels a page is wider than its window. */
export const overflow = (page: Page) => page.evaluate("document.documentElement.scrollWidth - window.innerWidth")

/** The decision on the page of a watch that its agent, or its Conductor, is dead. */
export const decisionOf = (page: Page) =>
  page.locator("#events details", { hasText: /The (?:agent|Conductor) is dead/u })

/** Keeps a picture of a whole page. */
export const shoot = async (page: Page, name: string): Promise<void> => {
  mkdirSync(shots, { recursive: true })
  await page.screenshot({ path: `${shots}${name}.png`, fullPage: true })
}
