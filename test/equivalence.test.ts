import { assert, it } from "@effect/vitest"
import type { Souffleur, SouffleurSetup } from "@souffleur/embed"
import { commands } from "./Commands.ts"
import { textOf, tracked } from "./Pages.ts"

type Method = keyof Souffleur["Service"] | keyof SouffleurSetup["Service"]

/** Methods that a program calls in place of a command, of `Souffleur` or of `SouffleurSetup`. */
const methods: Readonly<Record<string, ReadonlyArray<Method>>> = {
  watch: ["find", "sessions", "watch", "resume", "detach", "preview"],
  run: ["run", "resume", "detach", "preview"],
  resume: ["find", "living", "moveHere", "detach"],
  status: ["find", "watches", "status"],
  log: ["history", "events", "historyOfAll", "eventsOfAll"],
  state: ["find", "state"],
  output: ["find", "output"],
  why: ["find", "why", "findPlan", "planWhy"],
  done: ["find", "done"],
  release: ["find", "findPlan", "release"],
  stop: ["find", "stop", "findPlan", "stopPlan"],
  retry: ["find", "retry"],
  hold: ["find", "hold", "findPlan", "answer"],
  go: ["find", "go", "findPlan", "answer"],
  adopt: ["find", "adopt"],
  config: ["settings"],
  doctor: ["findings"],
  notify: ["settings"],
  hooks: [],
  "hooks install": ["installHooks"],
  "hooks uninstall": ["uninstallHooks"],
  "hooks status": ["hooks"],
  conduct: ["conduct"],
  "conduct status": ["findPlan", "plans", "planStatus"],
  "conduct log": ["planHistory", "planEvents"],
  "conduct why": ["findPlan", "planWhy"],
  "conduct answer": ["findPlan", "answer"],
  metrics: ["metrics"],
  report: ["report"]
}
/** The commands that need no method, and why. */
const ofTheLine: Readonly<Record<string, string>> = {
  mcp: "serves tools to an agent, by the methods of its tools",
  attach: "shows a terminal to a person",
  service: "writes a unit that starts this command; that of a program starts the program, which resumes its watches",
  traces: "exports for a collector; a program names its own by the same variables",
  init: "makes a comms database, by @souffleur/comms, or a new plan, by @souffleur/plan",
  "conduct plan": "prints a plan, by @souffleur/plan",
  export: "exports a session of an agent, by @souffleur/agents",
  estimate: "counts a text, by @souffleur/recovery",
  compact: "compacts a session, by @souffleur/recovery",
  completions: "writes the files of a shell",
  plugin: "writes a skill of an agent that types this command",
  help: "shows the help of a command",
  page: "serves what these methods return to a browser, by @souffleur/page",
  top: "shows what these methods return on a terminal",
  fleet: "copies the log of an installation, by @souffleur/fleet",
  hub: "serves the hub of a fleet, by @souffleur/hub",
  setup: "asks a person; a program gives `settings`, and installs hooks by a method",
  demo: "plays the demonstration",
  uninstall: "removes the files of an installation; a program owns its state folder, and takes hooks out by a method"
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
/** Methods in place of an option that does another thing than its command, or the reason why it needs none. */
const ofOptions: Readonly<Record<string, ReadonlyArray<Method> | string>> = {
  "watch --resume": ["resume"],
  "watch --restored": ["resume"],
  "watch --detach": ["detach"],
  "watch --dry-run": ["preview"],
  "run --detach": ["detach"],
  "run --dry-run": ["preview"],
  "resume --all": ["living", "detach"],
  "resume --keep": ["living", "detach"],
  "resume --moved": ["moveHere"],
  "status --all": ["watches"],
  "status --host": "asks the souffleur of another host, by ssh",
  "status --fleet": "asks the hub of a fleet, by @souffleur/fleet",
  "log --all": ["historyOfAll", "eventsOfAll"],
  "log --follow": ["events"],
  "output --follow": ["output"],
  "conduct --dry-run": ["previewPlan"],
  "conduct status --all": ["plans"],
  "conduct log --follow": ["planEvents"],
  "config --trust": ["trust"],
  "doctor --quarantine": ["quarantine"],
  "notify --test": ["tryNotices"]
}
/**
 * The words by which a method takes what an option says: a field of its options, or a parameter. An option of one name
 * means the same for every command.
 */
const ofParameters: Readonly<Record<string, string>> = {
  "project-dir": "project",
  pid: "Target",
  "session-id": "Target",
  comms: "comms",
  observe: "observe",
  reason: "reason",
  now: "now",
  redo: "redo",
  revert: "revert",
  force: "force",
  user: "HooksOrder",
  watch: "HooksOrder",
  guardian: "guardian",
  terminal: "terminal",
  ceiling: "ceiling",
  agent: "agent",
  headless: "headless",
  until: "until",
  rounds: "rounds",
  "max-time": "limits",
  "max-dollars": "limits",
  "max-tokens": "limits",
  name: "title",
  id: "id",
  label: "labels",
  env: "environment",
  from: "after",
  at: "time",
  run: "PlanName",
  state: "state",
  permission: "permission",
  "implementer-timeout": "implementerTimeout",
  "reviewer-timeout": "reviewerTimeout",
  implementer: "RoleAgents",
  reviewer: "RoleAgents",
  moved: "moved",
  wait: "waiting",
  retry: "retry",
  skip: "skip",
  plan: "plan",
  finishing: "finishing",
  allow: "allow",
  "allow-red": "red",
  deadline: "deadline",
  questions: "questions",
  "keep-going": "keepsGoing",
  parallel: "parallel",
  since: "Period"
}
/** The options that say how a command prints, and where to. */
const ofPrinting: ReadonlySet<string> = new Set(["json", "utc", "verbose", "quiet", "format", "file"])

/** The file of a command. */
const fileOf: Readonly<Record<string, string>> = {
  "conduct why": "ConductLog",
  "hooks install": "Hooks",
  "hooks uninstall": "Hooks",
  "hooks status": "Hooks"
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
it("each package in a reason is published", () => {
  const named = [ofTheLine, ofOptions, ofTools].flatMap((reasons) =>
    Object.values(reasons).flatMap((why) => (typeof why === "string" ? [...why.matchAll(/@souffleur\/(\w+)/gu)] : []))
  )
  assert.isAbove(named.length, 10)
  for (const [, name] of named)
    assert.include(textOf(`packages/${name}/package.json`), '"publishConfig"', `packages/${name}`)
})
it("each option does what a method does, is taken by one, says how to print, or has a reason", () => {
  const flags = commands.flatMap(([path, { flags }]) =>
    methods[path] === undefined ? [] : flags.map(({ name }) => ({ name, option: `${path} --${name}` }))
  )
  assert.isAbove(flags.length, 50)
  assert.deepStrictEqual(
    flags.flatMap(({ name, option }) =>
      ofOptions[option] === undefined && ofParameters[name] === undefined && !ofPrinting.has(name) ? [option] : []
    ),
    []
  )
  // The flag for the word of a guardian is hidden, and no completion has it.
  const known = new Set(["watch --restored", ...flags.map(({ option }) => option)])
  assert.deepStrictEqual(
    Object.keys(ofOptions).filter((option) => !known.has(option)),
    []
  )
  const names = new Set(flags.map(({ name }) => name))
  assert.deepStrictEqual(
    [...Object.keys(ofParameters), ...ofPrinting].filter((name) => !names.has(name)),
    []
  )
  const taking = ["SouffleurOptions", "Souffleur", "SouffleurLog", "SouffleurSetup"].map((name) =>
    textOf(`packages/embed/src/${name}.ts`)
  )
  assert.deepStrictEqual(
    Object.values(ofParameters).filter((word) => !taking.some((text) => new RegExp(`\\b${word}\\b`, "u").test(text))),
    []
  )
})
/** The files that a command calls its methods in, besides its own. */
const helpersOf: Readonly<Record<string, ReadonlyArray<string>>> = {
  resume: ["watching/ResumeWatch", "watching/KeepWatches"],
  hold: ["commands/NamedJob"],
  release: ["commands/NamedJob"],
  stop: ["commands/NamedJob"],
  why: ["explain/PlanWhy", "commands/NamedJob"],
  "conduct why": ["explain/PlanWhy"]
}
/** Lists the methods that no piece of source calls. */
const uncalled = (source: string, names: ReadonlyArray<string>) =>
  names.filter((name) => !new RegExp(String.raw`\b(?:souffleur|log|setup)\.${name}\b`, "u").test(source))

it("a command calls the methods that do the same, also for an option and without a command", () => {
  const calledBy = (path: string) =>
    [sourceOf(path), ...(helpersOf[path] ?? []).map((name) => textOf(`packages/cli/src/${name}.ts`))].join("\n")
  const all = [
    ...Object.entries(methods),
    ...Object.entries(ofOptions).map(([option, names]) => [option.split(" --")[0]!, names] as const)
  ]
  const missing = all
    .filter(([path, names]) => byParts[path] === undefined && typeof names !== "string")
    .flatMap(([path, names]) =>
      uncalled(calledBy(path), names as ReadonlyArray<Method>).map((name) => `${path}: ${name}`)
    )
  assert.deepStrictEqual(missing, [])
  // It makes no folder, so it composes the same part itself.
  assert.match(textOf("packages/cli/src/commands/HereCommand.ts"), /\byield\* overview\(/u)
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
  assert.isAbove(taken.length, 2)
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
