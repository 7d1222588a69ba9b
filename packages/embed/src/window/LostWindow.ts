import {
  Agent,
  clamp,
  leastPermission,
  Processes,
  type ResolvedSettings,
  type Terminal,
  type Variables
} from "@souffleur/domain"
import { pathOf } from "@souffleur/node"
import { Effect, Option } from "effect"

/** The words by which each terminal runs a command in a window of its own. */
const openers = [
  ["kitty", "--"],
  ["foot"],
  ["wezterm", "start", "--"],
  ["ghostty", "-e"],
  ["alacritty", "-e"],
  ["konsole", "-e"],
  ["gnome-terminal", "--"],
  ["xterm", "-e"]
] as const

/** Returns whether a program may open a window of the desktop. */
export const hasDisplay = (variables: Variables): boolean =>
  [variables["WAYLAND_DISPLAY"], variables["DISPLAY"]].some((one = "") => one !== "")

/** Says how a successor gets a window: by a terminal that is installed, where there is a display. */
const wayToWindow = (variables: Variables): string => {
  const opener = hasDisplay(variables)
    ? openers.find(([program]) => pathOf(program, variables["PATH"] ?? "") !== undefined)
    : undefined
  return opener === undefined
    ? "for a window, start souffleur in tmux"
    : `for a window, start souffleur with SOUFFLEUR_TERMINAL_COMMAND='${JSON.stringify(opener)}' (TERMINAL_COMMAND in the config file), or in tmux`
}

/** What a successor would lack that its Conductor has, and what a person does about it. */
export interface LostWindow {
  readonly lost: string
  readonly todo: string
}

/**
 * Returns what is lost where a Conductor has a window, and its successor would be launched without one, in `terminal`
 * (spec: settings#launcher). `None`: nothing, or a person chose it. The process that holds the session is asked, by
 * default the named one.
 */
export const lostWindow = Effect.fn("lostWindow")(function* (
  { pid: named, sessionId }: { readonly pid: number; readonly sessionId: string },
  {
    settings,
    terminal,
    variables
  }: { readonly settings: ResolvedSettings; readonly terminal: Terminal; readonly variables: Variables }
) {
  if (settings.launcher !== "auto" || terminal !== "headless") return Option.none<LostWindow>()
  const agent = yield* Agent
  const processes = yield* Processes
  const pid = (yield* agent.sessions).find((one) => one.sessionId === sessionId)?.pid ?? named
  const found = yield* processes.find(pid)
  if (!Option.exists(found, ({ hasTerminal }) => hasTerminal === true)) return Option.none<LostWindow>()
  if (agent.inPrintMode(yield* processes.commandLine(pid))) return Option.none<LostWindow>()
  const permission = clamp(leastPermission, settings.maxExternalPermission)
  const session = { _tag: "Resume", sessionId: "none" } as const
  const line = yield* Effect.option(agent.command({ session, permission, prompt: "Go on.", print: false }))
  const mayType = Option.exists(line, ({ window }) => window === true)
  return Option.some<LostWindow>({
    lost: `process ${pid} has a window, and its successor would have none: in print mode (-p) nobody can answer it or type to it, and each command that its settings do not allow is refused`,
    todo: mayType ? wayToWindow(variables) : "souffleur launches this agent in print mode alone"
  })
})
