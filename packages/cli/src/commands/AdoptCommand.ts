import { parsePid, parseSessionId, Settings } from "@souffleur/domain"
import { Console, Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { adoptProcess, findWatch, layerStore, layerWorld } from "@souffleur/embed/internal"
import { json, projectDir, watchName } from "./Options.ts"
import { Project, withSettings } from "./ProjectCommand.ts"

export const adoptCommand = Command.make(
  "adopt",
  {
    watch: watchName,
    projectDir,
    pid: Flag.String("pid").pipe(Flag.withDescription("The process that is the Conductor from now on")),
    sessionId: Flag.String("session-id").pipe(Flag.withDescription("Its session id")),
    force: Flag.Boolean("force").pipe(
      Flag.withDescription("It is, though evidence says that it is another process, or session"),
      Flag.withDefault(false)
    ),
    json
  },
  Effect.fnUntraced(function* (flags) {
    const project = yield* Project
    const settings = yield* Settings
    const pid = yield* Effect.fromResult(parsePid(flags.pid))
    const session = yield* Effect.fromResult(parseSessionId(flags.sessionId))
    const { id, watch } = yield* Effect.provide(findWatch(flags.watch, project), layerStore(settings))
    const adopted = yield* adoptProcess(id, watch, { pid, sessionId: session, force: flags.force }).pipe(
      Effect.provide(layerWorld(settings, project, watch.comms))
    )
    if (flags.json)
      return yield* Console.log(
        JSON.stringify({ watch: id, generation: adopted.generation, pid, session_id: adopted.sessionId })
      )
    yield* Console.log(`${id} follows pid ${pid} from now on, as Conductor (S${adopted.generation})`)
  })
).pipe(withSettings)
