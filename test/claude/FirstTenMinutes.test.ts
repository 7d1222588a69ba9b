import { assert, describe, it } from "@effect/vitest"
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

/** The model uses a tool until the agent is killed. Then it uses another, and answers. */
const part: Part = ({ said, toolResult }) =>
  Effect.succeed(
    toolResult?.includes("checked") === true
      ? { text: "All fourteen tests pass.\nThe stage word was quinquereme." }
      : bash(said.some((text) => text.includes(begin)) ? rehearsal : "echo checked")
  )

describe("command-line#screen", () => {
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
        assert.strictEqual(lines[4], "the agent stopped; nothing confirms that its work is done")
        // A line that is broken at 80 columns begins with our mark, or with its indent.
        const rows = screen.trimEnd().split("\n")
        assert.isAtMost(Math.max(...rows.map(({ length }) => length)), 80, screen)
        const answer = rows.indexOf("All fourteen tests pass.")
        assert.strictEqual(rows[answer + 1], "The stage word was quinquereme.", screen)
        assert.isAbove(
          rows.findIndex((row) => row.endsWith("the agent stopped; nothing confirms that its work is done")),
          answer + 1
        )
        assert.notMatch(screen, /Conductor|fence|self-monitor|\bS1\b/u)

        yield* until(
          "the notices",
          Effect.sync(() => notices.titles().includes("unconfirmed: opera"))
        )
        assert.deepStrictEqual(notices.titles(), ["died: opera", "recovered: opera", "unconfirmed: opera"])
        assert.include(yield* lab.said("status"), "All fourteen tests pass.")
      }).pipe(Effect.scoped, Effect.provide(services))
  )
})

describe("behaviour#restart", () => {
  it.live.skipIf(claude === null || tmuxMissing)(
    "the first ten minutes: in tmux a command that wants a terminal gets a window, and its last words are on the screen",
    () =>
      Effect.gen(function* () {
        const lab = yield* makeLab(claude!, "opera", part, { solo: true })
        const stage = yield* tmux(lab, { columns: 80, rows: 24 })
        const script = "test -t 0 || { echo 'stdin is not a terminal' >&2; exit 3; }; stty size; echo done"
        const souffleur = yield* stage.souffleur(["run", "--", "sh", "-c", script])
        assert.strictEqual(yield* souffleur.exitCode, 0, yield* souffleur.said)
        const screen = yield* souffleur.said
        assert.match(screen, /brought back \(pid \d+\): started again, in a window of its own\n/u)
        assert.match(screen, /\n24 80\ndone\n▸ \d\d:\d\d:\d\d the command finished/u)
      }).pipe(Effect.scoped, Effect.provide(services))
  )

  it.live.skipIf(claude === null || tmuxMissing)(
    "the first ten minutes: a command that wants a terminal says so, gets one, and its words are on the screen",
    () =>
      Effect.gen(function* () {
        const lab = yield* makeLab(claude!, "opera", part, { solo: true, settings: { SOUFFLEUR_LAUNCHER: "headless" } })
        const stage = yield* tmux(lab, { columns: 80, rows: 24 })
        const script = "test -t 0 || { echo 'stdin is not a terminal' >&2; exit 3; }; stty size"
        const souffleur = yield* stage.souffleur(["run", "--", "sh", "-c", script])
        assert.strictEqual(yield* souffleur.exitCode, 0, yield* souffleur.said)
        const screen = yield* souffleur.said
        const rows = screen.split("\n").map((row) => row.replace(/^▸ \d\d:\d\d:\d\d /u, ""))
        const places = [
          /^the command runs \(pid \d+\) as opera-/u,
          /^stdin is not a terminal$/u,
          /^the command died: .*exit code 3/u,
          /^brought back \(pid \d+\): started again$/u,
          /^24 80$/u,
          /^the command finished$/u
        ].map((row) => rows.findIndex((one) => row.test(one)))
        assert.notInclude(places, -1, screen)
        assert.deepStrictEqual(
          places,
          places.toSorted((one, other) => one - other),
          screen
        )
      }).pipe(Effect.scoped, Effect.provide(services))
  )
})
