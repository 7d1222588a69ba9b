import { claudeCode } from "@souffleur/agents"
import type { Variables } from "@souffleur/domain"
import { HostServices } from "@souffleur/node"
import type { AgentPackage } from "@souffleur/process"
import { Layer } from "effect"
import * as NodeInstallation from "../src/setup/NodeInstallation.ts"

/** souffleur within a program that has these variables. Its state folder is in their home. */
export const installed = (variables: Variables, agent: AgentPackage = claudeCode) =>
  NodeInstallation.layer({ agent, environment: variables, stateDir: `${variables["HOME"] ?? ""}/state` }).pipe(
    Layer.provide(HostServices.layer)
  )
