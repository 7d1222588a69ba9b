import { parsePid, parseSessionId } from "@souffleur/domain"
import { Souffleur } from "@souffleur/embed"
import { layerAgentFiles, layerSouffleur } from "@souffleur/embed/internal"
import { Console, Effect, Layer } from "effect"
import { Command, Flag } from "effect/cli"
import { personOnly } from "../person/PersonOnly.ts"
import { json, namedIn, projectDir, watchName } from "./Options.ts"
import { Project, withLayers } from "./ProjectCommand.ts"

/** Makes another process the Conductor of a watch. A running recovery is given up (spec: command-line#watches). */
export const adoptCommand = Command.make(
  "adopt",
  {
    watch: watchName,
    projectDir,
    pid: Flag.String("pid").pipe(Flag.withDescription("The process to follow from now on")),
    sessionId: Flag.String("session-id").pipe(Flag.withDescription("The session of that process")),
    force: Flag.Boolean("force").pipe(
      Flag.withDescription("Believe this process and session, whatever the evidence says"),
      Flag.withDefault(false)
    ),
    json
  },
  Effect.fnUntraced(function* (flags) {
    // An agent cannot name itself, because it is an ancestor here. It would have the watch stop another's process.
    yield* personOnly("souffleur adopt")
    const souffleur = yield* Souffleur
    const pid = yield* Effect.fromResult(parsePid(flags.pid))
    const session = yield* Effect.fromResult(parseSessionId(flags.sessionId))
    const { id } = yield* souffleur.find(namedIn(yield* Project, flags.watch))
    const adopted = yield* souffleur.adopt(id, { pid, sessionId: session, force: flags.force })
    if (flags.json)
      return yield* Console.log(
        JSON.stringify({ watch: id, generation: adopted.generation, pid, session_id: adopted.sessionId })
      )
    yield* Console.log(`${id} follows pid ${pid} from now on, as Conductor (S${adopted.generation})`)
  })
).pipe(withLayers((settings) => Layer.provideMerge(layerAgentFiles(settings), layerSouffleur(settings))))
