import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as http from "node:http"
import { inject } from "vitest"
import { tmux, tmuxMissing } from "./ClaudeStage.ts"
import { makeLab, type Part, until } from "./Lab.ts"
import { bash, begin, only, rehearsal, services } from "./Watched.ts"

const claude = inject("claude")

/** A server of notices on loopback, which keeps what it was sent. */
const noticeServer = Effect.acquireRelease(
  Effect.callback<{ readonly url: string; readonly titles: () => ReadonlyArray<string>; readonly server: http.Server }>(
    (resume) => {
      const bodies: Array<{ readonly title: string }> = []
      const server = http.createServer((request, response) => {
        let text = ""
        request.setEncoding("utf8").on("data", (piece: string) => (text += piece))
        request.on("end", () => {
          bodies.push(JSON.parse(text))
          response.end("{}")
        })
      })
      server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        const port = typeof address === "object" ? address?.port : 0
        resume(
          Effect.succeed({ server, url: `http://127.0.0.1:${port}`, titles: () => bodies.map(({ title }) => title) })
        )
      })
    }
  ),
  ({ server }) => Effect.sync(() => void server.close())
)

/** The model uses a tool until the agent is killed, and then answers. */
const part: Part = ({ said }) =>
  Effect.succeed(
    said.some((text) => text.includes(begin))
      ? bash(rehearsal)
      : { text: "All fourteen tests pass.\nThe stage word was quinquereme." }
  )

it.live.skipIf(claude === null || tmuxMissing)(
  "the first ten minutes: an agent in a terminal of 80 columns is killed, its recovery is four lines, and its answer is there",
  () =>
    Effect.gen(function* () {
      const notices = yield* noticeServer
      const lab = yield* makeLab(claude!, "opera", part, {
        solo: true,
        // The notices keep the order of the log, and a death is told before the end.
        settings: { SOUFFLEUR_LAUNCHER: "headless", SOUFFLEUR_NOTIFY: `ntfy:${notices.url}/night` }
      })
      const stage = yield* tmux(lab, { columns: 80, rows: 24 })
      const souffleur = yield* stage.souffleur(["run", "--", claude!, "-p", "--allowedTools=Bash", begin])
      yield* until("a tool call", lab.exists("tool.pid"))
      const ours = Effect.map(souffleur.said, (text) => text.split("\n").filter((line) => line.startsWith("▸ ")))
      yield* until(
        "the first line",
        Effect.map(ours, ({ length }) => length > 0)
      )
      const { pid } = only(yield* lab.log, "ConductorConfirmed")["conductor"] as { readonly pid: number }
      process.kill(pid, "SIGKILL")
      assert.strictEqual(yield* souffleur.exitCode, 0, yield* souffleur.said)

      const screen = yield* souffleur.said
      const lines = (yield* ours).map((line) => line.replace(/^▸ \d\d:\d\d:\d\d /u, ""))
      assert.lengthOf(lines, 5, screen)
      const kinds = [/^the agent runs \(pid \d+\) as opera-[\da-f]{4}/u, /^the agent died: /u]
      for (const [n, kind] of [...kinds, /^brought back \(pid \d+\): /u, /goes on: 1,000 tokens/u].entries())
        assert.match(lines[n]!, kind)
      assert.strictEqual(lines[4], "the agent finished")
      // A line that is broken at 80 columns begins with our mark, or with its indent.
      const rows = screen.trimEnd().split("\n")
      assert.isAtMost(Math.max(...rows.map(({ length }) => length)), 80, screen)
      const answer = rows.indexOf("All fourteen tests pass.")
      assert.strictEqual(rows[answer + 1], "The stage word was quinquereme.", screen)
      assert.isAbove(
        rows.findIndex((row) => row.endsWith("the agent finished")),
        answer + 1
      )
      assert.notMatch(screen, /Conductor|fence|self-monitor|\bS1\b/u)

      yield* until(
        "the notices",
        Effect.sync(() => notices.titles().includes("completed: opera"))
      )
      assert.deepStrictEqual(notices.titles(), ["died: opera", "recovered: opera", "completed: opera"])
      assert.include(yield* lab.said("status"), "All fourteen tests pass.")
    }).pipe(Effect.scoped, Effect.provide(services))
)
