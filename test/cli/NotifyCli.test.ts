import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import type { ServerResponse } from "node:http"
import { join } from "node:path"
import { desktopStandIn } from "../../packages/notify/test/DesktopStandIn.ts"
import { answering, stubServer } from "../../packages/notify/test/StubServer.ts"
import { bundle, stage, until } from "./CliStage.ts"
import { live, liveCase } from "./Live.ts"

const withoutTmux = spawnSync("tmux", ["-V"]).status !== 0
const secret = "Zs3cr3t"
/** Every secret, for servers on loopback. */
const secretsAt = (url: string) => ({
  SOUFFLEUR_NTFY_TOKEN: `tk_${secret}@${url}`,
  SOUFFLEUR_SLACK_URL: `${url}/hooks/${secret}`,
  SOUFFLEUR_TELEGRAM_TOKEN: `1:${secret}@${url}`
})
const servers = (url: string) => `ntfy:${url}/topic slack telegram:@team`
const quietly = (...words: ReadonlyArray<string>) => ["run", "--no-guardian", "--", ...words]

/** A tmux server of the stage. `begin` runs a line in its first window, and `shown` is the window that a person sees. */
const tmuxOf = (the: Effect.Success<ReturnType<typeof stage>>, variables: Readonly<Record<string, string>>) => {
  const env = { ...the.environment, ...variables }
  const tmux = (...args: ReadonlyArray<string>) =>
    spawnSync("tmux", args, { env, cwd: the.project, encoding: "utf8" }).stdout.trim()
  return {
    tmux,
    begin: (...line: ReadonlyArray<string>) =>
      tmux("-f", "/dev/null", "new-session", "-d", "-s", "night", "-x", "80", "-y", "24", "--", ...line),
    shown: Effect.sync(() => tmux("display-message", "-p", "-t", "night:", "#{window_index}"))
  }
}
describe.concurrent("the command line sends notices", () => {
  describe("command-line#setting-up", () => {
    live("notify --test sends one notice to each channel and says that each took it", () =>
      Effect.gen(function* () {
        const the = yield* stage([])
        const { received, url } = yield* stubServer(answering(200))
        const told = join(the.home, "told")
        const write = 'require("node:fs").writeFileSync(process.argv[1], require("node:fs").readFileSync(0))'
        const { code, errors, lines } = yield* the.run(["notify", "--test"], {
          ...secretsAt(url),
          SOUFFLEUR_NOTIFY: `${servers(url)} command:${JSON.stringify([process.execPath, "-e", write, told])}`
        })
        assert.deepStrictEqual(
          lines.map((line) => line.replaceAll(/ +/gu, " ")),
          ["ntfy took it", "slack took it", "telegram took it", "command took it"],
          errors
        )
        assert.strictEqual(code, 0)
        assert.deepStrictEqual(received.map(({ path }) => path).toSorted(), [
          "/",
          `/bot1:${secret}/sendMessage`,
          `/hooks/${secret}`
        ])
        for (const { body } of received) assert.include(body, "This is a test of souffleur's notices.")
        assert.deepInclude(JSON.parse(fs.readFileSync(told, "utf8")), { kind: "test", project: the.project })
      })
    )
    liveCase("notify --test ends with 1 where a channel did not take its notice, and tells no secret", () =>
      Effect.gen(function* () {
        const the = yield* stage([])
        const { received, url } = yield* stubServer((response, path) =>
          path === "/"
            ? answering(401)(response)
            : path.startsWith("/bot")
              ? answering(500)(response)
              : answering(302, { location: `${url}/other` })(response)
        )
        const told = yield* the.run(["notify", "--test"], { ...secretsAt(url), SOUFFLEUR_NOTIFY: servers(url) })
        assert.strictEqual(told.code, 1)
        assert.deepStrictEqual(
          told.lines.map((line) => line.replaceAll(/ +/gu, " ")),
          [
            "ntfy did not take it: the server answered 401: the token is missing or refused",
            "slack did not take it: the server answered 302: a redirect is not followed",
            "telegram did not take it: the server answered 500"
          ]
        )
        assert.notInclude(told.errors, secret)
        assert.strictEqual(received.length, 3)
        const none = yield* the.run(["notify", "--test", "--json"], { SOUFFLEUR_NOTIFY: "slack telegram:@team" })
        assert.strictEqual(none.code, 1)
        assert.match(none.lines.join("\n"), /the URL of Slack is missing: set SOUFFLEUR_SLACK_URL/u)
        const doctor = yield* the.ask(["doctor"], { SOUFFLEUR_NOTIFY: "slack ntfy:topic" })
        assert.match(doctor.lines.join("\n"), /wrong +notices +slack: the URL of Slack is missing/u)
        assert.match(doctor.lines.join("\n"), /ok +notices +ntfy is ready/u)
      })
    )
    live("notify ends with 2 without a channel, or where one is no channel", () =>
      Effect.gen(function* () {
        const the = yield* stage([])
        assert.strictEqual((yield* the.run(["notify", "--test"])).code, 2)
        const bad = yield* the.run(["notify"], { SOUFFLEUR_NOTIFY: `slack:https://hooks.example/${secret}` })
        assert.deepStrictEqual([bad.code, bad.lines], [2, []])
        assert.notInclude(bad.errors, secret)
        const listed = yield* the.run(["notify"], { SOUFFLEUR_NOTIFY: "desktop ntfy+words:topic" })
        assert.deepStrictEqual([listed.code, listed.lines], [0, ["desktop", "ntfy+words:https://ntfy.sh/topic"]])
      })
    )
  })

  describe("behaviour#trust", () => {
    liveCase("a config file that has got another channel sends nothing before a person trusts it", () =>
      Effect.gen(function* () {
        const the = yield* stage([])
        const { received, url } = yield* stubServer(answering(200))
        const config = join(the.project, ".orchestra_configs", "souffleur")
        fs.mkdirSync(join(the.project, ".orchestra_configs"))
        fs.writeFileSync(config, "NOTIFY=command:/bin/true\n")
        assert.strictEqual((yield* the.run(["config", "--trust"])).code, 0)
        assert.strictEqual((yield* the.run(["notify", "--test"])).code, 0)
        fs.writeFileSync(config, `NOTIFY=ntfy:${url}/thief\n`)
        for (const words of [["notify", "--test"], quietly("/bin/true")]) {
          const { code, errors } = yield* the.run(words, secretsAt(url))
          assert.strictEqual(code, 2)
          assert.match(errors, /NOTIFY is not what was trusted/u)
        }
        assert.deepStrictEqual(received, [])
        assert.strictEqual((yield* the.ask(["config", "--trust"])).code, 0)
        assert.strictEqual((yield* the.run(["notify", "--test"])).code, 0)
        assert.strictEqual(received.length, 1)
      })
    )
  })

  describe("settings#secrets-of-channels", () => {
    liveCase("a secret is in no argument and no variable of the process that sends, nor in its watch", () =>
      Effect.gen(function* () {
        const the = yield* stage([])
        const waiting: Array<ServerResponse> = []
        const { url } = yield* stubServer((response) => void waiting.push(response))
        const running = the.start(["notify", "--test"], { ...secretsAt(url), SOUFFLEUR_NOTIFY: `ntfy:${url}/topic` })
        yield* until(
          Effect.sync(() => waiting.length),
          (count) => count === 1
        )
        const children = fs
          .readFileSync(`/proc/${running.pid}/task/${running.pid}/children`, "utf8")
          .trim()
          .split(" ")
          .filter((pid) => fs.readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("__notify"))
        assert.strictEqual(children.length, 1)
        for (const file of ["cmdline", "environ"])
          assert.notInclude(fs.readFileSync(`/proc/${children[0]}/${file}`, "utf8"), secret)
        for (const response of waiting) answering(200)(response)
        assert.strictEqual((yield* running.ended).code, 0)
      })
    )
  })

  describe("behaviour#delivery-of-notices", () => {
    liveCase("the end of a command is told with its last line where that is asked for, and it gets no secret", () =>
      Effect.gen(function* () {
        const the = yield* stage([])
        const { received, url } = yield* stubServer(answering(200))
        const script = "env > env; echo first; echo the last words"
        const run = yield* the.run(quietly("/bin/sh", "-c", script), {
          ...secretsAt(url),
          SOUFFLEUR_NOTIFY: `ntfy:${url}/silent ntfy+words:${url}/chatty`
        })
        assert.strictEqual(run.code, 0, run.errors)
        const bodies = received.map(({ body }): Readonly<Record<string, string>> => JSON.parse(body))
        const [chatty, silent] = bodies.toSorted((a, b) => (a["topic"]! < b["topic"]! ? -1 : 1))
        assert.strictEqual(bodies.length, 2)
        assert.strictEqual(chatty!["title"], "completed: opera")
        assert.match(chatty!["message"]!, /completed.*\n“first · the last words”\n> souffleur log opera-[\da-f]{4}$/u)
        assert.notInclude(silent!["message"], "last words")
        assert.notInclude(fs.readFileSync(join(the.project, "env"), "utf8"), secret)
        assert.include(fs.readFileSync(join(the.project, "env"), "utf8"), "SOUFFLEUR_NOTIFY")
      })
    )
    liveCase("a notice that a server refuses is an event of the watch", () =>
      Effect.gen(function* () {
        const the = yield* stage([])
        const { url } = yield* stubServer(answering(403))
        const twice = "test -e again && exec sleep 60; : > again; exit 3"
        const run = the.start(["run", "--no-guardian", "--json", "--", "/bin/sh", "-c", twice], {
          ...secretsAt(url),
          SOUFFLEUR_NOTIFY: `ntfy:${url}/topic`
        })
        const line = Effect.sync(() => run.lines.find((line) => line.includes('"NoticeLost"')))
        const lost = JSON.parse((yield* until(line, (one) => one !== undefined))!)
        assert.deepInclude(lost, {
          channel: "ntfy",
          notice: "died",
          tries: 1,
          message: "the server answered 403: the token is missing or refused"
        })
        assert.strictEqual((yield* the.ask(["release"])).code, 0)
        assert.strictEqual((yield* run.ended).code, 0)
      })
    )
    liveCase(
      "a click on a notice of the desktop shows the agent's window of tmux",
      () =>
        Effect.gen(function* () {
          const the = yield* stage([])
          const desktop = desktopStandIn(join(the.home, "bin"), "withActions")
          const { begin, shown } = tmuxOf(the, {
            PATH: `${join(the.home, "bin")}:${the.environment["PATH"]}`,
            SOUFFLEUR_LAUNCHER: "tmux",
            SOUFFLEUR_NOTIFY: "desktop"
          })
          const twice = "test -e again && exec sleep 60; : > again; exit 3"
          begin(process.execPath, bundle, ...quietly("/bin/sh", "-c", twice).toSpliced(1, 0, "--terminal"))
          const back = Effect.map(the.ask(["log", "--json"]), ({ lines }) =>
            lines.some((line) => line.includes('"ConductorRelaunched"'))
          )
          yield* until(back, (yes) => yes)
          yield* until(Effect.sync(desktop.waiting), (pid) => pid > 0)
          assert.strictEqual(yield* shown, "0")
          desktop.choose("default\n")
          yield* until(shown, (index) => index !== "0")
        }),
      withoutTmux
    )
    liveCase(
      "a click on the notice of a test shows the window that it was sent from",
      () =>
        Effect.gen(function* () {
          const the = yield* stage([])
          const desktop = desktopStandIn(join(the.home, "bin"), "withActions")
          const { begin, shown, tmux } = tmuxOf(the, {})
          begin("sleep", "300")
          tmux("new-window", "-t", "night:", "sleep", "300")
          assert.strictEqual(yield* shown, "1")
          const { code, lines } = yield* the.run(["notify", "--test"], {
            PATH: `${join(the.home, "bin")}:${the.environment["PATH"]}`,
            SOUFFLEUR_NOTIFY: "desktop",
            TMUX: tmux("display-message", "-p", "-t", "night:", "#{socket_path},#{pid},0"),
            TMUX_PANE: "%0"
          })
          assert.deepStrictEqual([code, lines], [0, ["desktop  took it"]])
          desktop.choose("default\n")
          yield* until(shown, (index) => index === "0")
        }),
      withoutTmux
    )
  })
})
