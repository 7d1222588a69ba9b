import type { Effect, Scope } from "effect"

/** What a played scenario left behind, as a reader of its page sees it. */
export interface Played {
  /** Folders of this machine, and what the page calls them. */
  readonly hidden: ReadonlyArray<readonly [folder: string, name: string]>
  /** The rows of comms, none where there is no comms. */
  readonly rows: ReadonlyArray<string>
  /** The lines of `souffleur log`. */
  readonly log: ReadonlyArray<string>
  /** What the agents were told that souffleur launched, in their order. */
  readonly prompts: ReadonlyArray<string>
  /** The lines of `souffleur why` about the event that the scenario is of. */
  readonly why: ReadonlyArray<string>
}

export interface Scenario {
  /** Of its page. */
  readonly name: string
  readonly title: string
  /** What happens in it. */
  readonly what: string
  readonly play: Effect.Effect<Played, unknown, Scope.Scope>
}

/** Puts text into a fence that nothing in it ends. */
const fenced = (text: string): string => {
  const longest = Math.max(2, ...[...text.matchAll(/`+/gu)].map(([run]) => run.length))
  const fence = "`".repeat(longest + 1)
  return `${fence}text\n${text}\n${fence}`
}

/** Returns the page of a scenario. */
export const pageOf = ({ title, what }: Scenario, { hidden, log, prompts, rows, why }: Played): string => {
  const section = (head: string, lines: ReadonlyArray<string>) => {
    const text = lines.join("\n").trimEnd()
    return text === "" ? [] : [`## ${head}`, fenced(text)]
  }
  const page = [
    `# ${title}`,
    what,
    ...section("The log", log),
    ...prompts.flatMap((prompt) => section("What the agent was told", [prompt])),
    ...section("Why", why),
    ...section("Comms at the end", rows)
  ]
  return `${hidden.reduce((text, [folder, name]) => text.replaceAll(folder, name), page.join("\n\n"))}\n`
}

/** Returns the page that leads to the others. */
export const contentsOf = (scenarios: ReadonlyArray<Scenario>): string =>
  `# Recoveries to read

Played on real processes, and printed from their logs by \`pnpm walkthroughs\`. The agent of the nights is Claude Code on a scripted model; that of the others is the stand-in of the demonstration.

${scenarios.map(({ name, title }) => `- [${title}](${name}.md)`).join("\n")}
`
