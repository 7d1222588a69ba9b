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

/** Programs whose words run on another machine or in a container. */
const away =
  "ssh|mosh|mosh-client|autossh|et|docker|podman|nerdctl|kubectl|oc|lxc|incus|limactl|multipass|machinectl|devcontainer|distrobox|distrobox-enter|toolbox"

/** Programs whose words run elsewhere: on another machine, in a container, in a window that another process has. */
const client = new RegExp(
  `^(?:${[
    away,
    "systemd-run|flatpak-spawn|vagrant|gcloud|gh|fly|wsl.exe",
    "footclient|gnome-terminal|xfce4-terminal|konsole|wezterm|kitten|script|xterm|alacritty|foot|ghostty"
  ].join("|")})$`,
  "u"
)

/** Returns the name of a program without its folder. */
const nameOf = (word: string): string => word.slice(word.lastIndexOf("/") + 1)

/** Splits a text for a shell into words, roughly. */
const shellWords = (text: string): ReadonlyArray<string> => text.split(/[\s;|&()"']+/u)

const isAway = new RegExp(`^(?:${away})$`, "u")

/** Programs that run the command in their words. */
const wrapper = /^(?:sh|bash|dash|zsh|fish|env|nohup|nice|sudo|doas|timeout|setsid|stdbuf|caffeinate)$/u

/**
 * Returns the name of the client by which a command runs on another machine or in a container, such as `docker`.
 * `undefined`: none is seen in its words.
 */
export const awayBy = (words: Words): string | undefined => {
  const [program = ""] = words
  return (wrapper.test(nameOf(program)) ? words.flatMap(shellWords) : [program])
    .map(nameOf)
    .find((name) => isAway.test(name))
}

/**
 * Returns whether a process is a client of an agent that it may run elsewhere, such as `ssh host agent`, where no
 * child of it shows that agent. A command line for a shell there may be one word.
 */
export const isClient = ({ isAgent }: IsAgent, words: Words): boolean => {
  // An interpreter may come first.
  if (!words.slice(0, 2).some((word) => client.test(nameOf(word)))) return false
  const said = words.slice(1).flatMap(shellWords)
  return said.some((_, at) => isAgent(said.slice(at)))
}
