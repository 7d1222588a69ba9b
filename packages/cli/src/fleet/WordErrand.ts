import { DueWord, WordAnswer, WordLost, WordTaker } from "@souffleur/fleet"
import { runProgram } from "@souffleur/process"
import { Effect, Layer, Schema } from "effect"
import { ChildProcessSpawner } from "effect/process"
import { Environment } from "../world/CommandEnvironment.ts"

/** A word, on the standard input of `souffleur fleet take`. */
export const WordOrder = Schema.fromJsonString(DueWord)
/** The answer to it, on the standard output. */
export const WordReply = Schema.fromJsonString(WordAnswer)

const encodeOrder = Schema.encodeEffect(WordOrder)
const decodeReply = Schema.decodeUnknownEffect(WordReply)

/**
 * Decides on each word by a process of its own, `souffleur fleet take`. So the shipper cannot write the log. `project`:
 * the folder whose settings count.
 */
export const layerWordErrand = (project: string) =>
  Layer.effect(
    WordTaker,
    Effect.gen(function* () {
      const { self } = yield* Environment
      const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
      return WordTaker.of({
        take: (word) =>
          encodeOrder(word).pipe(
            Effect.flatMap((order) =>
              runProgram({
                command: JSON.stringify(self),
                args: ["fleet", "take", "--project-dir", project],
                stdin: `${order}\n`,
                within: "30 seconds",
                atMost: 64_000,
                heard: true
              })
            ),
            Effect.flatMap(decodeReply),
            Effect.mapError((error) => new WordLost({ problem: error.message })),
            Effect.provideService(ChildProcessSpawner.ChildProcessSpawner, spawner)
          )
      })
    })
  )
