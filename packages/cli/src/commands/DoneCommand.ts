import { isFinished } from "@souffleur/domain"
import { Souffleur } from "@souffleur/embed"
import { layerSouffleur } from "@souffleur/embed/internal"
import { Console, Effect, Option } from "effect"
import { Command } from "effect/cli"
import { agentKind } from "../agent/Kind.ts"
import { ofAgent } from "../watching/Caller.ts"
import { Environment } from "../world/CommandEnvironment.ts"
import { BadUsage } from "../Failure.ts"
import { identifyCaller } from "../watching/Caller.ts"
import { json, namedIn, projectDir, watchName } from "./Options.ts"
import { Project, withLayers } from "./ProjectCommand.ts"

/**
 * Ends a watch by the word that its work is complete: the Conductor's, a hook's or a person's (spec: behaviour#done). A
 * repeated word changes nothing. Another agent must name the watch, as a person does.
 */
export const doneCommand = Command.make(
  "done",
  { watch: watchName, projectDir, json },
  Effect.fnUntraced(function* (flags) {
    const { variables } = yield* Environment
    const { pid, sessionId: session } = agentKind.identity(variables)
    const isAgent = session !== "" || (variables["SOUFFLEUR_LAUNCH_ID"] ?? "") !== ""
    const own = yield* ofAgent(variables)
    const souffleur = yield* Souffleur
    const found =
      Option.isSome(flags.watch) || Option.isNone(own)
        ? yield* souffleur.find(namedIn(yield* Project, flags.watch))
        : own.value
    const { id, watch } = found
    const speaker = isAgent ? yield* identifyCaller(found, pid) : "person"
    const by = speaker === "conductor" ? "agent" : "operator"
    const over = isFinished(watch.end)
    if (!over && Option.isNone(flags.watch) && speaker !== "conductor" && speaker !== "person")
      return yield* new BadUsage({
        message: `${session === "" ? "this launch" : `session ${session}`} is not the Conductor of watch ${id} (it is ${
          speaker === "earlier generation" ? "one of its earlier generations" : "another agent"
        }), and only that ends it by its word; a person who means that watch says: souffleur done ${id}`
      })
    if (!over) yield* souffleur.done(id, { by })
    if (flags.json) return yield* Console.log(JSON.stringify({ watch: id, completed: true, by }))
    yield* Console.log(`${id} is complete.`)
  })
).pipe(
  withLayers(layerSouffleur),
  Command.withExamples([
    { command: "souffleur done", description: "The watch of this agent session; from elsewhere, of this folder" }
  ])
)
