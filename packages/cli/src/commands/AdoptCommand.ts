import { Agent, Claims, holdingOf, parsePid, parseSessionId, Processes, Settings } from "@souffleur/domain"
import { adopt, adoptedBaseline, refuseTarget } from "@souffleur/supervisor"
import { Console, Effect, Equal, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { findWatch, layerStore, layerWorld } from "@souffleur/embed"
import { BadUsage } from "../Failure.ts"
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
    const adopted = yield* Effect.gen(function* () {
      const agent = yield* Agent
      const claims = yield* Claims
      const processes = yield* Processes
      yield* refuseTarget(pid)
      const found = yield* processes.find(pid)
      if (Option.isNone(found) || found.value.condition === "zombie")
        return yield* new BadUsage({ message: `no process ${pid} is running` })
      const { sessionId } = yield* agent.sessionFile(session)
      const conductor = found.value.identity
      const holding = yield* holdingOf(conductor, sessionId)
      if (holding._tag === "Another" && !flags.force)
        return yield* new BadUsage({
          message: `${holding.message}: adopt that one, or say --force where you know better`
        })
      // The claim is tried and released: its owner has it already, or takes it with the event.
      for (const one of [conductor, { session: sessionId }]) {
        const free = Effect.andThen(claims.claim(one), claims.release(one))
        yield* Effect.catchIf(
          free,
          (error) => error._tag === "AlreadyWatched" && Equal.equals(error.owner, watch.owner),
          () => Effect.void
        )
      }
      const baseline = yield* adoptedBaseline(watch, sessionId)
      const print = agent.inPrintMode(yield* processes.commandLine(pid))
      return yield* adopt(id, { conductor, sessionId, print, forced: holding._tag === "Another", baseline })
    }).pipe(Effect.provide(layerWorld(settings, project, watch.comms)))
    if (flags.json)
      return yield* Console.log(
        JSON.stringify({ watch: id, generation: adopted.generation, pid, session_id: adopted.sessionId })
      )
    yield* Console.log(`${id} follows pid ${pid} from now on, as Conductor (S${adopted.generation})`)
  })
).pipe(withSettings, Command.withDescription("Watch this process from now on"))
