import { assert, it } from "@effect/vitest"
import type { Souffleur } from "@souffleur/embed"
import { commands, flagNames } from "./Commands.ts"
import { textOf } from "./Pages.ts"

type Method = keyof Souffleur["Service"]

/** Methods that a program calls in place of a command that decides, or reads, about a watch or a run. */
const methods: Readonly<Record<string, ReadonlyArray<Method>>> = {
  watch: ["watch", "resume"],
  run: ["run"],
  resume: ["watches", "resume"],
  status: ["find", "watches", "status"],
  log: ["history", "events", "historyOfAll", "eventsOfAll"],
  state: ["find", "state"],
  why: ["find", "why"],
  done: ["find", "done"],
  release: ["find", "release"],
  stop: ["find", "release"],
  retry: ["find", "retry"],
  hold: ["find", "hold"],
  go: ["find", "go"],
  adopt: ["find", "adopt"],
  conduct: ["conduct"],
  "conduct status": ["findRun", "runs", "runStatus"],
  "conduct log": ["runHistory", "runEvents"],
  "conduct why": ["findRun", "runWhy"],
  "conduct answer": ["findRun", "answer"],
  metrics: ["metrics"],
  report: ["report"]
}
/** The commands that need no method, and why. */
const ofTheLine: Readonly<Record<string, string>> = {
  mcp: "serves tools to an agent, which has no service",
  attach: "shows a terminal to a person",
  service: "writes a unit of the system",
  traces: "exports for a collector; a program names its own by the same variables",
  doctor: "looks at an installation",
  config: "shows the settings of a folder, and keeps a person's trust",
  init: "makes an comms database",
  hooks: "writes the settings of an agent",
  notify: "tries the notices of an installation",
  export: "exports a session of an agent, by @souffleur/claude",
  estimate: "counts a text, by @souffleur/recovery",
  compact: "compacts a session, by @souffleur/recovery",
  completions: "writes the files of a shell",
  help: "shows the help of a command",
  page: "serves what these methods return to a browser, by @souffleur/page",
  top: "shows what these methods return on a terminal",
  setup: "asks a person, and writes the files of a project",
  demo: "plays the demonstration",
  uninstall: "removes what an installation has written"
}
/** The commands that compose the same parts themselves, and why. */
const byParts: Readonly<Record<string, string>> = {
  watch: "may open a watch for another process, and shows the output of its agent",
  run: "may open a watch for another process, and shows the output of its agent",
  resume: "starts a process of its own for each watch",
  status: "starts fast, with few modules",
  "conduct status": "starts fast, with few modules",
  metrics: "reads the log alone",
  report: "reads the log alone"
}
/** Methods in place of an option, and of `souffleur` alone, or the reason why a program needs none. */
const ofOptions: Readonly<Record<string, ReadonlyArray<Method> | string>> = {
  souffleur: ["overview"],
  "watch --resume": ["resume"],
  "watch --restored": ["resume"],
  "watch --detach": "hands the watch to a process of its own: a program that is to outlive another calls resume itself",
  "run --detach": "hands the watch to a process of its own: a program that is to outlive another calls resume itself",
  "resume --all": ["watches", "resume"],
  "resume --keep": ["watches", "resume"],
  "watch --dry-run": ["preview"],
  "run --dry-run": ["preview"]
}

/** The file of a command. */
const fileOf: Readonly<Record<string, string>> = {
  stop: "Release",
  "conduct why": "ConductLog"
}
const sourceOf = (path: string) => {
  const name = path.replaceAll(/(?:^| )(\w)/gu, (_, letter: string) => letter.toUpperCase())
  return textOf(`packages/cli/src/commands/${fileOf[path] ?? name}Command.ts`)
}

it("each command has the methods of the service that do the same, or a reason why it needs none", () => {
  const known = new Set(Object.keys(methods))
  const reasons = Object.keys(ofTheLine)
  const under = (path: string) => reasons.some((one) => path === one || path.startsWith(`${one} `))
  const paths = new Set(commands.map(([path]) => path))
  assert.deepStrictEqual(
    [...paths].filter((path) => known.has(path) === under(path)),
    []
  )
  assert.deepStrictEqual(
    [...known, ...reasons].filter((path) => !paths.has(path)),
    []
  )
})
it("each option that does more than its command has a method that does so, or a reason why it needs none", () => {
  // The flag for the word of a guardian is hidden, and no completion has it.
  const hidden = new Set(["watch --restored", "souffleur"])
  const known = commands.flatMap(([path, { flags }]) => flags.flatMap(flagNames).map((flag) => `${path} --${flag}`))
  assert.deepStrictEqual(
    Object.keys(ofOptions).filter((one) => !known.includes(one) && !hidden.has(one)),
    []
  )
  const doing = known.filter((one) => /^(?:watch|run|resume) --(?:detach|dry-run|all|keep|resume)$/u.test(one))
  assert.deepStrictEqual(
    doing.filter((one) => ofOptions[one] === undefined),
    []
  )
})
it("a command calls the methods that do the same", () => {
  const missing = Object.entries(methods)
    .filter(([path]) => byParts[path] === undefined)
    .flatMap(([path, names]) =>
      names
        .filter((name) => !new RegExp(String.raw`\b(?:souffleur|log)\.${name}\b`, "u").test(sourceOf(path)))
        .map((name) => `${path}: ${name}`)
    )
  assert.deepStrictEqual(missing, [])
})
