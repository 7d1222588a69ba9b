import { assert, describe, it } from "@effect/vitest"
import { allRuns, RunLog } from "@souffleur/plan"
import { leastPin, pinOf, Processes, wordOf, parseConfigFile, type WatchEvent } from "@souffleur/domain"
import { Duration, Effect, FileSystem, Layer, Option } from "effect"
import { TestConsole } from "effect/testing"
import {
  callingSession,
  goingOn,
  layerAgentFiles,
  layerHost,
  layerSouffleur,
  layerStore,
  opening,
  settingsOf
} from "@souffleur/embed/internal"
import { agentKind } from "../src/agent/Kind.ts"
import { cli } from "../src/Cli.ts"
import { orTrusted } from "../src/person/TrustQuestion.ts"
import { Environment } from "../src/world/CommandEnvironment.ts"
import { place, services, watching } from "./mcp/McpPlace.ts"
import { typedAt } from "./TypedAt.ts"

const bypass = "MAX_EXTERNAL_PERMISSION=bypassPermissions\n"
const pinned = (text: string) => pinOf(wordOf(parseConfigFile(text)))

/** A project whose config file can be written, and what is said on standard error. */
const project = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const the = yield* place({ comms: false })
  const folder = `${the.project}/.orchestra_configs`
  yield* fs.makeDirectory(folder)
  const said = Effect.fnUntraced(function* <A, E, R>(does: Effect.Effect<A, E, R>) {
    const before = (yield* TestConsole.errorLines).length
    const came = yield* Effect.result(does)
    return { came, errors: (yield* TestConsole.errorLines).slice(before).join("\n") }
  })
  /** A command line; its exit code. */
  const run = (args: ReadonlyArray<string>, variables: Readonly<Record<string, string>> = {}) =>
    said(
      Effect.match(cli([...args, "--project-dir", the.project]), {
        onFailure: ({ code }) => code,
        onSuccess: () => 0
      }).pipe(the.as("", variables))
    )
  return {
    ...the,
    config: (text: string) => fs.writeFileString(`${folder}/souffleur`, text),
    opens: (variables: Readonly<Record<string, string>> = {}) => said(opening(the.project).pipe(the.as("", variables))),
    run,
    said,
    trustFiles: Effect.orElseSucceed(fs.readDirectory(`${the.stateDir}/trust`), () => [])
  }
})
const tags = (events: ReadonlyArray<WatchEvent>) => events.map(({ _tag }) => _tag)
const ended = (came: { readonly _tag: string; readonly success?: unknown }) =>
  came._tag === "Success" ? came.success : "it failed"

