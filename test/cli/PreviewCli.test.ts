import { assert, describe, it } from "@effect/vitest"
import type { Preview } from "@souffleur/embed/internal"
import { Effect } from "effect"
import * as fs from "node:fs"
import { join } from "node:path"
import { bundle, prints, stage, task, until } from "./CliStage.ts"

/** Names an id as a preview does, which cannot know it. */
const named = (text: string, ids: Readonly<Record<string, string>>) =>
  Object.entries(ids).reduce((all, [name, id]) => all.replaceAll(id, name), text)

describe("behaviour#first-launch", () => {
  it.live("a command that runs elsewhere is named before it starts, by a preview and by the start", () =>
    Effect.gen(function* () {
      const the = yield* stage([])
      fs.rmSync(the.comms)
      const docker = join(the.home, "docker")
      fs.writeFileSync(docker, "#!/bin/sh\n", { mode: 0o755 })
      const words = ["--", docker, "exec", "box", "make"]
      const dry = yield* the.run(["run", "--dry-run", "--json", ...words])
      const { sees }: Preview = JSON.parse(dry.lines.join("\n"))
      assert.match(sees.config.warnings.join("\n"), /^docker runs its work elsewhere/u)
      assert.match((yield* the.run(["run", ...words])).errors, /docker runs its work elsewhere/u)
      const here = yield* the.run(["run", "--", "/bin/true"])
      assert.notInclude(here.errors, "elsewhere")
    })
  )
})

describe("command-line#preview", () => {
  it.live("the command lines of a dry run are those that run and its recovery then launch", () =>
    Effect.gen(function* () {
      const the = yield* stage([task(1, 50), task(2, 50)])
      fs.rmSync(the.comms)
      const agent = join(the.home, "claude-code", "claude")
      fs.mkdirSync(join(the.home, "claude-code"))
      // The first life hangs. Each life notes its arguments, and its launch in front of them.
      const life = '[ "$1" = --version ] || printf "%s\\n" "$SOUFFLEUR_LAUNCH_ID" "$@" > "words-$SOUFFLEUR_LAUNCH_ID"'
      const hang = "[ -e lived ] || { touch lived; export SOUFFLEUR_STANDIN_HANG_AT=2; }"
      const drop = 'shift 2; [ "${1#--settings=}" = "$1" ] || shift'
      fs.writeFileSync(
        agent,
        `#!/bin/sh\n${life}\n[ "$1" = --version ] && exec echo 1\n${hang}\n${drop}\nexec '${process.execPath}' '${bundle}' __stand-in "$@"\n`,
        { mode: 0o755 }
      )
      const words = ["--", agent, "--model", "opus", "--", "--odd; prompt"]
      const dry = yield* the.run(["run", "--dry-run", "--json", ...words])
      assert.strictEqual(dry.code, 0, dry.errors)
      assert.isFalse(fs.existsSync(the.state))
      assert.isFalse(fs.existsSync(join(the.project, "lived")))
      const { ends, starts }: Preview = JSON.parse(dry.lines.join("\n"))

      const run = the.start(["run", "--json", ...words])
      const first = yield* prints(run, "ConductorConfirmed")
      yield* prints(run, "WatchSettled")
      yield* until(
        Effect.sync(() => the.conversation(String(first["sessionId"]))),
        (text) => text.includes("scene-2.txt")
      )
      process.kill((first["conductor"] as { pid: number }).pid, "SIGKILL")
      const next = yield* prints(run, "ConductorRelaunched")
      assert.deepStrictEqual(yield* run.ended, { code: 0, signal: null }, run.errors())

      const launched = (launchId: string) =>
        fs
          .readFileSync(join(the.project, `words-${launchId}`), "utf8")
          .trim()
          .split("\n")
          .slice(1)
      const firstLaunch = (yield* the.events).find(({ _tag }) => _tag === "LaunchPrepared")!
      const ids = { SESSION_ID: String(first["sessionId"]) }
      assert.deepStrictEqual(
        launched(String(firstLaunch["launchId"])).map((word) => named(word, ids)),
        starts?.args
      )
      const way = ends.find(({ end }) => end === "killed")!.ways.find(({ provider }) => provider === next["provider"])
      const exported = next["exportPath"] === null ? "no export" : String(next["exportPath"])
      const later = { [join(the.state, "exports", "EXPORT")]: exported, NEXT_SESSION_ID: String(next["sessionId"]) }
      assert.deepStrictEqual(
        launched(String(next["launchId"])).map((word) => named(word, { ...ids, ...later })),
        way?.lines?.at(-1)?.args
      )
    })
  )
})
