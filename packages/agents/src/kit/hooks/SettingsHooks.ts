import type { AgentHooks } from "@souffleur/process"
import { hookCommand } from "./HookCommand.ts"
import { hooksStatus, installHooks, uninstallHooks } from "./HookFile.ts"
import type { HookForm } from "./HookSettings.ts"

/** Everything that tells the hooks of one agent from another's. */
export interface HookTable extends HookForm, Pick<AgentHooks, "onlyIf" | "ofProject" | "ofUser"> {
  /** The program of the agent, which each hook names. Absent: the first agent, whose hooks name none. */
  readonly agent?: string
}

/** Makes the hooks of an agent that keeps them in a JSON file: lists of commands by event, below `hooks`. */
export const settingsHooks = ({ agent, ...table }: HookTable): AgentHooks => ({
  ...table,
  command: (program) => hookCommand({ ...program, ...(agent === undefined ? {} : { agent }) }),
  install: (path, command) => installHooks(table, path, command),
  uninstall: (path) => uninstallHooks(table, path),
  status: (path) => hooksStatus(table, path)
})