describe("behaviour#trust", () => {
  it.layer(services)((it) => {
    it.effect(
      "a first file with a program, a variable or a higher ceiling opens nothing until a person trusts it",
      () =>
        Effect.gen(function* () {
          const the = yield* project
          const fs = yield* FileSystem.FileSystem
          for (const text of [
            "NOTIFY=command:/opt/tell KEY",
            "AGENT_COMMAND=/opt/agent",
            "AGENT_ENVIRONMENT=A_NAME",
            "RECOVERY_COMMAND=/opt/back",
            "EXPORT_COMMAND=/opt/export",
            'TERMINAL_COMMAND=["foot"]',
            bypass
          ]) {
            yield* the.config(text)
            const { came } = yield* the.opens()
            if (came._tag === "Success" || came.failure._tag !== "ConfigUntrusted") return assert.fail(text)
            assert.include(came.failure.message, text.split("=")[0]!)
            assert.match(came.failure.message, /not trusted yet$/u)
            assert.notInclude(came.failure.message, "KEY")
            assert.deepStrictEqual(yield* the.trustFiles, [])
          }
          yield* the.config("STOP_GRACE=3 seconds\nMAX_TOKENS=7\n")
          assert.strictEqual((yield* the.opens()).came._tag, "Success")
          yield* the.config(`${bypass}NOTIFY=command:/opt/tell KEY\n`)
          assert.strictEqual(ended((yield* the.run(["config", "--trust"])).came), 0)
          const files = yield* the.trustFiles
          assert.lengthOf(files, 2)
          for (const file of files)
            assert.strictEqual((yield* fs.stat(`${the.stateDir}/trust/${file}`)).mode & 0o777, 0o600)
          const { came } = yield* the.opens()
          if (came._tag === "Failure") return assert.fail()
          assert.strictEqual(came.success.settings.maxExternalPermission, "bypassPermissions")
          assert.deepStrictEqual(came.success.pin, yield* pinned(`${bypass}NOTIFY=command:/opt/tell KEY`))
        })
    )
    it.effect("each way in ends with 2 and the line to type, and runs no program of the file", () =>
      Effect.gen(function* () {
        const the = yield* project
        const fs = yield* FileSystem.FileSystem
        const [proof, program] = [`${the.project}/proof`, `${the.project}/evil`]
        yield* fs.writeFileString(program, `#!/bin/sh\necho ran >> '${proof}'\n`, { mode: 0o755 })
        yield* the.config(`NOTIFY=command:${program}\n`)
        const inFolder = ["--project-dir", the.project]
        for (const words of [
          ["run", ...inFolder, "--", "/bin/true"],
          ["run", "--detach", ...inFolder, "--", "/bin/true"],
          ["run", "--dry-run", ...inFolder, "--", "/bin/true"],
          ["watch", "--pid", String(process.pid), "--session-id", "s1", ...inFolder],
          ["notify", "--test", ...inFolder],
          // The server of tools knows its folder by its agent.
          ["mcp"]
        ]) {
          const { came, errors } = yield* the.said(
            Effect.match(cli(words), { onFailure: ({ code }) => code, onSuccess: () => 0 }).pipe(the.as(""))
          )
          assert.strictEqual(ended(came), 2, `${words.join(" ")}: ${errors}`)
          assert.match(errors, /NOTIFY is not trusted yet: .*souffleur config --trust/u)
        }
        assert.isFalse(yield* fs.exists(proof))
      })
    )
    it.effect(
      "trust is of the file itself: it counts from a folder below, and a changed or removed file frees nothing",
      () =>
        Effect.gen(function* () {
          const the = yield* project
          const fs = yield* FileSystem.FileSystem
          const below = `${the.project}/pkg`
          yield* fs.makeDirectory(`${below}/.orchestra_configs`, { recursive: true })
          const fromBelow = Effect.map(Effect.result(opening(below).pipe(the.as(""))), ({ _tag }) => _tag)
          yield* the.config("NOTIFY=command:/opt/tell\n")
          yield* the.run(["config", "--trust"])
          assert.strictEqual(yield* fromBelow, "Success")
          yield* the.config("NOTIFY=command:/tmp/evil\n")
          assert.strictEqual(yield* fromBelow, "Failure")
          assert.strictEqual((yield* the.opens()).came._tag, "Failure")
          yield* the.config("NOTIFY=command:/opt/tell\n")
          yield* fs.writeFileString(`${below}/.orchestra_configs/souffleur`, "NOTIFY=command:/opt/tell\n")
          assert.strictEqual(yield* fromBelow, "Failure")
          yield* fs.remove(`${the.project}/.orchestra_configs/souffleur`)
          assert.strictEqual((yield* the.opens()).came._tag, "Failure")
          yield* the.run(["config", "--trust"])
          assert.strictEqual((yield* the.opens()).came._tag, "Success")
        })
    )
    it.effect("an agent's session opens under what its start gave it, however high the trusted file is", () =>
      Effect.gen(function* () {
        const the = yield* project
        yield* the.config(bypass)
        yield* the.run(["config", "--trust"])
        const asked = (pin: "acceptEdits" | "bypassPermissions", mark?: string) =>
          Effect.gen(function* () {
            const settings = yield* settingsOf(the.project)
            const { pin: given } = yield* opening(the.project)
            const session = yield* callingSession(agentKind, mark === undefined ? {} : { [mark]: "1" }).pipe(
              Effect.provide([layerStore(settings), Layer.provideMerge(layerAgentFiles(settings), layerHost)])
            )
            assert.strictEqual(given.ceiling, "bypassPermissions")
            assert.strictEqual(session?.ceiling, pin)
          }).pipe(the.as(""))
        yield* asked("acceptEdits", "CLAUDECODE")
        const ancestor = yield* Effect.gen(function* () {
          const processes = yield* Processes
          return Option.getOrThrow(yield* processes.find((yield* processes.ancestors)[0]!)).identity
        }).pipe(Effect.provide(layerHost))
        const [opened, ...rest] = watching({ project: "/another", comms: null, conductor: ancestor })
        yield* the.watch("of-ours", [
          { ...opened!, pin: { ...leastPin, ceiling: "bypassPermissions" } } as WatchEvent,
          ...rest
        ])
        yield* asked("bypassPermissions", "CLAUDECODE")
        yield* asked("bypassPermissions")
      })
    )
    it.effect("a record of trust that is damaged or readable for others is refused, and doctor reports it", () =>
      Effect.gen(function* () {
        const the = yield* project
        const fs = yield* FileSystem.FileSystem
        yield* the.run(["config", "--trust"])
        const [record = ""] = yield* the.trustFiles
        const file = `${the.stateDir}/trust/${record}`
        for (const spoil of [fs.chmod(file, 0o644), fs.writeFileString(file, "{}"), fs.writeFileString(file, "")]) {
          yield* spoil
          const { came } = yield* the.opens()
          if (came._tag === "Success" || came.failure._tag !== "ConfigUntrusted") return assert.fail("it was opened")
          assert.match(came.failure.message, /what was trusted of /u)
          yield* fs.chmod(file, 0o600)
        }
        // The program of a file whose trust is in doubt is not asked of its login.
        const [program, ran] = [`${the.stateDir}/claude`, `${the.stateDir}/ran`]
        yield* fs.writeFileString(program, `#!/bin/sh\ntouch '${ran}'\n`, { mode: 0o700 })
        yield* the.config(`AGENT_COMMAND=${program}\n`)
        const from = (yield* TestConsole.logLines).length
        assert.strictEqual(ended((yield* the.run(["doctor", "--json"])).came), 1)
        assert.isFalse(yield* fs.exists(ran))
        const findings = JSON.parse((yield* TestConsole.logLines).slice(from).join("\n")) as ReadonlyArray<
          Record<string, unknown>
        >
        assert.strictEqual(findings.find(({ check }) => check === "trust")?.["level"], "wrong")
        yield* the.run(["config", "--trust"])
        assert.strictEqual((yield* the.opens()).came._tag, "Success")
      })
    )
    it.effect("a program of the environment outranks the file, which then needs no trust", () =>
      Effect.gen(function* () {
        const the = yield* project
        for (const key of ["AGENT_COMMAND", "AGENT_ENVIRONMENT", "RECOVERY_COMMAND", "EXPORT_COMMAND", "NOTIFY"]) {
          const value = (name: string) =>
            key === "AGENT_ENVIRONMENT" ? name.toUpperCase() : key === "NOTIFY" ? `ntfy:${name}` : `/opt/${name}`
          yield* the.config(`${key}=${value("evil")}\n`)
          const { came } = yield* the.opens()
          if (came._tag === "Success" || came.failure._tag !== "ConfigUntrusted") return assert.fail(key)
          assert.match(came.failure.message, new RegExp(`${key} is not trusted yet$`, "u"))
          // A value that a person sets in the environment outranks the file, and does not trust it.
          const own = yield* the.opens({ [`SOUFFLEUR_${key}`]: value("own") })
          if (own.came._tag === "Failure") return assert.fail(key)
          assert.deepStrictEqual(own.came.success.pin, leastPin)
        }
      })
    )
    it.effect("a lower ceiling needs no word, nor does its return to what was trusted", () =>
      Effect.gen(function* () {
        const the = yield* project
        yield* the.config(bypass)
        yield* the.run(["config", "--trust"])
        yield* the.config("")
        const lowered = yield* the.opens()
        assert.strictEqual(lowered.errors, "")
        if (lowered.came._tag === "Failure") return assert.fail()
        assert.strictEqual(lowered.came.success.pin.ceiling, "acceptEdits")
        yield* the.config(bypass)
        const back = yield* the.opens()
        if (back.came._tag === "Failure") return assert.fail()
        assert.strictEqual(back.came.success.pin.ceiling, "bypassPermissions")
      })
    )
    it.effect(
      "a watch that goes on keeps the programs and the ceiling that it was opened with, whatever the file says now",
      () =>
        Effect.gen(function* () {
          const the = yield* project
          const fs = yield* FileSystem.FileSystem
          yield* the.config(
            "AGENT_COMMAND=/opt/agent\nEXPORT_COMMAND=/opt/export\nMAX_TOKENS=500\nSTOP_GRACE=3 seconds\n"
          )
          yield* the.run(["config", "--trust"])
          const { came } = yield* the.opens()
          if (came._tag === "Failure") return assert.fail()
          const { pin } = came.success
          for (const text of [
            `${bypass}AGENT_COMMAND=/tmp/evil\nNOTIFY=command:/tmp/evil\nMAX_TOKENS=501\nQUIET_HOURS=00:00-23:59\nSTOP_GRACE=13 days\n`,
            "",
            "AGENT_COMMAND=/opt/agent\nEXPORT_COMMAND=/opt/export\n"
          ]) {
            yield* the.config(text)
            const settings = yield* goingOn(the.project, pin).pipe(the.as(""))
            const { agentCommand, exportCommand, maxExternalPermission, maxTokens, notify, quietHours } = settings
            assert.deepStrictEqual([quietHours, Duration.toSeconds(settings.stopGrace)], [null, 3])
            assert.deepStrictEqual(
              [agentCommand, exportCommand, notify, maxExternalPermission, maxTokens],
              ["/opt/agent", "/opt/export", [], "acceptEdits", 500]
            )
          }
          yield* the.config(
            "AGENT_COMMAND=/opt/agent\nEXPORT_COMMAND=/opt/export\nMAX_TOKENS=499\nQUIET_HOURS=1:00-2:00\n"
          )
          assert.strictEqual((yield* goingOn(the.project, pin).pipe(the.as(""))).maxTokens, 499)
          assert.strictEqual((yield* the.opens({ SOUFFLEUR_MAX_TOKENS: "9" })).came._tag, "Success")
          // A file that does not hold what its name says does not count.
          for (const file of (yield* the.trustFiles).filter((name) => name.endsWith(".program")))
            yield* fs.writeFileString(`${the.stateDir}/trust/${file}`, "/tmp/evil")
          yield* goingOn(the.project, pin).pipe(the.as(""))
          yield* the.config("")
          const lost = yield* Effect.flip(goingOn(the.project, pin).pipe(the.as("")))
          assert.match(
            lost._tag === "ConfigUntrusted" ? lost.message : "",
            /which AGENT_COMMAND, EXPORT_COMMAND this goes on with is lost/u
          )
          const own = yield* goingOn(the.project, pin).pipe(
            the.as("", { SOUFFLEUR_AGENT_COMMAND: "/own", SOUFFLEUR_EXPORT_COMMAND: "/own" })
          )
          assert.strictEqual(own.agentCommand, "/own")
        })
    )
    it.effect(
      "config --trust accepts the file for its project, its unfinished watches and its runs, and for no other project",
      () =>
        Effect.gen(function* () {
          const the = yield* project
          const base = { project: the.project, comms: null }
          yield* the.watch("here", watching(base))
          yield* the.watch("over", [...watching(base), { _tag: "WatchReleased", at: 1000, exportPath: null, to: null }])
          yield* the.watch("there", watching({ ...base, project: "/another" }))
          const log = layerStore(yield* settingsOf(the.project).pipe(the.as("")))
          const open = {
            _tag: "RunOpened",
            at: 1,
            workflowId: "w",
            project: the.project,
            workTree: null,
            plan: "/p",
            digest: "d",
            tasks: [],
            pin: leastPin,
            finishingDigest: null,
            branch: null
          } as const
          yield* Effect.provide(
            RunLog.use((log) => log.append("run/r", 0, [open])),
            log
          )
          yield* the.config(`${bypass}NOTIFY=command:/opt/tell\n`)
          assert.deepStrictEqual(ended((yield* the.run(["config", "--trust"])).came), 0)
          const pin = yield* pinned(`${bypass}NOTIFY=command:/opt/tell`)
          assert.deepInclude((yield* the.events("here")).at(-1), { _tag: "TrustGiven", pin, by: "config" })
          assert.deepStrictEqual(tags(yield* the.events("over")).at(-1), "WatchReleased")
          assert.deepStrictEqual(tags(yield* the.events("there")).at(-1), "WatchSettled")
          assert.deepStrictEqual((yield* Effect.provide(allRuns, log))[0]?.run.pin, pin)
          const { came, errors } = yield* the.opens()
          assert.deepStrictEqual([came._tag, errors], ["Success", ""])
          // Said again, it changes nothing.
          yield* the.run(["config", "--trust"])
          assert.lengthOf(yield* the.events("here"), watching(base).length + 1)
        })
    )
    it.effect("config and doctor say which settings are in force, what the file says, and whether it is trusted", () =>
      Effect.gen(function* () {
        const the = yield* project
        const shown = Effect.gen(function* () {
          const before = (yield* TestConsole.logLines).length
          yield* the.run(["config", "--json"])
          const json = JSON.parse((yield* TestConsole.logLines).slice(before).join("\n"))
          const from = (yield* TestConsole.logLines).length
          yield* the.run(["doctor", "--json"])
          const findings = JSON.parse((yield* TestConsole.logLines).slice(from).join("\n")) as ReadonlyArray<
            Record<string, unknown>
          >
          const { detail, level } = findings.find(({ check }) => check === "trust")!
          return { in_force: json.max_external_permission, trusted: json.trusted, file: json.file, level, detail }
        })
        yield* the.config("")
        assert.deepInclude(yield* shown, { in_force: "acceptEdits", trusted: "yes", level: "ok" })
        yield* the.config(bypass)
        const raised = yield* shown
        assert.deepInclude(raised, {
          in_force: "acceptEdits",
          trusted: "not yet",
          file: { max_external_permission: "bypassPermissions", asks_for: ["MAX_EXTERNAL_PERMISSION"] },
          level: "wrong"
        })
        assert.include(String(raised.detail), "bypassPermissions")
        yield* the.config("NOTIFY=command:/tmp/evil")
        assert.deepInclude(yield* shown, { trusted: "not yet", level: "wrong" })
        yield* the.run(["config", "--trust"])
        assert.deepInclude(yield* shown, { trusted: "yes", level: "ok" })
      })
    )
    it.effect("a person at a terminal is asked, and shown what the file asks for; an agent's session is not", () =>
      Effect.gen(function* () {
        const the = yield* project
        yield* the.config(`${bypass}NOTIFY=command:/opt/\u001B[2Jtell\nSTOP_GRACE=3 seconds\n`)
        const settings = yield* settingsOf(the.project).pipe(the.as(""))
        const asked = Effect.fnUntraced(function* (keys: ReadonlyArray<string>, session = "", swapped?: string) {
          const shown: Array<string> = []
          const came = yield* orTrusted(the.project, opening(the.project)).pipe(
            Effect.provide(Layer.provideMerge(layerSouffleur(settings), layerHost)),
            Effect.updateService(Environment, (surroundings) => ({ ...surroundings, interactive: true })),
            the.as(session),
            typedAt(keys, shown, swapped === undefined ? Effect.void : Effect.orDie(the.config(swapped))),
            Effect.result
          )
          const trusted = (yield* the.trustFiles).length > 0
          return {
            came: came._tag === "Success" ? came.success.pin : came.failure._tag,
            shown: shown.join(""),
            trusted
          }
        })
        const no = yield* asked(["n"])
        assert.deepInclude(no, { came: "ConfigUntrusted", trusted: false })
        assert.include(no.shown, `${the.project}/.orchestra_configs/souffleur asks for what is not trusted. Trust it?`)
        assert.include(no.shown, "MAX_EXTERNAL_PERMISSION=bypassPermissions; NOTIFY=command:/opt/\\u001b[2Jtell")
        assert.notInclude(no.shown, "STOP_GRACE")
        // Nothing typed, as by Ctrl-D.
        assert.deepInclude(yield* asked([]), { came: "ConfigUntrusted", trusted: false })
        assert.deepStrictEqual(yield* asked(["y"], "s1"), { came: "ConfigUntrusted", shown: "", trusted: false })
        // What nobody was shown is not trusted.
        const swap = yield* asked(["y"], "", `${bypass}NOTIFY=command:/opt/other\n`)
        assert.deepInclude(swap, { came: "ConfigUntrusted", trusted: false })
        assert.notInclude(swap.shown, "/opt/other")
        const yes = yield* asked(["y"])
        assert.isTrue(yes.trusted)
        assert.deepInclude(yes.came, { ceiling: "bypassPermissions" })
        assert.strictEqual((yield* asked([])).shown, "", "once")
      })
    )
    it.effect("retry --ceiling pins it for one watch, and says where the file is lower and holds", () =>
      Effect.gen(function* () {
        const the = yield* project
        yield* the.watch("w", watching({ project: the.project, comms: null }))
        const { came, errors } = yield* the.run(["retry", "--ceiling", "bypassPermissions"])
        assert.strictEqual(ended(came), 0)
        assert.include(errors, "the config file says MAX_EXTERNAL_PERMISSION=acceptEdits, which is lower, and holds")
        const pin = { ...leastPin, ceiling: "bypassPermissions" } as const
        assert.deepInclude((yield* the.events("w")).at(-1), { _tag: "TrustGiven", pin, by: "retry" })
        yield* the.config(bypass)
        assert.strictEqual((yield* the.run(["retry", "--ceiling", "bypassPermissions"])).errors, "")
        assert.strictEqual(ended((yield* the.run(["retry", "--ceiling", "root"])).came), 2)
      })
    )
  })
})

