import type { Agent } from "@souffleur/domain"

type Words = ReadonlyArray<string>
type IsAgent = Pick<Agent["Service"], "isAgent">

/** Returns whether a process ends with the arguments of a script, whose interpreter and path are two words. */
const hasArgumentsOf = (script: Words, words: Words): boolean => {
  const args = script.slice(2)
  return args.every((word, at) => words[words.length - args.length + at] === word)
}

/**
 * Returns whether these words are a launcher's: a script of the agent, which waits for an agent with the same
 * arguments.
 */
export const isLauncher = ({ isAgent }: IsAgent, words: Words): boolean => isAgent(words) && !isAgent(words.slice(0, 1))

/** Returns whether a child with these words may be the agent behind a launcher. */
export const isBehind = (agent: IsAgent, launcher: Words, words: Words): boolean =>
  isLauncher(agent, launcher) && agent.isAgent(words) && hasArgumentsOf(launcher, words)

/** Programs whose words run elsewhere: on another machine, in a container, in a window that another process has. */
const client = new RegExp(
  `^(?:${[
    "ssh|mosh|mosh-client|autossh|et|docker|podman|nerdctl|kubectl|oc|lxc|incus|limactl|multipass|machinectl",
    "systemd-run|devcontainer|distrobox|distrobox-enter|toolbox|flatpak-spawn|vagrant|gcloud|gh|fly|wsl.exe",
    "footclient|gnome-terminal|xfce4-terminal|konsole|wezterm|kitten|script|xterm|alacritty|foot|ghostty"
  ].join("|")})$`,
  "u"
)

/**
 * Returns whether a process is a client of an agent that it may run elsewhere, such as `ssh host agent`, where no
 * child of it shows that agent. A command line for a shell there may be one word.
 */
export const isClient = ({ isAgent }: IsAgent, words: Words): boolean => {
  // An interpreter may come first.
  if (!words.slice(0, 2).some((word) => client.test(word.slice(word.lastIndexOf("/") + 1)))) return false
  const said = words.slice(1).flatMap((word) => word.split(/[\s;|&()"']+/u))
  return said.some((_, at) => isAgent(said.slice(at)))
}
