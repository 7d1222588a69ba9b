import { assert, describe, it } from "@effect/vitest"
import type { Signs } from "@souffleur/domain"
import { HostServices } from "@souffleur/node"
import { Effect } from "effect"
import { comparable, judged, kills, signsOf, situations, stall } from "./Situation.ts"

const seen = Effect.runSync(
  Effect.cached(
    Effect.forEach(situations, (situation) => Effect.map(signsOf(situation), (signs) => ({ situation, signs })), {
      concurrency: 4
    })
  )
)

/** The verdict of a simple watchdog, which reads only the process and the age of the session file. */
const bySilence = ({ now, process, session }: Signs) =>
  process === "gone" || process === "zombie" || (session !== undefined && now - session.writtenAt > stall)

describe("behaviour#verdicts", () => {
  it.layer(HostServices.layer)((it) => {
    it.effect("each recorded or constructed situation has the right result", () =>
      Effect.gen(function* () {
        assert.isAtLeast(situations.length, 100)
        const wrong = (yield* seen).flatMap(({ signs, situation }) => {
          const verdict = judged(signs)
          const is = comparable(verdict, situation.verdict)
          return JSON.stringify(Object.entries(is).toSorted()) ===
            JSON.stringify(Object.entries(situation.verdict).toSorted())
            ? []
            : [{ name: situation.name, right: situation.verdict, is: verdict }]
        })
        assert.deepStrictEqual(wrong, [])
      })
    )
    // Hooks and beats are extra signs, where a user has them. Alone, they can be the only sign of life.
    it.effect("a healthy Conductor is never killed, whichever of its signs cannot be read", () =>
      Effect.gen(function* () {
        const sources = ["children", "pidFile", "process", "session", "stillSince"] as const
        const killed = (yield* seen)
          .filter(({ situation }) => situation.right === "alive")
          .flatMap(({ signs, situation }) =>
            Array.from({ length: 2 ** sources.length }, (_, mask) =>
              sources.filter((__, bit) => (mask & (1 << bit)) !== 0)
            ).flatMap((missing) => {
              const fewer: Signs = { ...signs, ...Object.fromEntries(missing.map((source) => [source, undefined])) }
              return kills(judged(fewer)) ? [`${situation.name} without ${missing.join(", ") || "nothing"}`] : []
            })
          )
        assert.deepStrictEqual(killed, [])
      })
    )
    it.effect("silence alone would kill a third of the healthy ones", () =>
      Effect.gen(function* () {
        const healthy = (yield* seen).filter(({ situation }) => situation.right === "alive")
        const killed = healthy.filter(({ signs }) => bySilence(signs))
        assert.isAbove(killed.length, healthy.length / 3)
      })
    )
  })
})
