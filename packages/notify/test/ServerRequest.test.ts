import { assert, describe, it } from "@effect/vitest"
import type { ServerChannel } from "@souffleur/domain"
import { HostServices } from "@souffleur/node"
import { Effect, FileSystem } from "effect"
import { desktopCall, type LinkedMessage, noticeLine, serverRequest } from "../src/index.ts"

const evil =
  '-e\r\nX-Evil: 1\n<!channel> <https://evil|ok> *b* _i_ [a](tg://x) </b>&amp; \\033 " $(id) `id` \u001B[2J\u202E'
const message: LinkedMessage = {
  job: { title: `The night ${evil}`, labels: {} },
  subject: { watch: "w", project: `/home/anna/secret-client/${evil.replaceAll("/", "∕")}` },
  revision: 7,
  at: 0,
  link: null,
  notice: {
    kind: "failed_closed",
    state: "needs you",
    text: `It failed: ${evil}`,
    words: `the agent said ${evil}`,
    next: "souffleur why w"
  }
}
const ntfy: ServerChannel = { _tag: "ntfy", url: "https://ntfy.sh/topic", words: false }
const slack: ServerChannel = { _tag: "slack", words: false }
const telegram: ServerChannel = { _tag: "telegram", chat: "@team", words: false }
const variables = {
  SOUFFLEUR_NTFY_TOKEN: "tk_1",
  SOUFFLEUR_SLACK_URL: "https://hooks.example/T/B/x",
  SOUFFLEUR_TELEGRAM_TOKEN: "123:ab-C_d"
}
it.layer(HostServices.layer)((it) => {
  const asked = (channel: ServerChannel, given: Readonly<Record<string, string>> = variables, stateDir = "/nowhere") =>
    serverRequest(channel, message, "usual", { variables: given, stateDir })
  const bodyOf = (channel: ServerChannel) =>
    Effect.map(asked(channel), ({ body }): Readonly<Record<string, unknown>> => JSON.parse(body))
  const problemOf = (channel: ServerChannel, given: Readonly<Record<string, string>>, stateDir?: string) =>
    Effect.map(Effect.flip(asked(channel, given, stateDir)), ({ message }) => message)

  describe("security#where-words-go", () => {
    describe("the words for a server", () => {
      it.effect("hostile words are in the body alone, and no control among them", () =>
        Effect.gen(function* () {
          for (const channel of [ntfy, slack, telegram]) {
            const { body, headers, url } = yield* asked(channel)
            assert.notInclude(`${url}${JSON.stringify(headers)}`, "Evil", channel._tag)
            assert.notMatch(JSON.parse(body).message ?? JSON.parse(body).text, /(?!\n)[\p{Cc}\u202E]/u, channel._tag)
          }
        })
      )
      it.effect(
        "a server gets the last name of a path, whatever sentence it is in, and the user's own places all of it",
        () =>
          Effect.gen(function* () {
            for (const [text, told] of [
              ["The last export: /home/anna/state/exports/w-c3.md.", "The last export: w-c3.md."],
              [`ENOENT: no such file, open '/home/anna/My Project/secret client/x.md'`, "no such file, open 'x.md'"],
              ['It reads "~/.claude/x.jsonl", or src/secret/a.ts (/etc/b).', 'It reads "x.jsonl", or a.ts (b).'],
              ["Look at https://ntfy.sh/topic and at PATH=/home/anna/bin", "Look at https://ntfy.sh/topic and at bin"]
            ] as const) {
              const own: LinkedMessage = { ...message, notice: { ...message.notice, text } }
              for (const channel of [ntfy, slack, telegram]) {
                const { body } = yield* serverRequest(channel, own, "usual", { variables, stateDir: "/nowhere" })
                const said: string = JSON.parse(body).message ?? JSON.parse(body).text
                assert.notMatch(said, /anna|secret[ /]/u, channel._tag)
                assert.include(said, told)
              }
              assert.include(desktopCall(own, "usual", "linux").args.join(" "), text)
            }
          })
      )
      it.effect("ntfy: topic, title, text and priority as JSON, and no header of foreign words", () =>
        Effect.gen(function* () {
          const { body, headers, url } = yield* asked(ntfy)
          assert.deepStrictEqual([url, headers], ["https://ntfy.sh/", { authorization: "Bearer tk_1" }])
          const { priority, title, topic } = JSON.parse(body)
          assert.deepStrictEqual([topic, priority], ["topic", 3])
          assert.isTrue(title.startsWith("failed closed: The night -e\\u000d\\u000aX-Evil"))
          assert.isBelow(body.length, 4096)
        })
      )
      it.effect("slack: no mention, no link and no markup", () =>
        Effect.gen(function* () {
          const { mrkdwn, parse, text } = yield* bodyOf(slack)
          assert.deepStrictEqual([mrkdwn, parse], [false, "none"])
          assert.notMatch(String(text), /[<>]/u)
          assert.include(String(text), "&lt;!channel&gt; &lt;https:")
        })
      )
      it.effect("telegram: no markup is read, and no page is fetched", () =>
        Effect.gen(function* () {
          const body = yield* bodyOf(telegram)
          assert.notProperty(body, "parse_mode")
          assert.deepInclude(body, { chat_id: "@team", link_preview_options: { is_disabled: true } })
        })
      )
    })

    it("a program gets the notice as one line of JSON without controls, with the whole folder and the words", () => {
      const line = noticeLine(message, "pressing")
      assert.strictEqual(line.indexOf("\n"), line.length - 1)
      const told = JSON.parse(line)
      assert.deepInclude(told, { watch: "w", revision: 7, kind: "failed_closed", loudness: "pressing" })
      assert.include(told.project, "/home/anna/secret-client/")
      assert.notMatch(`${told.text}${told.words}`, /[\p{Cc}\u202E]/u)
    })
    it("a desktop gets words as arguments: no option, no script and no markup", () => {
      const linux = desktopCall(message, "quiet", "linux")
      assert.deepStrictEqual(linux.args.slice(0, 3), ["--app-name=souffleur", "--urgency=low", "--"])
      const [title, body] = linux.args.slice(3) as [string, string]
      assert.strictEqual(linux.args.length, 5)
      assert.isTrue(title.startsWith("failed closed: "))
      assert.notMatch(body, /[<>]|(?!\n)\p{Cc}/u)
      assert.include(body, "\\\\033")
      assert.include(body, "&amp;amp;")
      const mac = desktopCall(message, "usual", "darwin")
      const script = mac.args.filter((_, index) => mac.args[index - 1] === "-e")
      assert.notInclude(script.join("\n"), "Evil")
      assert.deepStrictEqual([mac.program, mac.args.at(-3), mac.args.at(-2)], ["osascript", "--", title])
    })
  })

  describe("behaviour#words-in-notices", () => {
    describe("the words for a server", () => {
      it.effect("the folder's name, the command to type, and neither the path nor the agent's words", () =>
        Effect.gen(function* () {
          for (const channel of [ntfy, slack, telegram]) {
            const { body } = yield* asked(channel)
            assert.include(body, "souffleur why w")
            assert.notInclude(body, "secret-client", channel._tag)
            assert.notInclude(body, "the agent said", channel._tag)
            assert.include((yield* asked({ ...channel, words: true })).body, "the agent said", channel._tag)
          }
        })
      )
    })
  })

  describe("behaviour#notices", () => {
    describe("the words for a server", () => {
      it.effect("the state comes first, and the link to the page last", () =>
        Effect.gen(function* () {
          const link = "https://night.example/0a/watches/w"
          const { body } = yield* serverRequest({ ...ntfy, words: true }, { ...message, link }, "usual", {
            variables,
            stateDir: "/nowhere"
          })
          const lines = String(JSON.parse(body).message).split("\n")
          assert.isTrue(lines[0]!.startsWith("needs you: It failed: "))
          assert.deepStrictEqual(lines.slice(-2), ["> souffleur why w", link])
        })
      )
    })
  })

  describe("behaviour#quiet-notices", () => {
    describe("the words for a server", () => {
      it.effect("a quiet notice makes no sound, where the server has a word for that", () =>
        Effect.gen(function* () {
          const quietly = (channel: ServerChannel, loudness: "pressing" | "quiet") =>
            Effect.map(
              serverRequest(channel, message, loudness, { variables, stateDir: "/nowhere" }),
              ({ body }): Readonly<Record<string, unknown>> => JSON.parse(body)
            )
          assert.deepInclude(yield* quietly(ntfy, "quiet"), { priority: 2 })
          assert.deepInclude(yield* quietly(ntfy, "pressing"), { priority: 4 })
          assert.deepInclude(yield* quietly(telegram, "quiet"), { disable_notification: true })
          assert.deepInclude(yield* quietly(telegram, "pressing"), { disable_notification: false })
        })
      )
    })
  })

  describe("settings#secrets-of-channels", () => {
    describe("a secret", () => {
      it.effect("a token is for one server: no other that a config file names gets it", () =>
        Effect.gen(function* () {
          const other = { ...ntfy, url: "https://evil.example/topic" } as const
          const near = { ...ntfy, url: "https://ntfy.sh.evil.example/topic" } as const
          for (const channel of [other, near]) assert.deepStrictEqual((yield* asked(channel)).headers, {})
          const own = { SOUFFLEUR_NTFY_TOKEN: "tk_2@https://push.example/base" }
          assert.deepStrictEqual((yield* asked(ntfy, own)).headers, {})
          assert.deepStrictEqual((yield* asked({ ...ntfy, url: "https://push.example/base/t" }, own)).headers, {
            authorization: "Bearer tk_2"
          })
          assert.strictEqual(
            (yield* asked(telegram, { SOUFFLEUR_TELEGRAM_TOKEN: "1:a@http://127.0.0.1:8081" })).url,
            "http://127.0.0.1:8081/bot1:a/sendMessage"
          )
        })
      )
      it.effect("a secret of another form is refused without a word of it", () =>
        Effect.gen(function* () {
          for (const token of ["1:a/../../x", "1:a?x=SECRET", "SECRET@http://evil.example", "SECRET SECRET"]) {
            assert.notInclude(yield* problemOf(telegram, { SOUFFLEUR_TELEGRAM_TOKEN: token }), "SECRET")
            assert.notInclude(yield* problemOf(ntfy, { SOUFFLEUR_NTFY_TOKEN: token }), "SECRET")
          }
          for (const url of ["http://hooks.example/SECRET", "SECRET", "file:///SECRET"])
            assert.strictEqual(yield* problemOf(slack, { SOUFFLEUR_SLACK_URL: url }), "SLACK_URL is no https URL")
        })
      )
      it.effect("a secret is in the environment, else in a file that only its user may read", () =>
        Effect.gen(function* () {
          const fs = yield* FileSystem.FileSystem
          const stateDir = yield* fs.makeTempDirectoryScoped()
          assert.include(yield* problemOf(slack, {}, stateDir), "the URL of Slack is missing")
          assert.include(yield* problemOf(telegram, {}, stateDir), "the token of Telegram is missing")
          const file = `${stateDir}/secrets`
          yield* fs.writeFileString(file, "# mine\nSLACK_URL = https://hooks.example/file\nNTFY_TOKEN=tk_file\n")
          yield* fs.chmod(file, 0o600)
          assert.strictEqual((yield* asked(slack, {}, stateDir)).url, "https://hooks.example/file")
          assert.strictEqual((yield* asked(slack, variables, stateDir)).url, variables.SOUFFLEUR_SLACK_URL)
          assert.deepStrictEqual((yield* asked(ntfy, {}, stateDir)).headers, { authorization: "Bearer tk_file" })
          yield* fs.chmod(file, 0o640)
          assert.include(yield* problemOf(slack, {}, stateDir), "chmod go-rwx")
        })
      )
    })
  })
})
