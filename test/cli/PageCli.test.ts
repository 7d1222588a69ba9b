import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fs from "node:fs"
import { join } from "node:path"
import { ask, enter } from "../../packages/page/test/PageStage.ts"
import { stage, until } from "./CliStage.ts"

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
      const taken = yield* the.run(["page", "--port", new URL(url).port])
      assert.strictEqual(taken.code, 2)
      assert.include(taken.errors, "is taken")
      page.kill("SIGTERM")
      assert.strictEqual((yield* page.ended).code, 143)
    }
    assert.strictEqual(links[0], links[1])
  })
)
it.live("page takes no word in an agent's session, and opens no link that the list of processes shows", () =>
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
      CLAUDE_CODE_SESSION_ID: "0b7f6f0e-5b0e-4f0a-9a43-8a3f6f1f2c11",
      PATH: `${the.home}/bin:${process.env["PATH"]}`
    })
    yield* until(
      Effect.sync(() => fs.existsSync(seen)),
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
