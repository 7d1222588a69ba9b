import { assert, describe, it } from "@effect/vitest"
import { type NotifyChannel, parseQuietHours } from "@souffleur/domain"
import { HostServices } from "@souffleur/node"
import type { NoticeMessage } from "@souffleur/process"
import { DateTime, Effect, FileSystem, Option } from "effect"
import { TestClock } from "effect/testing"
import { type ChannelOptions, makeNoticeChannels } from "../src/index.ts"

const message = (kind: string): NoticeMessage => ({
  subject: { watch: "w", project: "/p" },
  revision: 1,
  at: 0,
  notice: { kind, state: "working", text: "It is so.", words: "bye", next: "souffleur why w" }
})
const ntfy: NotifyChannel = { _tag: "ntfy", url: "https://ntfy.sh/t", words: false }
const options: ChannelOptions = {
  quietHours: Option.getOrNull(parseQuietHours("22:00-06:00")),
  stateDir: "/nowhere",
  variables: {},
  platform: "linux",
  post: () => Effect.die("no server is asked")
}
it.layer(HostServices.layer)((it) => {
  describe("settings#notify", () => {
    it.effect("channels of one kind are numbered, and only those that were asked get the agent's words", () =>
      Effect.gen(function* () {
        const all = yield* makeNoticeChannels([ntfy, { _tag: "desktop" }, { ...ntfy, words: true }], options)
        assert.deepStrictEqual(
          all.map(({ name, words }) => [name, words]),
          [
            ["ntfy", false],
            ["desktop", true],
            ["ntfy 2", true]
          ]
        )
      })
    )
  })

  describe("behaviour#quiet-notices", () => {
    it.effect("a notice in the quiet hours makes no sound, unless a person is needed", () =>
      Effect.gen(function* () {
        const orders: Array<{ readonly body: string; readonly once: boolean }> = []
        const post = (order: string) =>
          Effect.sync(() => {
            orders.push(JSON.parse(order))
            return '{"tries":1,"problem":null}'
          })
        const [channel] = yield* makeNoticeChannels([ntfy], { ...options, post })
        const kinds = ["completed", "died", "recovered", "failed_closed", "exhausted", "waiting_for_a_person"]
        yield* TestClock.setTime(Date.UTC(2026, 0, 5, 23))
        for (const kind of kinds) yield* channel!.send(message(kind))
        yield* TestClock.setTime(Date.UTC(2026, 0, 6, 7))
        yield* channel!.send(message("completed"), true)
        assert.deepStrictEqual(
          orders.map(({ body }) => JSON.parse(body).priority),
          [2, 2, 2, 4, 4, 4, 3]
        )
        assert.deepStrictEqual([orders[0]!.once, orders.at(-1)!.once], [false, true])
      }).pipe(Effect.provideService(DateTime.CurrentTimeZone, DateTime.zoneMakeNamedUnsafe("UTC")))
    )
  })

  describe("behaviour#delivery-of-notices", () => {
    it.effect("a notice that a server did not take is lost with the server's status and the tries", () =>
      Effect.gen(function* () {
        const answers = ['{"tries":5,"problem":"the server answered 500"}', "{}", "", "SECRET"]
        const [channel] = yield* makeNoticeChannels([ntfy], {
          ...options,
          post: () => Effect.sync(() => answers.shift() ?? "")
        })
        const first = yield* Effect.flip(channel!.send(message("died")))
        assert.deepStrictEqual([first.tries, first.message], [5, "the server answered 500"])
        for (const _ of [1, 2, 3])
          assert.strictEqual(
            (yield* Effect.flip(channel!.send(message("died")))).message,
            "souffleur's own process for it has ended"
          )
      })
    )
    it.effect("a program gets the notice once, on its standard input alone", () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const file = `${yield* fs.makeTempDirectoryScoped()}/told`
        const write =
          'const fs = require("node:fs"); fs.appendFileSync(process.argv[1], process.argv.length + fs.readFileSync(0, "utf8")); process.exit(3)'
        const command = JSON.stringify([process.execPath, "-e", write, file])
        const [channel] = yield* makeNoticeChannels([{ _tag: "command", command }], options)
        const lost = yield* Effect.flip(channel!.send(message("died")))
        assert.deepStrictEqual([lost.tries, lost.message], [1, "the program: it ended with exit code 3"])
        const [told = ""] = (yield* fs.readFileString(file)).split("\n")
        assert.isTrue(told.startsWith('2{"watch":"w"'))
        assert.deepInclude(JSON.parse(told.slice(1)), { words: "bye", next: "souffleur why w" })
      })
    )
  })
})
