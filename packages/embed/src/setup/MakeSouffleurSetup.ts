import type { Errands } from "@souffleur/domain"
import type { TrustedFiles } from "@souffleur/process"
import { Context, Effect, type FileSystem, type Path, Scope } from "effect"
import type { ChildProcessSpawner } from "effect/process"
import type { findings } from "../doctor/Findings.ts"
import { type HooksOrder, hooksInstalled, hooksRemoved, hooksSeen } from "./HooksHere.ts"
import { projectSettings } from "./ProjectSettings.ts"
import type { Installation } from "../world/Installation.ts"
import { ownSpans } from "../trace/OwnSpans.ts"
import { settingsOf } from "../world/ReadHere.ts"

/** The ports that the setup of this host is read by. */
export type SetupNeeds =
  | ChildProcessSpawner.ChildProcessSpawner
  | Errands
  | FileSystem.FileSystem
  | Installation
  | Path.Path
  | TrustedFiles

/** Loads a module with its first use. A program that only reads settings or changes hooks loads none of these. */
const late = <M, A, E, R>(load: () => Promise<M>, use: (module: M) => Effect.Effect<A, E, R>) =>
  Effect.flatMap(Effect.promise(load), use)

/** Makes the methods of the service, closed over the ports in the context. */
export const makeSouffleurSetup = Effect.gen(function* () {
  const context = Context.omit(Scope.Scope)(yield* Effect.context<SetupNeeds | Scope.Scope>())
  const here = ownSpans(context)
  return {
    settings: (project: string) => here(projectSettings(project)),
    findings: (...of: Parameters<typeof findings>) =>
      here(
        late(
          () => import("../doctor/Findings.ts"),
          ({ findings }) => findings(...of)
        )
      ),
    quarantine: (project: string) =>
      here(
        late(
          () => import("./Quarantine.ts"),
          ({ quarantine }) => Effect.flatMap(settingsOf(project), quarantine)
        )
      ),
    hooks: (order: HooksOrder) => here(hooksSeen(order)),
    installHooks: (order: HooksOrder) => here(hooksInstalled(order)),
    uninstallHooks: (order: HooksOrder) => here(hooksRemoved(order)),
    tryNotices: (project: string) =>
      here(
        late(
          () => import("./NoticeTrial.ts"),
          ({ tryNotices }) => tryNotices(project)
        )
      )
  }
})
