import { assert, it } from "@effect/vitest"
import type { Souffleur } from "@souffleur/embed"
import { commands, flagNames } from "./Commands.ts"
import { textOf, tracked } from "./Pages.ts"

type Method = keyof Souffleur["Service"]

/** Methods that a program calls in place of a command that decides, or reads, about a watch or a run. */
const methods: Readonly<Record<string, ReadonlyArray<Method>>> = {
  watch: ["find", "sessions", "watch", "resume", "detach", "preview"],
  run: ["run", "resume", "detach", "preview"],
  resume: ["find", "living", "moveHere", "detach"],
  status: ["find", "watches", "status"],
  log: ["history", "events", "historyOfAll", "eventsOfAll"],
  state: ["find", "state"],
  why: ["find", "why", "findRun", "runWhy"],
  done: ["find", "done"],
  release: ["find", "release"],
  stop: ["find", "release"],
  retry: ["find", "retry"],
  hold: ["find", "hold"],
  go: ["find", "go"],
  adopt: ["find", "adopt"],
  config: ["trust"],
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
  mcp: "serves tools to an agent, by the methods of its tools",
  attach: "shows a terminal to a person",
  service: "writes a unit of the system",
  traces: "exports for a collector; a program names its own by the same variables",
  doctor: "looks at an installation",
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
  fleet: "copies the log of an installation, by @souffleur/fleet",
  hub: "serves the hub of a fleet, by @souffleur/hub",
  setup: "asks a person, and writes the files of a project",
  demo: "plays the demonstration",
  uninstall: "removes what an installation has written"
}
/** The commands that compose the same parts themselves, and why. Each only reads. */
const byParts: Readonly<Record<string, string>> = {
  status: "starts fast, with few modules",
  "conduct status": "starts fast, with few modules",
  metrics: "reads the log alone",
  report: "reads the log alone"
}
/** Methods in place of a tool of the agent, or the reason why it is none of the service. */
const ofTools: Readonly<Record<string, ReadonlyArray<Method> | string>> = {
  my_state: ["status", "lastRecovery"],
  status: ["living", "ended", "status"],
  done: ["done"],
  heartbeat: "is the word of an agent about itself",
  request_context_recovery: "is the word of an agent about itself",
  set_state: "writes to comms, by @souffleur/comms",
  post_message: "writes to comms, by @souffleur/comms",
  read_messages: "reads comms, by @souffleur/comms",
  register_tasks: "writes to comms, by @souffleur/comms"
}
/** Methods in place of an option, and of `souffleur` alone. */
const ofOptions: Readonly<Record<string, ReadonlyArray<Method>>> = {
  souffleur: ["overview"],
  "watch --resume": ["resume"],
  "watch --restored": ["resume"],
  "watch --detach": ["detach"],
  "run --detach": ["detach"],
  "resume --all": ["living", "detach"],
  "resume --keep": ["living", "detach"],
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
/** The files that a command calls its methods in, besides its own. */
const helpersOf: Readonly<Record<string, ReadonlyArray<string>>> = {
  resume: ["watching/ResumeWatch", "watching/KeepWatches"],
  why: ["explain/RunWhy"],
  "conduct why": ["explain/RunWhy"]
}
/** Lists the methods that no piece of source calls. */
const uncalled = (source: string, names: ReadonlyArray<string>) =>
  names.filter((name) => !new RegExp(String.raw`\b(?:souffleur|log)\.${name}\b`, "u").test(source))

it("a command calls the methods that do the same", () => {
  const missing = Object.entries(methods)
    .filter(([path]) => byParts[path] === undefined)
    .flatMap(([path, names]) => {
      const helpers = (helpersOf[path] ?? []).map((name) => textOf(`packages/cli/src/${name}.ts`))
      return uncalled([sourceOf(path), ...helpers].join("\n"), names).map((name) => `${path}: ${name}`)
    })
  assert.deepStrictEqual(missing, [])
})
it("each tool of the agent calls the methods that do the same, or is no word of the service", () => {
  const source = ["StateTools", "WatchTools"].map((name) => textOf(`packages/cli/src/mcp/${name}.ts`)).join("\n")
  const tools = [...textOf("packages/cli/src/mcp/Tools.ts").matchAll(/ = tool\("(\w+)"/gu)].map(([, name]) => name!)
  assert.sameMembers(Object.keys(ofTools), tools)
  assert.deepStrictEqual(
    Object.entries(ofTools).flatMap(([tool, names]) =>
      typeof names === "string" ? [] : uncalled(source, names).map((name) => `${tool}: ${name}`)
    ),
    []
  )
})

/** The names of the supervisor that the command line uses itself, and why. None of them decides about a watch. */
const ofSupervisor: Readonly<Record<string, string>> = {
  attendedHere: "keeps a fiber of the screen alive",
  commitAt: "reads the newest commit, for doctor",
  refuseTarget: "asks whether a process may be watched, for doctor",
  command: "is the word of an agent about itself, in request_context_recovery",
  soloComms: "measures that agent's progress"
}
it("the command line opens, keeps, launches and ends no watch by itself", () => {
  const files = tracked.filter((path) => /^packages\/cli\/src\/.*\.ts$/u.test(path))
  const taken = files.flatMap((path) =>
    [...textOf(path).matchAll(/^import \{([^}]*)\} from "@souffleur\/supervisor"/gmu)].flatMap(([, names = ""]) =>
      names.split(",").map((name) => ({ path, name: name.trim() }))
    )
  )
  assert.isAbove(taken.length, 3)
  assert.sameMembers([...new Set(taken.map(({ name }) => name))], Object.keys(ofSupervisor))
  assert.deepStrictEqual(
    taken.filter(({ name }) => name === "command").map(({ path }) => path),
    ["packages/cli/src/mcp/RecoveryTools.ts"]
  )
  // These make, keep or end a watch or a run. The service alone has them.
  const deciding =
    /\/(?:keeping\/(?:Detach|KeptWatch|Keeper|Restored)|watching\/(?:AdoptProcess|BeginWatch|OpenCommand|OpenWatch|Settling|TrustProject)|conducting\/(?:AnswerRun|ConductPlan|KeptRun)|MakeSouffleur|world\/(?:NodeParts|Parts))\.ts"/u
  const exported = textOf("packages/embed/src/internal.ts").split("\n")
  assert.deepStrictEqual(
    exported.filter((line) => deciding.test(line)),
    []
  )
})
