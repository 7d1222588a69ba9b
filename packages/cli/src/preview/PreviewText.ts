import { formatLimits, isFinished, leastPermission, plain, stepNames, ways as wayNames, Words } from "@souffleur/domain"
import { agentOfProgram, type ForeseenLine, hooksTyped, type Preview } from "@souffleur/embed/internal"
import { Effect } from "effect"
import { agentKind } from "../agent/Kind.ts"
import { table } from "../explain/TextTable.ts"
import { type Paint, printJson, printLines } from "../Printing.ts"
import { Environment } from "../world/CommandEnvironment.ts"
import { cut, wrappedText } from "../Wrapped.ts"

/** UTF-16 units of one value. `--json` prints everything. */
const maxLength = 2000

/** UTF-16 units of a prompt. */
const maxPrompt = 100

type End = Preview["ends"][number]

/** Shows a command line as JSON, because no shell reads it and spaces are part of an argument. */
const commandLine = ({ args, program }: ForeseenLine) => plain(JSON.stringify([program, ...args]), maxLength)

const lines = (indent: string, line: ForeseenLine): ReadonlyArray<string> => [
  `${indent}${commandLine(line)}`,
  ...(line.input === null ? [] : [`${indent}on standard input: ${plain(JSON.stringify(line.input), maxPrompt)}`])
]

const agentOf = ({ agent }: Preview["sees"]): string => {
  if (agent === null) return "none: a plain command, which is run again"
  const { problem, program, title, version } = agent
  return problem === null
    ? `${title}, ${program}, ${version ?? "it does not say its version"}`
    : `${title}: nothing could be launched: ${problem}`
}

const sessionOf = ({ agent, session }: Preview["sees"]): string => {
  if (agent === null) return "none"
  if (session === null) return "a new one"
  const context = session.context_tokens === null ? "" : `, ${Words.count(session.context_tokens)} tokens in use`
  return `${session.id}${context}${session.file === null ? "; it has no file yet" : `; ${session.file}`}`
}

const conductorOf = ({ conductor }: Preview["sees"]): string => {
  if (conductor === null) return "not started yet"
  const { doubt, name, pid } = conductor
  return `pid ${pid}${name === null ? "" : ` (${name})`}${doubt === null ? "" : `; in doubt: ${doubt}`}`
}

const configOf = ({ asks_for, file }: Preview["sees"]["config"]): string => {
  if (file === null) return "none"
  return `${file}${asks_for.length === 0 ? "" : `; not trusted: ${asks_for.join(", ")}`}`
}

const permissionOf = ({ ceiling, edits_anywhere, effective }: NonNullable<Preview["sees"]["permission"]>): string => {
  const edits = effective === leastPermission && edits_anywhere ? ", with which it may edit any file of yours" : ""
  return `${effective}${edits}; no launch is above ${ceiling}`
}

const terminals: Readonly<Record<Preview["sees"]["terminal"], string>> = {
  headless: "none: it runs in the background, its output in the state folder",
  tmux: "a window of its own in this tmux",
  kitty: "a tab of its own in this kitty",
  window: "a window of its own, by TERMINAL_COMMAND",
  pty: "its own, without a person at it (--terminal)"
}

/** Says which watch would be resumed, and what a start meets. */
const goingOn = ({ owner, revision, standing, watch, watched }: NonNullable<Preview["sees"]["goes_on"]>) => {
  const had = owner === null ? "" : `; souffleur pid ${owner} had it last`
  const start = watched ? `; souffleur pid ${owner} watches it, so a start is refused` : had
  return `${watch} goes on from revision ${revision} (${standing}), and nothing else is started${start}`
}

const hooksOf = ({ agent, hooks }: Preview["sees"]): ReadonlyArray<string> => {
  if (hooks === null) return []
  return hooks.length === 0
    ? [`none: "${hooksTyped(agentKind, agentOfProgram(agentKind, agent?.program ?? ""))}" adds them`]
    : [hooks.map(({ file }) => file).join(", ")]
}

const seen = (sees: Preview["sees"]): ReadonlyArray<readonly [name: string, text: string]> => [
  ["agent", agentOf(sees)],
  ["folder", sees.project],
  ...(sees.goes_on === null ? [] : [["watch", goingOn(sees.goes_on)] as const]),
  ["process", conductorOf(sees)],
  ["session", sessionOf(sees)],
  ["terminal", terminals[sees.terminal]],
  ...(sees.window_lost === null ? [] : [["warning", sees.window_lost] as const]),
  ...(sees.permission === null ? [] : [["permission", permissionOf(sees.permission)] as const]),
  ...(sees.caps.length === 0 ? [] : [["caps", `${sees.caps.join(", ")}, over all its launches`] as const]),
  ...(sees.limits === null ? [] : [["limits", formatLimits(sees.limits)] as const]),
  ...(sees.until === null
    ? []
    : [
        [
          "until",
          `${sees.until.words.join(" ")} ends with 0, ${sees.until.rounds} rounds without progress at most`
        ] as const
      ]),
  ...(sees.gate === null ? [] : [["gate", sees.gate.says] as const]),
  ["comms", sees.comms ?? "none"],
  ...(sees.observe ? [["observe", "nothing is stopped or launched"] as const] : []),
  ...hooksOf(sees).map((text) => ["hooks", text] as const),
  ["notices", sees.notices.length === 0 ? "none: NOTIFY names channels" : sees.notices.join(" ")],
  ["config file", configOf(sees.config)],
  ...sees.settings.map(({ from, name, value }) => ["setting", `${name} = ${String(value)} (${from})`] as const),
  ["state folder", sees.state_folder],
  ...sees.config.warnings.map((warning) => ["warning", warning] as const)
]

