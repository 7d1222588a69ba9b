import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fs from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { ask, enter } from "../../packages/page/test/PageStage.ts"
import { answers, stage, until } from "./CliStage.ts"
import { liveCase } from "./Live.ts"

/** A session of an agent, as its tools see it. */
const session = "0b7f6f0e-5b0e-4f0a-9a43-8a3f6f1f2c11"

describe("command-line#page", () => {
  it.live("page serves the watches of this machine until a signal ends it, and keeps its link", () =>
    Effect.gen(function* () {
      const the = yield* stage([])
      const done = yield* the.run(["run", "--no-guardian", "--", "/bin/sh", "-c", "exit 0"])
      assert.strictEqual(done.code, 0, done.errors)
      const links: Array<string> = []
      for (const _ of [1, 2]) {
        const page = the.start(["page", "--port", "0", "--json"])
        const line = yield* until(
          Effect.sync(() => page.lines[0]),
          (one) => one !== undefined
        )
        const { url } = JSON.parse(line!) as { url: string }
        links.push(new URL(url).search)
        const { cookie, list } = yield* enter(url)
        const { text } = yield* ask(list, { headers: { cookie } })
        assert.include(text, "1 ended")
        const { port } = new URL(url)
        const again = yield* the.run(["page", "--port", port])
        assert.deepStrictEqual([again.code, again.lines], [0, [url]], again.errors)
        const agents = yield* the.run(["page", "--port", port], { CLAUDE_CODE_SESSION_ID: session })
        assert.deepStrictEqual([agents.code, agents.lines], [2, []])
        assert.include(agents.errors, "is taken")
        yield* answers(page)
      }
      assert.strictEqual(links[0], links[1])
    })
  )
  liveCase("status and report have the link of a page that runs, or of the address that is set", () =>
    Effect.gen(function* () {
      const the = yield* stage([])
      yield* the.run(["run", "--no-guardian", "--", "/bin/sh", "-c", "exit 0"])
      const links = Effect.fnUntraced(function* (more: Readonly<Record<string, string>> = {}) {
        const [watch] = JSON.parse((yield* the.ask(["status", "--all", "--json"], more)).lines.join("\n"))
        const report = JSON.parse((yield* the.ask(["report", "--since", "8h", "--json"], more)).lines.join("\n"))
        const one = yield* the.ask(["status", watch.watch], more)
        const told = [
          (yield* the.ask(["status", "--all"], more)).lines.slice(-2),
          one.lines.slice(-2),
          (yield* the.ask(["report", "--since", "8h"], more)).lines.slice(-1)
        ].map((lines) => lines.join(" "))
        return { id: watch.watch as string, links: [watch.link, report.link] as ReadonlyArray<string | null>, told }
      })
      const { id, ...without } = yield* links()
      assert.deepStrictEqual(without.links, [null, null])
      for (const lines of without.told) assert.notInclude(lines, "http")
      const expected = (origin: string) => [
        `PAGE ${origin}/`,
        `PAGE ${origin}/watches/${id}`,
        `On the page: <${origin}/report?since=8h>`
      ]
      const set = yield* links({ SOUFFLEUR_PAGE_URL: "https://night.example" })
      assert.deepStrictEqual(set.told, expected("https://night.example"))
      const page = the.start(["page", "--port", "0"])
      const line = yield* until(
        Effect.sync(() => page.lines[0]),
        (one) => one !== undefined
      )
      const { origin, searchParams } = new URL(line!)
      const running = yield* links()
      assert.deepStrictEqual(running.links, [`${origin}/watches/${id}`, `${origin}/report?since=8h`])
      assert.deepStrictEqual(running.told, expected(origin))
      assert.notInclude(JSON.stringify(running), searchParams.get("token")!)
      page.kill("SIGKILL")
      yield* page.ended
      assert.deepStrictEqual((yield* links()).links, [null, null])
    })
  )
  liveCase("page refuses a port of another program, and prints the link from elsewhere", () =>
    Effect.gen(function* () {
      const the = yield* stage([])
      const other = createServer().listen(0, "127.0.0.1")
      yield* Effect.addFinalizer(() => Effect.sync(() => other.close()))
      yield* until(
        Effect.sync(() => other.address()),
        (address) => address !== null
      )
      const taken = yield* the.run(["page", "--port", String((other.address() as AddressInfo).port)])
      assert.strictEqual(taken.code, 2)
      assert.include(taken.errors, "is taken")
      const page = the.start(["page", "--port", "0", "--json"], { SOUFFLEUR_PAGE_URL: "https://night.example" })
      const line = yield* until(
        Effect.sync(() => page.lines[0]),
        (one) => one !== undefined
      )
      const { elsewhere, url } = JSON.parse(line!) as { readonly url: string; readonly elsewhere: string }
      assert.strictEqual(elsewhere, `https://night.example/${new URL(url).search}`)
      yield* until(Effect.sync(page.errors), (errors) => errors.includes(`From elsewhere: ${elsewhere}\n`))
      page.kill("SIGTERM")
      yield* page.ended
    })
  )
})

describe("security#what-a-person-says", () => {
  liveCase("page takes no word in an agent's session, and opens no link that the list of processes shows", () =>
    Effect.gen(function* () {
      const the = yield* stage([])
      const seen = join(the.home, "seen")
      fs.mkdirSync(join(the.home, "bin"))
      fs.writeFileSync(
        join(the.home, "bin", "xdg-open"),
        `#!/bin/sh\necho "$@" > ${seen}.new\nmv ${seen}.new ${seen}\n`,
        {
          mode: 0o755
        }
      )
      const page = the.start(["page", "--port", "0", "--open"], {
        CLAUDE_CODE_SESSION_ID: session,
        PATH: `${the.home}/bin:${process.env["PATH"]}`
      })
      yield* until(
        Effect.sync(() => fs.existsSync(seen) && page.lines.length > 0),
        (there) => there
      )
      const opened = fs.readFileSync(seen, "utf8").trim()
      const token = new URL(page.lines[0]!).searchParams.get("token")!
      assert.notInclude(opened, token)
      assert.include(fs.readFileSync(opened, "utf8"), token)
      assert.strictEqual(fs.statSync(opened).mode & 0o777, 0o600)
      assert.include(page.errors(), "the page takes no word")
      page.kill("SIGTERM")
      yield* page.ended
    })
  )
})
