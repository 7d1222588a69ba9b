import * as fs from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { HostServices } from "@souffleur/node"
import type { NoticeMessage } from "@souffleur/process"
import { Effect, Fiber, FileSystem } from "effect"
import { TestClock } from "effect/testing"
import { answerClick, channelProblem, type ChannelOptions, type ClickLine, makeNoticeChannels } from "../src/index.ts"
import { desktopStandIn } from "./DesktopStandIn.ts"

const message: NoticeMessage = {
  subject: { watch: "w", project: "/p/opera" },
  revision: 1,
  at: 0,
  notice: { kind: "died", state: "recovering", text: "It died.", words: null, next: "souffleur why w" }
}
const words = ["--", "died: opera", "recovering: It died.\n&gt; souffleur why w"]
const usual = ["--app-name=souffleur", "--urgency=normal"]
const optionsIn = (folder: string): ChannelOptions => ({
  quietHours: null,
  stateDir: "/nowhere",
  variables: { PATH: `${folder}:/usr/bin:/bin` },
  platform: "linux",
  post: () => Effect.die("no server is asked")
})
const settled = Effect.promise(() => new Promise<void>((resolve) => setImmediate(resolve)))
const until = (holds: () => boolean) =>
  Effect.repeat(Effect.andThen(settled, Effect.sync(holds)), { until: (yes) => yes })
const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

describe("behaviour#delivery-of-notices", () => {
  it.layer(HostServices.layer)((it) => {
    const folder = FileSystem.FileSystem.use((fs) => fs.makeTempDirectoryScoped())
    const tell = Effect.fnUntraced(function* (at: string, options: Partial<ChannelOptions> = {}, sent = message) {
      const [channel] = yield* makeNoticeChannels([{ _tag: "desktop" }], { ...optionsIn(at), ...options })
      yield* channel!.send(sent)
    })
    const withWindow = (lines: Array<ClickLine>): Partial<ChannelOptions> => ({
      whenClicked:
        ({ watch }) =>
        (line) =>
          Effect.sync(() => void (watch === "w" && lines.push(line)))
    })

    it.effect("a notice on the desktop is shown once, and without an action where its subject has no window", () =>
      Effect.gen(function* () {
        const at = yield* folder
        const desktop = desktopStandIn(at, "withActions")
        yield* tell(at)
        yield* tell(at, { whenClicked: () => null })
        assert.deepStrictEqual(desktop.calls(), [
          [...usual, ...words],
          [...usual, ...words]
        ])
      })
    )
    it.effect("a notice whose subject has a window is shown, and then replaced by one with an action", () =>
      Effect.gen(function* () {
        const at = yield* folder
        const desktop = desktopStandIn(at, "withActions")
        const lines: Array<ClickLine> = []
        yield* tell(at, withWindow(lines))
        assert.deepStrictEqual(desktop.calls(), [[...usual, "--print-id", ...words]])
        assert.deepStrictEqual(lines, [
          [desktop.program, ...usual, "--replace-id=7", "--action=default=Show the window", ...words]
        ])
      })
    )
    it.effect("the notice that waits for a click has no word of the agent", () =>
      Effect.gen(function* () {
        const at = yield* folder
        const desktop = desktopStandIn(at, "withActions")
        const lines: Array<ClickLine> = []
        yield* tell(at, withWindow(lines), { ...message, notice: { ...message.notice, words: "Is 7 right?" } })
        assert.include(desktop.calls()[0]!.at(-1), "Is 7 right?")
        assert.deepStrictEqual(lines[0]!.slice(-3), words)
      })
    )
    it.effect("a notify-send that knows no action shows the notice without one", () =>
      Effect.gen(function* () {
        const at = yield* folder
        const desktop = desktopStandIn(at, "withoutActions")
        const lines: Array<ClickLine> = []
        yield* tell(at, withWindow(lines))
        assert.deepStrictEqual([desktop.calls().at(-1), lines], [[...usual, ...words], []])
      })
    )
    it.effect("a notice that the desktop does not take is lost with the program, its words, and what to install", () =>
      Effect.gen(function* () {
        const at = yield* folder
        const missing = `there is no program notify-send in PATH: install libnotify (libnotify-bin on Debian and Ubuntu)`
        const none = { variables: { PATH: at } }
        assert.strictEqual((yield* Effect.flip(tell(at, none))).message, missing)
        const lack = channelProblem({ _tag: "desktop" }, { platform: "linux", stateDir: "/nowhere", ...none })
        assert.strictEqual(yield* lack, missing)

        desktopStandIn(at, "withoutDesktop")
        assert.strictEqual(
          (yield* Effect.flip(tell(at, withWindow([])))).message,
          "notify-send: it ended with exit code 1: Cannot autolaunch D-Bus without X11 $DISPLAY"
        )
        assert.isNull(yield* channelProblem({ _tag: "desktop" }, { ...optionsIn(at) }))
      })
    )

    const waiting = Effect.fnUntraced(function* () {
      const at = yield* folder
      const desktop = desktopStandIn(at, "withActions")
      const shown = join(at, "shown")
      const notice = [desktop.program, "--replace-id=7", "--action=default=Show the window", "--", "title", "text"]
      const order = JSON.stringify({ notice, chosen: ["/usr/bin/touch", shown] })
      const fiber = yield* Effect.forkChild(answerClick(order))
      yield* until(() => desktop.waiting() > 0)
      return { desktop, fiber, isShown: () => fs.existsSync(shown) }
    })
    it.effect("the choice of a notice's action runs its line, and a closed notice runs nothing", () =>
      Effect.gen(function* () {
        for (const [choice, shows] of [
          ["default\n", true],
          ["", false],
          ["other\n", false]
        ] as const) {
          const { desktop, fiber, isShown } = yield* waiting()
          desktop.choose(choice)
          yield* Fiber.join(fiber)
          assert.strictEqual(isShown(), shows, choice)
        }
      })
    )
    it.effect("a notice waits ten minutes for a choice, and its process is ended then", () =>
      Effect.gen(function* () {
        const { desktop, fiber, isShown } = yield* waiting()
        const pid = desktop.waiting()
        yield* TestClock.adjust("599 seconds")
        yield* settled
        assert.isUndefined(fiber.pollUnsafe())
        yield* TestClock.adjust("1 second")
        yield* Fiber.join(fiber)
        yield* until(() => !isAlive(pid))
        assert.isFalse(isShown())
      })
    )
  })
})
