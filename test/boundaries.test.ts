import { assert, describe, it } from "@effect/vitest"
import { execFileSync } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { posix } from "node:path"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("..", import.meta.url))
const text = (path: string) => readFileSync(`${root}/${path}`, "utf8")
/** Files that are under version control, or are about to be. */
const tracked = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], {
  cwd: root,
  encoding: "utf8"
})
  .split("\n")
  .filter((path) => path !== "" && existsSync(`${root}/${path}`))

const sources = tracked
  .filter((path) => /^packages\/[a-z]+\/src\/.*\.ts$/u.test(path))
  .map((path) => ({ path, text: text(path) }))
const packageOf = (path: string) => path.split("/")[1]!
const packages = [...new Set(sources.map(({ path }) => packageOf(path)))]

/** Lists the modules that a file imports in any way: a declaration, a re-export, `import(…)`. */
const importsOf = (source: string) =>
  [...source.matchAll(/^(?:import|export)\b[^"'`;]*?\bfrom "([^"]+)"|^import "([^"]+)"|\bimport\("([^"]+)"\)/gmu)].map(
    ([, from, bare, dynamic]) => from ?? bare ?? dynamic!
  )
/** The package of an import: `effect/sql` is `effect`, `@souffleur/domain` itself. */
const packageNamed = (specifier: string) =>
  specifier.startsWith("@") ? specifier.split("/").slice(0, 2).join("/") : specifier.split("/")[0]!
const importedBy = (files: ReadonlyArray<{ readonly text: string }>) => [
  ...new Set(
    files.flatMap(({ text }) =>
      importsOf(text).flatMap((one) => (/^(?:\.|node:)/u.test(one) ? [] : [packageNamed(one)]))
    )
  )
]
const imports = sources.flatMap(({ path, text }) => importsOf(text).map((specifier) => ({ path, specifier })))
/** The packages of agents. */
const agents = ["claude", "codex", "copilot", "gemini", "opencode", "pi", "qwen"]
const ours = (...names: ReadonlyArray<string>) => names.map((name) => `@souffleur/${name}`)

/** The floors: what each package may import besides its own files. */
const floors: Readonly<Record<string, ReadonlyArray<string>>> = {
  eventlog: ["effect"],
  domain: ["effect", ...ours("eventlog")],
  process: ["effect", ...ours("eventlog", "domain")],
  watcher: ["effect", ...ours("eventlog", "domain", "process")],
  monitor: ["effect", ...ours("eventlog", "domain")],
  recovery: ["effect", ...ours("eventlog", "domain", "process")],
  /** Below no other: a source never imports it. */
  testing: ["effect", ...ours("eventlog", "domain", "process", "plan")],
  session: ["effect", "jsonc-parser", ...ours("domain", "process")],
  claude: ["effect", ...ours("domain", "process", "session")],
  codex: ["effect", ...ours("domain", "process", "session")],
  pi: ["effect", ...ours("domain", "process", "session")],
  qwen: ["effect", ...ours("domain", "process", "session")],
  copilot: ["effect", ...ours("domain", "process", "session")],
  gemini: ["effect", ...ours("domain", "process", "session")],
  opencode: ["effect", ...ours("domain", "process", "session")],
  comms: ["effect", ...ours("eventlog", "domain")],
  notify: ["effect", ...ours("domain", "process")],
  fleet: ["effect", ...ours("eventlog", "domain", "process")],
  /** Alone it knows Postgres. */
  hub: ["effect", "@effect/sql-pg", ...ours("domain", "fleet")],
  plan: ["effect", "markdown-it", "yaml", ...ours("eventlog", "domain", "process", "watcher")],
  node: [
    "effect",
    "@effect/platform-node",
    "@effect/sql-sqlite-node",
    "node:",
    ...ours("eventlog", "domain", "process")
  ],
  supervisor: ["effect", ...ours("eventlog", "domain", "process", "watcher", "monitor", "recovery")],
  embed: [
    "effect",
    ...ours("eventlog", "domain", "process", "supervisor", "recovery", "claude", "comms", "notify", "plan", "node")
  ],
  page: ["effect", ...ours("embed", "fleet", "eventlog", "domain", "process", "plan")],
  cli: [
    "effect",
    "@effect/platform-node",
    ...ours(
      "embed",
      "eventlog",
      "domain",
      "process",
      "supervisor",
      "watcher",
      "monitor",
      "recovery",
      "claude",
      "codex",
      "pi",
      "qwen",
      "copilot",
      "gemini",
      "opencode",
      "comms",
      "plan",
      "node",
      "notify",
      "page",
      "fleet",
      "hub"
    )
  ]
}

interface Manifest {
  readonly files: ReadonlyArray<string>
  readonly exports?: Readonly<Record<string, string>>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly publishConfig: {
    readonly exports?: Readonly<Record<string, { readonly types: string; readonly default: string }>>
  }
}
const manifestOf = (name: string) => JSON.parse(text(`packages/${name}/package.json`)) as Manifest
/** Lists the packages that a package names. Those of `travels` come to a consumer, those of `bundled` do not. */
const declaredBy = (name: string) => {
  const { dependencies = {}, devDependencies = {}, peerDependencies = {} } = manifestOf(name)
  const travels = Object.keys({ ...dependencies, ...peerDependencies })
  return { travels, bundled: Object.keys(devDependencies).filter((one) => !travels.includes(one)) }
}

/** Returns a source without its comments. */
const code = (source: string) => source.replaceAll(/\/\*[\s\S]*?\*\/|(?<![:"'`\w])\/\/.*$/gmu, "")

describe("the floors", () => {
  it("the imports are found", () => {
    assert.isAbove(imports.length, 200)
    assert.deepStrictEqual(
      importsOf(
        'import {\n  type A,\n  b\n} from "one"\nexport * as c from "two"\nimport "three"\nconst d = await import("four")\nconst e = "from \\"five\\""\n'
      ),
      ["one", "two", "three", "four"]
    )
  })
  for (const name of packages) {
    it(`${name} imports only from the floors below it`, () => {
      const allowed = floors[name] ?? []
      const foreign = imports
        .filter(
          ({ path, specifier }) =>
            packageOf(path) === name && !specifier.startsWith("./") && !specifier.startsWith("../")
        )
        .filter(({ specifier }) => !allowed.includes(specifier.startsWith("node:") ? "node:" : packageNamed(specifier)))
      assert.deepStrictEqual(foreign, [])
    })
    it(`${name} declares what it imports, and nothing from outside that it does not`, () => {
      const { travels, bundled } = declaredBy(name)
      const declared = [...new Set([...travels, ...bundled])]
      const imported = importedBy(sources.filter(({ path }) => packageOf(path) === name))
      assert.deepStrictEqual(
        imported.filter((one) => !declared.includes(one)),
        []
      )
      // A test may need what the source does not.
      const tests = tracked.filter((path) => path.startsWith(`packages/${name}/test/`) && path.endsWith(".ts"))
      const used = new Set([...imported, ...importedBy(tests.map((path) => ({ text: text(path) })))])
      assert.deepStrictEqual(
        declared.filter((one) => !one.startsWith("@souffleur/") && !used.has(one)),
        []
      )
    })
  }
  it("two libraries bundle a package, and the command everything", () => {
    assert.deepStrictEqual(
      packages.filter((name) => name !== "cli").flatMap((name) => declaredBy(name).bundled),
      ["@effect/sql-sqlite-node", "jsonc-parser"]
    )
    assert.deepStrictEqual(declaredBy("cli").travels, [])
    // Two copies of Effect in an app would not know each other's services.
    for (const name of packages.filter((one) => one !== "cli"))
      assert.deepStrictEqual(Object.keys(manifestOf(name).peerDependencies ?? {}), ["effect"], name)
  })
  it("the floors are drawn in docs/architecture.md as the packages import each other", () => {
    const [, drawing = ""] = /^## Packages$[^]*?^```text$([^]*?)^```$/mu.exec(text("docs/architecture.md")) ?? []
    const named = (words: string) => words.split(",").map((word) => word.trim())
    const drawn = drawing.split("\n").flatMap((line) => {
      const [from, to] = line.split("──►")
      return to === undefined ? [] : named(from!).flatMap((one) => named(to).map((other) => `${one} ──► ${other}`))
    })
    const imported = packages.flatMap((name) =>
      importedBy(sources.filter(({ path }) => packageOf(path) === name))
        .filter((one) => one.startsWith("@souffleur/") && one !== `@souffleur/${name}`)
        .map((one) => `${name} ──► ${one.slice("@souffleur/".length)}`)
    )
    assert.deepStrictEqual(drawn.toSorted(), [...imported, "eventlog ──► effect"].toSorted())
  })
  it("each file imports other packages by their entries, and its own files by their whole names", () => {
    const wrong = imports.filter(
      ({ path, specifier }) =>
        // The version is that of the manifest.
        !(path === "packages/cli/src/Version.ts" && specifier === "../package.json") &&
        (/^@souffleur\/[a-z]+\/(?!(?:compiled|detach|errand|guardian|hook|internal|launch|loopback|notice|stand-in|tls)$)/u.test(
          specifier
        ) ||
          (specifier.startsWith("..") && specifier.split("../").length - 1 > path.split("/").length - 4) ||
          (specifier.startsWith(".") && !specifier.endsWith(".ts")))
    )
    assert.deepStrictEqual(wrong, [])
  })
  it("the internal entry is for the command line alone, and is not published", () => {
    const files = imports.filter(({ specifier }) => specifier === "@souffleur/embed/internal").map(({ path }) => path)
    assert.isAbove(files.length, 20)
    assert.deepStrictEqual(
      files.filter((path) => packageOf(path) !== "cli"),
      []
    )
    assert.deepStrictEqual(Object.keys(manifestOf("embed").publishConfig.exports ?? {}), ["."])
  })
  it("the agent is named in one place of the command line, and known by its port elsewhere", () => {
    const files = imports
      .filter(({ path, specifier }) => {
        const named = packageNamed(specifier)
        return ours(...agents).includes(named) && named !== `@souffleur/${packageOf(path)}`
      })
      .map(({ path }) => path)
    assert.deepStrictEqual([...new Set(files)].toSorted(), [
      "packages/cli/src/agent/HookReader.ts",
      "packages/cli/src/agent/Kind.ts",
      "packages/cli/src/agent/StandInAgent.ts",
      "packages/embed/src/hookSign.ts",
      "packages/embed/src/setup/DefaultAgent.ts"
    ])
  })
  it("the words of an agent are only in its package", () => {
    // Where one may, and why.
    const allowed: ReadonlyArray<readonly [path: RegExp, why: string]> = [
      [/^packages\/cli\/src\/agent\//u, "names the agent that the command line looks after"],
      [
        /^packages\/embed\/src\/(?:Souffleur|hookSign|setup\/DefaultAgent)\.ts$/u,
        "names the agent that is looked after by default"
      ],
      [/^packages\/session\/src\/hooks\/HookInput\.ts$/u, "has the names of events that the hooks of agents share"],
      [
        /^packages\/domain\/src\/settings\/Permission\.ts$/u,
        "has the two words of MAX_EXTERNAL_PERMISSION, which a user writes"
      ],
      [
        /^packages\/recovery\/src\/export\/CompactMarkers\.ts$/u,
        "has the markers of exports that others make, by the specification"
      ]
    ]
    const words =
      /claude|anthropic|codex|openai|--permission-mode|SessionStart|SessionEnd|acceptEdits|bypassPermissions|(?<!\.)\/compact\b/iu
    // The name of a provider in the specification and in the log.
    const known = sources.filter(
      ({ path, text }) => !agents.includes(packageOf(path)) && words.test(text.replaceAll("claude_export", ""))
    )
    assert.deepStrictEqual(
      known.filter(({ path }) => !allowed.some(([where]) => where.test(path))).map(({ path }) => path),
      []
    )
    // An exception that nothing needs any more goes.
    assert.deepStrictEqual(
      allowed.filter(([where]) => !known.some(({ path }) => where.test(path))).map(([, why]) => why),
      []
    )
  })
  it("the command line uses Node in its main files alone", () => {
    const files = imports
      .filter(({ path, specifier }) => packageOf(path) === "cli" && specifier.startsWith("@effect/platform-node"))
      .map(({ path }) => path.slice("packages/cli/src/".length))
    assert.deepStrictEqual(
      [...new Set(files)].filter((path) => path !== "Program.ts" && !path.startsWith("demo/")),
      []
    )
  })
  it("the kernel's files about processes are read in one place", () => {
    const reading = sources.filter(({ text }) => /["`]\/proc/u.test(code(text))).map(({ path }) => path)
    // The second reads the table of sockets.
    assert.sameMembers(reading, ["packages/node/src/processes/Proc.ts", "packages/fleet/src/bounds/Listener.ts"])
  })
  it("a deciding package reads no file, starts no process, and knows no database", () => {
    const deciding = sources.filter(({ path }) => packageOf(path) === "domain")
    assert.isAbove(deciding.length, 50)
    const acting = /\b(?:FileSystem|ChildProcess|SqlClient)\b|from "(?:node:|effect\/(?:process|sql))/u
    assert.deepStrictEqual(
      deciding.filter(({ text }) => acting.test(text)).map(({ path }) => path),
      []
    )
  })
  it("unstable modules of Effect are imported only where they are needed", () => {
    const allowed: Readonly<Record<string, RegExp>> = {
      "effect/ai": /^packages\/cli\/src\/mcp\/(?:Server|Tools)\.ts$/u,
      "effect/cli":
        /^packages\/cli\/src\/(?:main|Cli|CommandTable|Failure|commands\/\w+|completions\/IdCompletion|help\/HelpText|person\/TrustQuestion|setup\/(?:Agent|Setup)Questions?|top\/TopWord|watching\/NamedTarget)\.ts$/u,
      "effect/cluster": /^packages\/hub\/src\/cluster\/HubCluster\.ts$/u,
      "effect/http":
        /^packages\/(?:notify\/src\/(?:Delivery|Hearing)|embed\/src\/trace\/OtlpExport|node\/src\/(?:LoopbackServer|TlsServer)|page\/src\/(?:(?:fleet|shown)\/)?\w+|fleet\/src\/Hub|hub\/src\/HubServer|cli\/src\/commands\/HubCommand)\.ts$/u,
      "effect/http-api": /^packages\/(?:fleet\/src\/(?:FleetApi|Hub)|hub\/src\/HubServer)\.ts$/u,
      "effect/observability":
        /^packages\/embed\/src\/(?:trace\/(?:RecoveryTrace|OtlpExport)|metrics\/OtlpNumbers)\.ts$/u,
      "effect/process":
        /^packages\/(?:embed\/src\/(?:MakeSouffleur|keeping\/Awake|setup\/MakeSouffleurSetup|world\/NodeParts)|plan\/src\/git\/Git(?:Branches)?|notify\/src\/Channels|node\/src\/launch\/(?:Headless|HostPrograms)|cli\/src\/(?:watching\/TerminalPane|demo\/(?:DemoPostgres|Scene)|fleet\/WordErrand)|process\/src\/program\/(?:Check|User)Program|testing\/src\/FakeWorld|recovery\/src\/(?:export\/ExternalExport|program\/(?:RecoveryProgram|WorkCheck)))\.ts$/u,
      "effect/sql":
        /^packages\/(?:embed\/src\/(?:SouffleurOptions|world\/NodeWorld)|eventlog\/src\/(?:snapshot\/|sql\/)?\w+|comms\/src\/Comms\w+|fleet\/src\/ShippedLog|hub\/src\/(?:fold\/FoldPass|(?:people\/|cluster\/)?Hub(?:Alarms|Browsers|Cluster|Database|Jobs|Migrations|People|Projection|Retention|Store|Tokens|Trouble|Words))|node\/src\/sqlite\/(?:SqliteClient|SqliteTrouble|Connection)|cli\/src\/demo\/StandInComms)\.ts$/u
    }
    const unstable = imports.filter(({ specifier }) =>
      /^effect\/(?:ai|cli|http|process|sql|cluster|workflow|eventlog|observability)\b/u.test(specifier)
    )
    assert.deepStrictEqual(
      unstable.filter(({ path, specifier }) => !allowed[specifier]?.test(path)),
      []
    )
  })
})

it("a folder has about a dozen files, except that of the commands", () => {
  const folders = Map.groupBy(sources, ({ path }) => path.slice(0, path.lastIndexOf("/")))
  assert.deepStrictEqual(
    [...folders]
      .filter(([folder, files]) => files.length > 14 && folder !== "packages/cli/src/commands")
      .map(([folder]) => folder),
    []
  )
})

/**
 * How many parameters each function takes in a source: its lists between parentheses, before an arrow or behind
 * `function`.
 */
const parametersIn = (source: string): ReadonlyArray<number> => {
  const code = source.replace(/\/\*[^]*?\*\/|\/\/.*|"(?:\\.|[^"\\\n])*"/gu, '""').replaceAll("=>", "→")
  const counts: Array<number> = []
  const open: Array<{ readonly at: number; commas: number }> = []
  for (let at = 0; at < code.length; at++) {
    const sign = code[at]!
    if ("([{<".includes(sign)) open.push({ at, commas: 0 })
    else if (sign === "," && open.length > 0 && !/^,\s*[)\]}>]/u.test(code.slice(at, at + 200))) open.at(-1)!.commas++
    else if (")]}>".includes(sign)) {
      const list = open.pop()
      if (sign !== ")" || list === undefined) continue
      const named = /\bfunction\*? ?(?:<[^()]*>)?$/u.test(code.slice(Math.max(0, list.at - 200), list.at))
      if (named || /^\s*(?::[^(){}=;]+)?→/u.test(code.slice(at + 1, at + 300))) counts.push(list.commas + 1)
    }
  }
  return counts
}

it("a name of a file is there once, but for that of an entry", () => {
  const files = tracked.filter((path) => path.endsWith(".ts") && !path.endsWith("/index.ts"))
  const byName = Map.groupBy(files, (path) => path.slice(path.lastIndexOf("/") + 1))
  assert.deepStrictEqual(
    [...byName.values()].filter((paths) => paths.length > 1),
    []
  )
})

it("an exported name is defined in one package, unless its module is its first name", () => {
  // Two parts of one port have one name, as its methods have.
  const parts = new Set(agents)
  const declared =
    /^export (?:(?:abstract|async|declare) )*(?:class|const|enum|function\*?|interface|let|type) (\w+)/gmu
  const qualified = new Set(
    sources.flatMap(({ path, text }) =>
      [...text.matchAll(/^(?:import|export) \* as \w+ from "(\.[^"]+)"/gmu)].map(([, specifier]) =>
        posix.join(posix.dirname(path), specifier!)
      )
    )
  )
  const named = sources
    .filter(({ path }) => !qualified.has(path))
    .flatMap(({ path, text }) => [...text.matchAll(declared)].map(([, name]) => ({ name: name!, in: packageOf(path) })))
  assert.isAbove(named.length, 1000)
  const places = Map.groupBy(named, ({ name }) => name)
  const twice = [...places].flatMap(([name, all]) => {
    const found = [...new Set(all.map((one) => one.in))].toSorted()
    return found.length === 1 || found.every((one) => parts.has(one)) ? [] : [`${name}: ${found.join(", ")}`]
  })
  assert.deepStrictEqual(twice, [])
})

it("a name that a package exports can be imported as what it is: a value is never exported as its type alone", async () => {
  const valuesOf = async (index: string, from: string) => {
    const path = from.startsWith(".")
      ? posix.join(posix.dirname(index), from)
      : `packages/${from.split("/")[1]!}/src/index.ts`
    const module: Record<string, unknown> = await import(`${root}/${path}`)
    return Object.keys(module)
  }
  const asTypes = sources
    .filter(({ path }) => path.endsWith("/src/index.ts"))
    .flatMap(({ path, text }) =>
      [...text.matchAll(/^export (type )?(?:\*|\{([^}]*)\}) from "([^"]+)"/gmu)].flatMap(([, type, list, from]) => {
        const named = list?.split(",").map((name) => name.trim())
        const types = type !== undefined ? named : named?.flatMap((name) => /^type (\w+)/u.exec(name)?.[1] ?? [])
        return type !== undefined || types !== undefined ? [{ path, from: from!, types }] : []
      })
    )
  assert.isAbove(asTypes.length, 50)
  const hidden = asTypes.map(async ({ from, path, types }) =>
    (await valuesOf(path, from)).filter((name) => types?.includes(name) ?? true).map((name) => `${path}: ${name}`)
  )
  assert.deepStrictEqual((await Promise.all(hidden)).flat(), [])
})

