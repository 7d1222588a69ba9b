import { durationOf, FleetWord, isOver, Processes, type Watch } from "@souffleur/domain"
import { FleetDesk, longestWord, type WordAnswer } from "@souffleur/fleet"
import { Souffleur } from "@souffleur/embed"
import { layerAgentFiles, layerSouffleur } from "@souffleur/embed/internal"
import { Clock, Console, Duration, Effect, Layer, Option, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { BadUsage, Ended } from "../Failure.ts"
import { firstLine } from "../world/FirstLine.ts"
import { joinedFleet, layerDesk } from "../fleet/JoinedFleet.ts"
import { addresseeOf, silenceWarning, sayWord } from "../fleet/SayWord.ts"
import { WordOrder, WordReply } from "../fleet/WordErrand.ts"
import { personOnly } from "../person/PersonOnly.ts"
import { json, projectDir } from "./Options.ts"
import { withLayers } from "./ProjectCommand.ts"

const withAgents = withLayers((settings) => Layer.provideMerge(layerAgentFiles(settings), layerSouffleur(settings)))

const flags = {
  watch: Argument.String("watch").pipe(Argument.withDescription("HOST/WATCH, as status --fleet lists them")),
  revision: Flag.Int("revision").pipe(
    Flag.withDescription("The revision of the watch that you saw; else the newest that the hub has"),
    Flag.optional
  ),
  within: Flag.String("within").pipe(
    Flag.withDescription("How long the host may take the word, such as 10m; an hour at most"),
    Flag.withDefault("2m")
  ),
  projectDir,
  json
}

/** Reads how long a word counts. Fails with `BadUsage`. */
const periodOf = (text: string) => {
  const period = Option.filter(
    durationOf(text),
    (one) => Duration.toMillis(one) > 0 && Duration.toMillis(one) <= longestWord
  )
  return Option.isSome(period)
    ? Effect.succeed(period.value)
    : Effect.fail(
        new BadUsage({
          message: `--within ${JSON.stringify(text.slice(0, 40))} is no time up to an hour: write 90s or 10m`
        })
      )
}

const wordCommand = (word: FleetWord) =>
  Command.make(
    word,
    flags,
    Effect.fnUntraced(function* (given) {
      yield* personOnly(`souffleur fleet ${word}`)
      const within = yield* periodOf(given.within)
      const { host, id, standing } = yield* Effect.gen(function* () {
        const view = yield* FleetDesk.use(({ view }) => view)
        const addressee = yield* addresseeOf(view, given.watch, Option.getOrUndefined(given.revision))
        const { host } = addressee
        const warning = silenceWarning(host)
        if (warning !== undefined) yield* Console.error(warning)
        if (!given.json)
          yield* Console.error(`${word} to ${given.watch}, at revision ${addressee.seen} (${addressee.standing})`)
        return { host: host.name, ...(yield* sayWord(addressee, word, { now: view.now, within })) }
      }).pipe(Effect.provide(layerDesk))
      const outcome = standing === undefined || standing.outcome === "waiting" ? "no answer" : standing.outcome
      const reason = standing?.reason ?? null
      const note = standing?.note ?? null
      if (given.json) yield* Console.log(JSON.stringify({ watch: given.watch, word, id, outcome, reason, note }))
      else if (outcome === "taken") {
        yield* Console.log(`${host} has taken it: ${word}`)
        if (note !== null) yield* Console.error(`warning: ${note}`)
      } else if (outcome === "refused") yield* Console.error(`souffleur: ${host} refuses it: ${reason}`)
      else
        yield* Console.error(
          `souffleur: no answer came from ${standing === undefined ? "the hub" : host}. The word counts no more, and may have been taken before: souffleur status --fleet`
        )
      if (outcome !== "taken") return yield* new Ended({ code: outcome === "refused" ? 2 : 1 })
    })
  ).pipe(withAgents, Command.withDescription(`Say ${word} to a watch of another host, and print what became of it`))

/** Says a word to a watch of another host of the fleet (spec: fleet#words). */
export const wordCommands = FleetWord.literals.map(wordCommand)

/** Says what to type where no souffleur acts on a watch that took a word. `null`: one does, or the watch is over. */
const unheard = Effect.fnUntraced(function* (id: string, { owner, phase }: Watch) {
  const acts = owner !== undefined && !isOver(yield* (yield* Processes).condition(owner.process))
  return acts || phase === "Exited"
    ? null
    : `no souffleur acts on it there: "souffleur resume ${id}" on that host goes on with the watch`
})

/** Decides on one word for this host. The shipper starts it for each word, and it alone writes the log. */
export const takeCommand = Command.make(
  "take",
  { projectDir },
  Effect.fnUntraced(function* () {
    // Without an answer the word waits for a shipper that no agent has started.
    yield* personOnly("souffleur fleet take")
    const line = yield* firstLine
    const order = Schema.decodeOption(WordOrder)(line)
    if (Option.isNone(order))
      return yield* new BadUsage({ message: "standard input has no word of a fleet, as souffleur fleet ship gives it" })
    const answered = (answer: WordAnswer) => Console.log(Schema.encodeSync(WordReply)(answer))
    const refused = (reason: string): WordAnswer => ({ reason, note: null })
    if ((yield* joinedFleet).readOnly)
      return yield* answered(refused("this host takes no words: it joined with --read-only"))
    const { until, watch } = order.value
    yield* Souffleur.use((souffleur) => souffleur.takeWord(order.value)).pipe(
      Effect.flatMap((taken) => Effect.map(unheard(watch, taken), (note): WordAnswer => ({ reason: null, note }))),
      Effect.catch(
        Effect.fnUntraced(function* (error) {
          // A launch that cannot be settled follows a word that was taken. The log may be in use again soon.
          const mayPass = error._tag === "LogUnusable" && (yield* Clock.currentTimeMillis) <= until
          if (mayPass || error._tag === "LaunchFailed") return yield* error
          return refused(error.message)
        })
      ),
      Effect.flatMap(answered)
    )
  })
).pipe(withAgents, Command.withDescription("Decide on one word of the fleet, which fleet ship puts on standard input"))
