import type { ResolvedSettings } from "@souffleur/domain"
import { Effect } from "effect"
import { pluginsHere } from "./PluginHere.ts"
import { Installation } from "../world/Installation.ts"
import { note, passed, wrong } from "../doctor/Finding.ts"

const again = "souffleur plugin install"

/** Checks the plugin by which an agent starts a watchdog. Its program should be there, and its version this one. */
export const pluginCheck = Effect.fn("Doctor.pluginCheck")(function* (settings: ResolvedSettings) {
  const { agent } = yield* Installation
  return yield* Effect.forEach(yield* pluginsHere(agent, settings), ({ agentDir, plugin: { status, typed }, title }) =>
    status(agentDir).pipe(
      Effect.map(({ is, missing, path }) => {
        const [command = ""] = typed.split(" ")
        if (is === "none") return passed("plugin", `none in ${title}; "${again}" adds ${command}`)
        if (is === "foreign") return note("plugin", `${command} of ${title} is another program's: ${path}`)
        if (missing.length > 0)
          return wrong("plugin", `${command} of ${title} starts ${missing.join(", ")}, which is not there`, again)
        return is === "outdated"
          ? note("plugin", `${command} of ${title} is of another version: ${path}`, again)
          : passed("plugin", `${command} is in ${title}`)
      }),
      Effect.catch(({ message }) => Effect.succeed(note("plugin", message)))
    )
  )
})