describe("the lines", () => {
  it("a function takes four parameters at most, and more as one object", () => {
    assert.deepStrictEqual(
      parametersIn("const f = (a, [b, c], { d, e }: D<A, B>,\n  g\n): E => function* <A, B>(\n  a,\n) {}"),
      [4, 1]
    )
    assert.deepStrictEqual(
      sources.filter((one) => parametersIn(one.text).some((count) => count > 4)).map(({ path }) => path),
      []
    )
  })
  /** Code without its comments. */
  const banned: ReadonlyArray<readonly [what: string, pattern: RegExp]> = [
    ["wall clock: time is Effect's Clock", /\bDate\.now\b|\bnew Date\(\)|\bperformance\.now\b|\bprocess\.hrtime\b/u],
    ["timer: waiting is Effect's", /\b(?:setTimeout|setInterval|setImmediate)\b/u],
    ["randomness of the machine's: it is Effect's Random", /\bMath\.random\b|\brandomUUID\b/u],
    [
      "time told by another than `iso`, which is total",
      /\bnew Date\(|\.toISOString\(|\bDateTime\.(?:make|makeUnsafe|format\w*)\(/u
    ],
    ["tuple of yields: one value a line", /\b(?:const|let) \[[^\]]*\] = \[[^\]]*yield\*/u],
    ["any", /(?::|\bas|<)\s*any\b/u],
    ["shell", /\bshell:\s*true\b|\bexecSync\(|(?<!\.)\bexec\(\s*[`"']/u],
    ["note of what is to be done some day", /\b(?:TODO|FIXME|XXX)\b/u]
  ]
  /** Time of the host, as ISO 8601 and for a process without Effect. */
  const ofTime = new Set(["packages/domain/src/Time.ts", "packages/node/src/own/HostClock.ts"])

  describe("behaviour#never", () => {
    for (const [what, pattern] of banned) {
      it(`the lines have no ${what}`, () =>
        assert.deepStrictEqual(
          sources.filter(({ path, text }) => !ofTime.has(path) && pattern.test(code(text))).map(({ path }) => path),
          []
        ))
    }
  })
  it("a span has the name of its function", () => {
    const named = /\b(?:const (\w+)(?:: [^=\n]+)? = |(\w+): )Effect\.fn\("([^"]+)"/gu
    const spans = sources.flatMap(({ text }) =>
      [...text.matchAll(named)].map(([, constant, field, span]) => [constant ?? field, span!])
    )
    assert.isAbove(spans.length, 100)
    assert.deepStrictEqual(
      spans.filter(([name, span]) => span !== name && !span!.endsWith(`.${name}`)),
      []
    )
  })
  it("a layer that a module exports is called a layer, but in the command line, which composes them", () => {
    const exported =
      /^export const (\w+)(?:: [^=]+)? =\s+(?:\((?:[^()]|\([^()]*\))*\)(?:: [^=]+)? =>\s+)?Layer\.[a-z]/gmu
    const layers = sources
      .filter(({ path }) => !path.startsWith("packages/cli/"))
      .flatMap(({ path, text }) => [...text.matchAll(exported)].map(([, name]) => `${path}: ${name}`))
    assert.isAbove(layers.length, 10)
    assert.deepStrictEqual(
      layers.filter((one) => !/: layer[A-Z]?\w*$/u.test(one)),
      []
    )
  })

  describe("behaviour#plain-words", () => {
    it("the command line prints by its console alone, and nothing else reaches its standard streams", () => {
      // Files that may print otherwise, and their reasons. These are the console itself, a version, an agent's output,
      // and JSON for a program. An output on the screen of top is kept from them. A line of progress is erased, and the demonstration's agent has its own words.
      const allowed: ReadonlyArray<readonly [file: string, way: RegExp]> = [
        ["Printing.ts", /globalThis\.console|JSON\.stringify\(value, null, 2\)\)/gu],
        [
          "main.ts",
          /console\.log\(`souffleur v\$\{version\}`\)|process\.stderr\.write\(\s*`souffleur: Node 22\.19 |process\.stderr\.write\("souffleur: files of its program |process\.stderr\.write\(`\$\{\(await import\("@souffleur\/domain"\)\)\.plain/gu
        ],
        [
          "Program.ts",
          /const \{[^}]*\bstdout\b[^}]*\} = process\n|stdout\.(?:columns|isTTY)|of \[stdout, stderr\]|stream === stdout \? "standard output"/gu
        ],
        ["watching/FollowOutput.ts", /terminal\.stdout/gu],
        ["top/TopPane.ts", /std(?:out|err)(?:: sink|IsTerminal: )/gu],
        ["watching/OutputWriter.ts", /std(?:out|err)(?:IsTerminal)?|Stdio\.Stdio/gu],
        ["mcp/Requests.ts", /stdio\.stdout/gu],
        ["explain/Progress.ts", /\bstderr(?:IsTerminal)?\b/gu],
        ["watching/TerminalPane.ts", /stdout: "inherit", stderr: "inherit"/gu],
        ["demo/DemoPostgres.ts", /stdout: "ignore",\s*stderr: "ignore"/gu],
        ["demo/Scene.ts", /handle\.stdout|handle\.stderr|\["stdout"\]/gu]
      ]
      const ways = /\bconsole\b|\b(?:std(?:out|err))\b|\bTerminal\.display\b|JSON\.stringify\([^\n]*, null, 2\)\)/u
      const files = sources.filter(
        ({ path }) =>
          path.startsWith("packages/cli/src/") && !/\/(?:demo\/(?:StandIn\w*|Demo)|hook|guardian)\.ts$/u.test(path)
      )
      const others = files.filter(({ path, text }) => {
        const known = allowed.filter(([file]) => path === `packages/cli/src/${file}`)
        return ways.test(known.reduce((rest, [, way]) => rest.replaceAll(way, ""), code(text)))
      })
      assert.deepStrictEqual(
        others.map(({ path }) => path),
        []
      )
    })
  })
  it("the lines of a comment are no longer than those of code", () => {
    assert.deepStrictEqual(
      sources.flatMap(({ path, text }) =>
        text
          .split("\n")
          .flatMap((line, n) => (line.length > 120 && /^\s*(?:\/?\*|\/\/)/u.test(line) ? [`${path}:${n + 1}`] : []))
      ),
      []
    )
  })
  it("a file has 300 lines at most, and none is a drawer", () => {
    assert.deepStrictEqual(
      sources.filter(({ text }) => text.split("\n").length > 301).map(({ path }) => path),
      []
    )
    assert.deepStrictEqual(
      sources
        .filter(({ path }) => /\/(?:utils?|helpers?|common|misc|shared)(?:\.ts|\/)/iu.test(path))
        .map(({ path }) => path),
      []
    )
  })
})

