import { assert, describe, it } from "@effect/vitest"
import { Processes as ProcessesPort } from "@souffleur/domain"
import { Processes } from "@souffleur/node"
import { Effect } from "effect"
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import { isBuiltin } from "node:module"
import { tmpdir } from "node:os"
import { basename, dirname, join, relative } from "node:path"
import manifest from "../../packages/cli/package.json" with { type: "json" }
import { wrongLicences } from "../../release/Licences.ts"
import { withPlainBuiltins, withPlainExports } from "../../release/Interop.ts"
import { bundle, prints, stage, task, until } from "./CliStage.ts"
import { liveCase } from "./Live.ts"

const folder = dirname(bundle)
const importedBy = (text: string) =>
  [...text.matchAll(/^(?:import|export) [^"]*?"([^"]+)"|\b(?:import|require)\("([^"]+)"\)/gm)].map(
    ([, name, late]) => name ?? late!
  )
/** Faster parts of a package for sockets, which it does without. */
const optional = new Set(["bufferutil", "utf-8-validate"])
/** Files that a chunk loads before it runs. */
const loadedFirst = (chunk: string) =>
  [...chunk.matchAll(/^(?:(?:const|let) \w+ = )?require\("([^"]+)"\)/gm)].map(([, name]) => name!)

it("the bundle is a folder that imports only its own files and Node's modules", () => {
  const chunks = fs.readdirSync(join(folder, "chunks")).map((name) => join("chunks", name))
  const entries = [
    "souffleur.cjs",
    "hook.cjs",
    "database.cjs",
    "guardian.cjs",
    "launch.cjs",
    "notify.cjs",
    "page.cjs",
    "hub.cjs"
  ]
  const files = [...entries, ...chunks]
  assert.sameMembers(fs.readdirSync(folder), [...entries, "chunks", "completions", "LICENSES.txt"])
  let own = 0
  for (const file of files) {
    for (const name of importedBy(fs.readFileSync(join(folder, file), "utf8"))) {
      if (isBuiltin(name) || optional.has(name)) continue
      own += 1
      assert.match(name, /^\.{1,2}\//u, file)
      const found = relative(folder, join(folder, dirname(file), name))
      assert.include(files, found, file)
    }
  }
  assert.isAbove(own, 50)
})

it("the bundle has the licence of each package that is in it, and of no other", () => {
  const codes = fs
    .readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => /\.c?js$/u.test(name))
    .map((name) => fs.readFileSync(join(folder, name), "utf8"))
  const notice = fs.readFileSync(join(folder, "LICENSES.txt"), "utf8")
  assert.match(notice, /^effect 4\.[^]*MIT License/mu)
  assert.deepStrictEqual(wrongLicences(codes, [notice]), [])
  const renamed = notice.replace(/^effect 4\./mu, "another 4.")
  assert.deepStrictEqual(wrongLicences(codes, [renamed]), [
    "effect is bundled without its licence",
    "another has a licence there, and is not bundled"
  ])
})

it("the bundle has the completion of each shell, as the command itself makes it", () => {
  const made = (shell: string) =>
    spawnSync(process.execPath, [bundle, "--completions", shell], { encoding: "utf8" }).stdout
  for (const shell of ["bash", "zsh", "fish"]) {
    const text = fs.readFileSync(join(folder, "completions", `souffleur.${shell}`), "utf8")
    assert.include(text, "uninstall")
    assert.strictEqual(text, made(shell), shell)
  }
})

it("a chunk exports values, and a getter of each variable alone", () => {
  const getter = (exported: string, name: string) =>
    `Object.defineProperty(exports, "${exported}", {\n  enumerable: true,\n  get: function () {\n    return ${name};\n  }\n});`
  const declared =
    "const a$1 = 1;\nlet b = 2;\nfunction c() {\n  b = 3;\n  const d = 4;\n}\nvar d = 5;\nvar E = class {};"
  const exported = (plain: boolean) => [
    ...(plain ? ["const __export = (name, value) => { exports[name] = value; };"] : []),
    plain ? '__export("a", a$1);' : getter("a", "a$1"),
    getter("b", "b"),
    plain ? '__export("c", c);' : getter("c", "c"),
    getter("d", "d"),
    plain ? '__export("E", E);' : getter("E", "E")
  ]
  const plain = withPlainExports([declared, ...exported(false)].join("\n"))
  assert.strictEqual(plain, [declared, ...exported(true)].join("\n"))
  const exports: Record<string, unknown> = {}
  new Function("exports", `${plain}\nc()`)(exports)
  assert.deepStrictEqual([exports["a"], exports["b"], exports["d"], typeof exports["E"]], [1, 3, 5, "function"])
  const program = fs.readFileSync(join(folder, "chunks", "program.cjs"), "utf8")
  assert.isBelow(program.split("Object.defineProperty(exports,").length, 20)
})

it("a chunk takes Node's modules as they are, unless it asks for their default", () => {
  const wrap = (name: string) => `${name} = require_rolldown_runtime.__toESM(${name}, 1);\n`
  const loaded = 'let node_fs = require("node:fs");\n'
  assert.strictEqual(
    withPlainBuiltins(`${loaded}${wrap("node_fs")}node_fs.statSync;\n`),
    `${loaded}node_fs.statSync;\n`
  )
  for (const kept of [
    `${loaded}${wrap("node_fs")}node_fs.default;\n`,
    `let ws = require_ws();\n${wrap("ws")}ws.Server;\n`
  ])
    assert.strictEqual(withPlainBuiltins(kept), kept)
  const chunks = fs
    .readdirSync(join(folder, "chunks"))
    .map((name) => fs.readFileSync(join(folder, "chunks", name), "utf8"))
  assert.notMatch(chunks.join("\n"), /__toESM\(node_/u)
})

describe("settings#compiled-code", () => {
  it("the command is short and loads nothing before it knows what is asked; each errand is one file", () => {
    const text = fs.readFileSync(bundle, "utf8")
    assert.isBelow(text.length, 4000)
    assert.deepStrictEqual(loadedFirst(text), [])
    assert.match(text, /^#!\/usr\/bin\/env node\n/)
    assert.strictEqual(fs.statSync(bundle).mode & 0o111, 0o111)
    for (const name of ["hook.cjs", "database.cjs", "guardian.cjs", "launch.cjs", "notify.cjs"]) {
      const imported = importedBy(fs.readFileSync(join(folder, name), "utf8"))
      assert.isNotEmpty(imported)
      for (const one of imported) assert.isTrue(isBuiltin(one), `${name}: ${one}`)
    }
  })
  it.live("a start reads few files, and the help no file of the store", () =>
    Effect.gen(function* () {
      const the = yield* stage([])
      const loaded = Effect.fnUntraced(function* (...args: ReadonlyArray<string>) {
        const note = join(the.home, "loaded")
        const source = `import { registerHooks } from "node:module"
        import { appendFileSync } from "node:fs"
        registerHooks({ load: (url, context, next) => (appendFileSync(${JSON.stringify(note)}, url + "\\n"), next(url, context)) })`
        const hooks = ["--import", `data:text/javascript,${encodeURIComponent(source)}`]
        yield* the.exactly(process.execPath, [...hooks, bundle, ...args], the.environment).ended
        const urls = fs.readFileSync(note, "utf8").trim().split("\n")
        fs.rmSync(note)
        return urls.filter((url) => url.startsWith("file:")).map((url) => basename(url))
      })
      const [version, help, status] = [yield* loaded("--version"), yield* loaded("--help"), yield* loaded("status")]
      assert.deepStrictEqual(version, ["souffleur.cjs"])
      assert.include(help, "program.cjs")
      assert.notInclude(help, "status.cjs")
      assert.include(status, "status.cjs")
      assert.notInclude(status, "run.cjs")
      assert.isAtMost(status.length, 10)
      assert.isAtMost((yield* loaded("run", "--help")).length, 10)
    })
  )
})

it("the page and the hub are files of their own, and they and the tools alone load a server", () => {
  const texts = ["page.cjs", "hub.cjs", ...fs.readdirSync(join(folder, "chunks")).map((name) => `chunks/${name}`)].map(
    (name) => [name, fs.readFileSync(join(folder, name), "utf8")] as const
  )
  /** The chunks with this text, and all that load one of them. */
  const loading = (part: string) => {
    const found = new Set<string>(texts.flatMap(([name, text]) => (text.includes(part) ? [name] : [])))
    for (let size = 0; size < found.size;) {
      size = found.size
      for (const [name, text] of texts)
        if (loadedFirst(text).some((one) => found.has(join(dirname(name), one)))) found.add(name)
    }
    return [...found]
  }
  assert.sameMembers(loading('require("node:http")'), ["chunks/loopback.cjs", "page.cjs", "hub.cjs"])
  assert.sameMembers(loading("This page is for 127.0.0.1"), ["page.cjs", "hub.cjs", "chunks/pages.cjs"])
  assert.sameMembers(loading("pg_snapshot_xmin"), ["hub.cjs"])
  assert.sameMembers(loading("/effect/dist/http/HttpRouter.js"), [
    "page.cjs",
    "hub.cjs",
    "chunks/Server.cjs",
    "chunks/http.cjs",
    "chunks/pages.cjs",
    "chunks/FleetDemo.cjs",
    "chunks/loopback.cjs",
    "chunks/fleet.cjs"
  ])
})

it("a hook, a launch and the compile cache load nothing of Effect", () => {
  const read = (name: string) => fs.readFileSync(join(folder, name), "utf8")
  const parts = "/effect/dist/"
  assert.include(read("chunks/program.cjs"), parts)
  for (const late of ["CompileCache", "HookEntry", "HookReader", "LaunchEntry"])
    assert.include(read("souffleur.cjs"), `require("./chunks/errand.cjs")).then((n) => n.${late}_exports)`)
  const files = new Set(["souffleur.cjs", "hook.cjs", "launch.cjs", "chunks/errand.cjs"])
  for (const file of files) {
    assert.notInclude(read(file), parts, file)
    for (const name of loadedFirst(read(file))) if (name.startsWith(".")) files.add(join(dirname(file), name))
  }
})

it("the bundle loads the parts of Node that few commands call with their first use", () => {
  const late = ["child_process", "crypto", "readline", "worker_threads"].map((name) => `node:${name}`)
  for (const name of fs.readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    if (!name.endsWith(".cjs")) continue
    for (const one of loadedFirst(fs.readFileSync(join(folder, name), "utf8"))) assert.notInclude(late, one, name)
  }
})

it("each file of the bundle is ASCII, which V8 keeps in half the memory", () => {
  for (const name of fs.readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    if (!/\.c?js$/u.test(name)) continue
    const text = fs.readFileSync(join(folder, name), "utf8")
    assert.match(text, /^[\0-\x7f]*$/u, name)
  }
})

it("the parts of Node that few commands need are loaded with their first use", () => {
  for (const name of ["program.cjs", "status.cjs", "run.cjs"]) {
    const text = fs.readFileSync(join(folder, "chunks", name), "utf8")
    assert.notInclude(importedBy(text), "node:crypto")
    assert.notInclude(importedBy(text), "node:child_process")
  }
  const text = fs.readFileSync(join(folder, "chunks", "program.cjs"), "utf8")
  // Effect's help measures its columns by graphemes.
  assert.notMatch(text, /^(?:const|let|var) \w+ = new Intl\.Segmenter/mu)
  assert.include(text, "new Intl.Segmenter")
})

it.live("a command that writes the person's time loads no zones of the world", () =>
  Effect.gen(function* () {
    const home = fs.mkdtempSync(join(tmpdir(), "souffleur-zone-"))
    yield* Effect.addFinalizer(() => Effect.sync(() => fs.rmSync(home, { recursive: true })))
    const throws = "Intl.DateTimeFormat = function () { throw new Error('zones') }"
    const words = ["--import", `data:text/javascript,${encodeURIComponent(throws)}`, bundle, "status"]
    const { status, stderr } = spawnSync(process.execPath, words, { encoding: "utf8", cwd: home, env: { HOME: home } })
    assert.strictEqual(status, 0, stderr)
  })
)

it.live("the bundle runs alone in another folder", () =>
  Effect.gen(function* () {
    const home = fs.mkdtempSync(join(tmpdir(), "souffleur-alone-"))
    yield* Effect.addFinalizer(() => Effect.sync(() => fs.rmSync(home, { recursive: true })))
    fs.cpSync(folder, join(home, "dist"), { recursive: true })
    const alone = join(home, "dist", "souffleur.cjs")
    const { status, stdout } = spawnSync(process.execPath, [alone, "config", "--json", "--project-dir", home], {
      encoding: "utf8",
      env: { HOME: home }
    })
    assert.strictEqual(status, 0)
    assert.strictEqual(JSON.parse(stdout)["force_compact_threshold_tokens"], 400_000)
  })
)

it("the bundle names a Node that is too old, in a sentence", () => {
  const { status, stderr, stdout } = spawnSync(process.execPath, ["--no-experimental-sqlite", bundle, "status"], {
    encoding: "utf8"
  })
  assert.deepStrictEqual([status, stdout], [2, ""])
  assert.strictEqual(
    stderr,
    `souffleur: Node 22.19 or newer is needed, and this is ${process.version}: install a newer Node\n`
  )
})

it("a command of which files are missing says so, and ends", () => {
  const home = fs.mkdtempSync(join(tmpdir(), "souffleur-broken-"))
  fs.copyFileSync(bundle, join(home, "souffleur.mjs"))
  const { signal, status, stderr } = spawnSync(process.execPath, [join(home, "souffleur.mjs"), "status"], {
    encoding: "utf8",
    env: { HOME: home },
    timeout: 30_000
  })
  fs.rmSync(home, { recursive: true })
  assert.deepStrictEqual([signal, status], [null, 70])
  assert.strictEqual(stderr, "souffleur: files of its program are missing: install it again\n")
})

liveCase("an errand is started by its own file, also where npm starts the command by a link", () =>
  Effect.gen(function* () {
    const the = yield* stage([task(1)])
    const linked = join(the.home, "souffleur")
    fs.symlinkSync(bundle, linked)
    for (const script of [bundle, linked]) {
      const { code } = yield* the.spawned(process.execPath, [script, "hooks", "install"]).ended
      assert.strictEqual(code, 0)
      const settings = fs.readFileSync(join(the.project, ".claude", "settings.local.json"), "utf8")
      assert.include(settings, `'${process.execPath}' '${join(folder, "hook.cjs")}' hook`)
      fs.rmSync(join(the.project, ".claude"), { recursive: true })
    }
    const watch = the.watch(yield* the.conductor(), "--guardian")
    yield* prints(watch, "WatchSettled")
    const started = Effect.gen(function* () {
      const processes = yield* ProcessesPort
      const found = yield* processes.tagged({ environment: { HOME: the.home } })
      return yield* Effect.forEach(found, ({ identity }) => processes.commandLine(identity.pid))
    }).pipe(Effect.provide(Processes.layer), Effect.orDie)
    yield* until(started, (lines) =>
      lines.some(
        ([, gc, compilers, entry, errand]) =>
          [gc, compilers, entry, errand].join(" ") ===
          `--expose-gc --jitless ${join(folder, "guardian.cjs")} __guardian`
      )
    )
  })
)

liveCase("the demonstration runs to its end from the bundle alone, in a folder of its own", () =>
  Effect.gen(function* () {
    const the = yield* stage([])
    const version = yield* the.run(["--version"])
    assert.deepStrictEqual(version, { code: 0, lines: [`souffleur v${manifest.version}`], errors: "" })
    const { code, errors, lines } = yield* the.run(["demo"], { TMPDIR: the.home })
    assert.strictEqual(code, 0, `${errors}\n${lines.join("\n")}`)
    assert.strictEqual(errors, "")
    assert.match(lines.join("\n"), /One Conductor at a time, and no work lost/)
    // The commands that it suggests next work.
    const kept = /SOUFFLEUR_STATE_DIR=(\S+) souffleur /u.exec(lines.join("\n"))?.[1] ?? ""
    assert.isTrue(fs.existsSync(join(kept, "souffleur.db")))
  })
)

liveCase("the demonstration of a plan conducts it to its end, though its conductor is killed half-way", () =>
  Effect.gen(function* () {
    const the = yield* stage([])
    const { code, errors, lines } = yield* the.run(["demo", "conduct"], { TMPDIR: the.home })
    const text = lines.join("\n")
    assert.strictEqual(code, 0, `${errors}\n${text}`)
    assert.match(text, /1\/2 overture: done, verified, [^\n]*2 attempts/u)
    assert.match(text, /no work lost, and none done twice/u)
  })
)