describe("command-line#config", () => {
  it.layer(services)((it) => {
    it.effect("config says of each value where it comes from", () =>
      Effect.gen(function* () {
        const the = yield* project
        yield* the.config("STOP_GRACE=3 seconds\n")
        const before = (yield* TestConsole.logLines).length
        yield* the.run(["config"], { SOUFFLEUR_STATE_DIR: the.stateDir, SOUFFLEUR_LAUNCHER: "headless" })
        const shown = (yield* TestConsole.logLines).slice(before).join("\n")
        assert.match(shown, /^stop_grace +3 seconds \(line 1 of the file\)$/mu)
        assert.match(shown, /^launcher +headless \(SOUFFLEUR_LAUNCHER\)$/mu)
        assert.match(shown, /^state_dir +\/.*\/state \(SOUFFLEUR_STATE_DIR\)$/mu)
        for (const name of ["max_time", "notify"])
          assert.match(shown, new RegExp(`^${name} +none \\(default\\)$`, "mu"))
      })
    )
  })
})

describe("settings#gate", () => {
  it.layer(services)((it) => {
    it.effect("config tells the gate: by the window, or by the settings that outrank it", () =>
      Effect.gen(function* () {
        const the = yield* project
        assert.match((yield* the.run(["config"])).errors, /^gate: where the model's window is known, /mu)
        yield* the.config("FORCE_COMPACT=7\nTRIM_CHARS=90\n")
        assert.match((yield* the.run(["config"])).errors, /^gate: an export is cut to 90 .* above 7 tokens /mu)
      })
    )
  })
})