it("every entry that a package names exists, and is published as what it is built to, unless it is internal", () => {
  for (const name of packages.filter((one) => one !== "cli")) {
    const { exports = {}, publishConfig } = manifestOf(name)
    for (const source of Object.values(exports)) assert.include(tracked, `packages/${name}/${source.slice(2)}`)
    const open = Object.entries(exports).filter(([entry]) => entry !== "./internal")
    const built = open.map(([entry, source]) => {
      const base = source.replace(/^\.\/src\/(.+)\.ts$/u, "./dist/$1")
      return [entry, { types: `${base}.d.ts`, default: `${base}.js` }]
    })
    // The order is Node's and the compiler's too: `types` comes first.
    assert.strictEqual(JSON.stringify(publishConfig.exports), JSON.stringify(Object.fromEntries(built)), name)
    assert.match(text(`packages/${name}/README.md`), new RegExp(`^# @souffleur/${name}\n`, "u"))
  }
})

it("each package explains itself to people by its first program, and to their coding agents", () => {
  for (const name of packages) {
    const readme = text(`packages/${name}/README.md`)
    const first = name === "cli" ? "```sh [^`]*npx @souffleur/cli" : `\`\`\`ts\n[^\`]*from "@souffleur/${name}"`
    assert.match(readme, new RegExp(first, "u"), name)
    const agents = text(`packages/${name}/AGENTS.md`)
    assert.match(agents, new RegExp(`^# For coding agents: @souffleur/${name}\n`, "u"))
    assert.isAtMost(agents.trimEnd().split("\n").length, 40, name)
    assert.include(manifestOf(name).files, "AGENTS.md", name)
  }
})

it("tracked files name no folder of their author's machine, and no registry's host", () => {
  const machine = new RegExp(
    `${["", "work", ""].join("/")}(?:main|shared|seeds)|${["", "root", ""].join("/")}|tarball: ?https?:|registry\\s*[=:]\\s*https?:`,
    "u"
  )
  assert.deepStrictEqual(
    tracked.filter((path) => machine.test(text(path))),
    []
  )
})
