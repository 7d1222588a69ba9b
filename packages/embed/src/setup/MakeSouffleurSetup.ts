import type { Errands } from "@souffleur/domain"
import type { TrustedFiles } from "@souffleur/process"
import { Context, Effect, type FileSystem, type Path, Scope } from "effect"
import type { ChildProcessSpawner } from "effect/process"
import { findings } from "../doctor/Findings.ts"
import { quarantine } from "./Quarantine.ts"
import { type HooksOrder, hooksInstalled, hooksRemoved, hooksSeen } from "./HooksHere.ts"
import { tryNotices } from "./NoticeTrial.ts"
import { projectSettings } from "./ProjectSettings.ts"
import type { Installation } from "../world/Installation.ts"
import { settingsOf } from "../world/ReadHere.ts"

/** The ports that the setup of this host is read by. */
export type SetupNeeds =
  | ChildProcessSpawner.ChildProcessSpawner
  | Errands
  | FileSystem.FileSystem
  | Installation
  | Path.Path
  | TrustedFiles

/** Makes the methods of the service, closed over the ports in the context. */
export const makeSouffleurSetup = Effect.gen(function* () {
  const context = Context.omit(Scope.Scope)(yield* Effect.context<SetupNeeds | Scope.Scope>())
  const here = Effect.provideContext(context)
  return {
    settings: (project: string) => here(projectSettings(project)),
    findings: (...of: Parameters<typeof findings>) => here(findings(...of)),
    quarantine: (project: string) => here(Effect.flatMap(settingsOf(project), quarantine)),
    hooks: (order: HooksOrder) => here(hooksSeen(order)),
    installHooks: (order: HooksOrder) => here(hooksInstalled(order)),
    uninstallHooks: (order: HooksOrder) => here(hooksRemoved(order)),
    tryNotices: (project: string) => here(tryNotices(project))
  }
})
