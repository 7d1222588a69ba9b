import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, it } from "@effect/vitest"
import { EventLog } from "@souffleur/domain"
import { Effect, FileSystem, Layer, Sink, Stdio } from "effect"
import { examples } from "../../domain/test/fixtures/events/Examples.ts"
import { follow } from "../src/watching/FollowOutput.ts"

const said = "one\ttwo\n\u001B]0;mine\u0007\u009B2J\u202E \u{1F3AD}\r\n"

/** Returns what `attach` prints of an agent that said this, in a watch that has ended. */
const printed = Effect.fnUntraced(function* (stdoutIsTerminal: boolean) {
  const fs = yield* FileSystem.FileSystem
  const path = `${yield* fs.makeTempDirectoryScoped()}/l1.out`
  yield* fs.writeFileString(path, said)
  let out = ""
  const decoder = new TextDecoder()
  const stdio = Stdio.layerTest({
    stdout: () =>
      Sink.forEach((chunk: string | Uint8Array) =>
        Effect.sync(() => void (out += typeof chunk === "string" ? chunk : decoder.decode(chunk)))
      ),
    stdoutIsTerminal: Effect.succeed(stdoutIsTerminal)
  })
  const { ConductorConfirmed, ConductorRelaunched, WatchOpened, WatchReleased } = examples
  yield* Effect.gen(function* () {
    yield* (yield* EventLog).append("w", 0, [WatchOpened, ConductorConfirmed, ConductorRelaunched, WatchReleased])
    yield* follow(
      "w",
      () => path,
      () => Effect.void
    )
  }).pipe(Effect.provide(Layer.merge(EventLog.layerMemory, stdio)))
  return out
})

it.layer(NodeServices.layer)((it) => {
  it.effect("a terminal obeys nothing of an agent's output but its lines and tabs", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* printed(true), "one\ttwo\n\\u001b]0;mine\\u0007\\u009b2J\\u202e \u{1F3AD}\\u000d\n")
    })
  )
  it.effect("a pipe or a file gets an agent's output byte for byte", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* printed(false), said)
    })
  )
})
