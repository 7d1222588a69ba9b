import { detachLine, ErrandProcess, guardianLine, launchLine, programBeside } from "@souffleur/node"
import { Effect, Layer } from "effect"
import type { NodeOptions } from "../SouffleurOptions.ts"
import { Installation, NoGuardian } from "../world/Installation.ts"

/** The options of an installation on this host, with all that has a default above. */
export type InstallationOptions<E> = Pick<
  NodeOptions<E>,
  "comms" | "launcher" | "notices" | "settings" | "sql" | "stateDir"
> &
  Required<Pick<NodeOptions, "agent" | "environment">>

const unread = new NoGuardian({
  message:
    "a guardian reads souffleur.db of the state folder, and this log is in another database: leave the guardian or `sql` out"
})

/** Installs souffleur within a program: its own processes are files beside these modules. */
export const layer = <E>({
  agent,
  comms,
  environment,
  launcher,
  notices,
  settings = {},
  sql,
  stateDir
}: InstallationOptions<E>) => {
  const installation = Layer.succeed(Installation, {
    agent,
    variables: { ...environment, SOUFFLEUR_STATE_DIR: stateDir },
    values: settings,
    launchLine: Effect.sync(launchLine),
    guardianLine: sql === undefined ? Effect.sync(guardianLine) : Effect.fail(unread),
    detachLine: Effect.sync(detachLine),
    hookLine: Effect.sync(() => programBeside(import.meta.url, "../hookSign")),
    noticeLine: Effect.sync(() => programBeside(import.meta.url, "../notice")),
    platform: process.platform,
    ...(notices === undefined ? {} : { notices }),
    ...(launcher === undefined ? {} : { launcher }),
    ...(comms === undefined ? {} : { comms })
  })
  return Layer.merge(installation, ErrandProcess.layer({ line: () => programBeside(import.meta.url, "../errand") }))
}