const titles: Readonly<Record<End["end"], string>> = {
  killed: "IF IT IS KILLED",
  hung: "IF IT HANGS",
  "context full": "IF ITS CONTEXT IS FULL",
  "usage limit": "AT A USAGE LIMIT",
  finished: "WHEN IT HAS FINISHED",
  "third end without progress": "AT THE THIRD END WITHOUT PROGRESS"
}

/** Describes the ways of a recovery, in the order in which they are tried. */
const waysOf = ({ ways }: End): ReadonlyArray<string> =>
  ways.flatMap(({ lines: all, provider }, index) => [
    // A command has one way.
    ...(provider === "restart" ? [] : [`  ${index === 0 ? "by" : "else by"} ${provider}:`]),
    ...(all ?? []).flatMap((line) => lines("    ", line)),
    ...(all === null
      ? [
          `    ${provider === stepNames.recoveryCommand ? "which launches it, or says that it has not" : "its launch is known only then"}`
        ]
      : [])
  ])

/** Describes an end. `earlier`: the ends that are described before it. */
const ending = (end: End, earlier: ReadonlyArray<End>): ReadonlyArray<string> => {
  const { says, watch_ends, ways } = end
  const same = ways.length === 0 ? undefined : earlier.find((one) => JSON.stringify(one.ways) === JSON.stringify(ways))
  return [
    ...says.map((sentence) => `  ${plain(sentence, maxLength)}`),
    ...(ways.length === 0
      ? []
      : [
          `  What is left of its processes is ended, and it is ${ways[0]?.provider === "restart" ? "started again:" : "brought back"}`
        ]),
    ...(same === undefined ? waysOf(end) : [`  as ${titles[same.end].toLowerCase()}.`]),
    ...(watch_ends === null
      ? []
      : [`  The watch ends (${watch_ends}), with exit code ${isFinished(watch_ends) ? 0 : 1}.`])
  ]
}

/** Says in a few words what follows from an end: the way that is tried first. */
const outcomeOf = ({ says, watch_ends, ways: [first, ...others] }: End): string => {
  if (watch_ends !== null) return `the watch ends (${watch_ends})`
  if (first === undefined) return says.at(-1) ?? ""
  const otherwise =
    others.length === 0 ? "" : `; else in ${others.length} other ${others.length === 1 ? "way" : "ways"}`
  return `${wayNames[first.provider] ?? `by ${first.provider}`}${otherwise}`
}

/** Tells what is seen, started and done in about ten lines. */
const brief = ({ ends, sees, starts }: Preview, cwd: string): ReadonlyArray<readonly [name: string, text: string]> => {
  const decisive = new Set(["agent", "watch", "warning", "terminal", "permission", "caps", "limits", "until"])
  if (sees.project !== cwd) decisive.add("folder")
  if (sees.conductor !== null) decisive.add("process")
  if (sees.session !== null) decisive.add("session")
  const told = ends.filter(({ end }) => end !== "third end without progress")
  const alike = Map.groupBy(told, outcomeOf)
  return [
    ...seen(sees).filter(([name]) => decisive.has(name)),
    ["starts", starts === null ? "nothing: it watches what runs" : commandLine(starts)],
    ...(starts?.input == null ? [] : [["prompt", plain(JSON.stringify(starts.input), maxPrompt)] as const]),
    ...[...alike].map(([outcome, all]) => [all.map(({ end }) => end).join(", "), outcome] as const)
  ]
}

/** Prints a preview for a person, in brief or whole, or as JSON. */
export const printPreview = Effect.fn("printPreview")(function* (
  preview: Preview,
  { asJson, brush, whole }: { readonly asJson: boolean; readonly brush: Paint; readonly whole: boolean }
) {
  if (asJson) return yield* printJson(preview)
  const { columns, cwd } = yield* Environment
  if (!whole) {
    yield* printLines("What souffleur would do; nothing is changed. --verbose says it whole.")
    const rows = brief(preview, cwd)
    const begin = 4 + Math.max(...rows.map(([name]) => name.length))
    // A command line may be longer than all the rest.
    const short = rows.map(([name, text]) =>
      columns !== undefined && (name === "starts" || name === "prompt")
        ? [name, cut(text, columns - begin)]
        : [name, text]
    )
    return yield* printLines(table(short, { columns, wraps: true, indent: "  " }).join("\n"))
  }
  const part = (title: string, body: ReadonlyArray<string>) => [
    "",
    brush("dim", title),
    ...body.map((line) => wrappedText(line, columns))
  ]
  const { ends, sees, starts } = preview
  yield* printLines(
    wrappedText(
      "This is what souffleur would do. Nothing is changed, and no process is started but the agent's --version.",
      columns
    )
  )
  yield* printLines(
    [
      ...part("IT SEES", table(seen(sees), { columns, wraps: true, indent: "  " })),
      ...part("IT WOULD START", starts === null ? ["  nothing: it watches what runs"] : lines("  ", starts)),
      ...ends.flatMap((end, index) => part(titles[end.end], ending(end, ends.slice(0, index))))
    ].join("\n")
  )
})
