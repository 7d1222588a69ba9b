import { assert, describe, it } from "@effect/vitest"
import { CommsSchema } from "@souffleur/comms"
import { Effect, FileSystem, Stdio, Stream } from "effect"
import { TestConsole } from "effect/testing"
import { join } from "node:path"
import { cli } from "../src/Cli.ts"
import { Environment } from "../src/world/CommandEnvironment.ts"
import { services } from "./mcp/McpPlace.ts"
import { surroundingsIn } from "./Surroundings.ts"

const id = "11111111-1111-4111-8111-111111111111"
const nobody = "4190000"
const at = (pid: string, session: string) => ["watch", "--pid", pid, "--session-id", session]

interface Bad {
  readonly args: ReadonlyArray<string>
  /** In the one line on standard error. */
  readonly says: RegExp
  readonly code?: number
  readonly env?: Readonly<Record<string, string>>
  readonly stdin?: string
  /** On standard output. */
  readonly out?: ReadonlyArray<string>
}

const bad = (home: string): ReadonlyArray<Bad> => [
  ...["letters", "-1", "0", "../../x", "*", "", "12.5", "4194305", "9".repeat(400)].map((pid) => ({
    args: at(pid, id),
    says: /is no process id: a whole number/
  })),
  { args: at("1", id), says: /pid 1 is the machine's first process/ },
  { args: at(String(process.pid), id), says: /is souffleur itself/ },
  ...["../../x", "*", "", "-1", "a b", "$(touch x)", "x".repeat(5000)].map((session) => ({
    args: at(nobody, session),
    says: /is no session id/
  })),
  { args: at(nobody, "--permission-mode=bypassPermissions"), says: /Unrecognized flag/ },
  { args: ["watch", "PID:12"], says: /exactly one SESSION_ID:… is needed/ },
  { args: ["watch", "PID:12", "PID:13", `SESSION_ID:${id}`], says: /exactly one PID:… is needed/ },
  { args: ["watch", "PID:12", "SESSION_ID:../../x"], says: /is no session id/ },
  { args: ["watch", "PID:12", `SESSION_ID:${id}`, "--pid", "12"], says: /named twice/ },
  ...["", "PID:12", "PID:12 SESSION_ID:$(touch x)", `PID:12; touch x SESSION_ID:${id}`, "--force"].map((stdin) => ({
    args: ["watch", "--detach", "-"],
    stdin,
    says: /exactly one (?:PID|SESSION_ID):… is needed|is no session id|is no process id/
  })),
  { args: ["watch", "-"], stdin: `PID:1 SESSION_ID:${id}\nmore`, says: /pid 1 is the machine's first process/ },
  { args: ["watch", "--pid", "12"], says: /given together/ },
  { args: ["watch"], says: /which Conductor\?/ },
  { args: [...at(nobody, id), "--comms", "nowhere.db"], says: /nowhere\.db: it is not there/ },
  { args: [...at(nobody, id), "--comms", "plan.json"], says: /plan\.json: file is not a database/ },
  { args: [...at(nobody, id), "--project-dir", "nowhere"], says: /project folder "nowhere" is not there/ },
  { args: ["config", "--project-dir", "plan.json"], says: /no folder, or cannot be read/ },
  {
    args: at(nobody, id),
    env: { SOUFFLEUR_AGENT_COMMAND: "no-such-agent" },
    says: /cannot run no-such-agent: there is no program/
  },
  {
    args: at(nobody, id),
    env: { SOUFFLEUR_AGENT_COMMAND: '["claude","--permission-mode=bypassPermissions"]' },
    says: /part 2 .* permission ceiling/
  },
  {
    args: at(nobody, id),
    env: { SOUFFLEUR_AGENT_COMMAND: '["env","sh","--dangerously-skip-permissions"]' },
    says: /part 3 .* permission flag/
  },
  { args: at(nobody, id), env: { SOUFFLEUR_LAUNCHER: "tmux" }, says: /SOUFFLEUR_LAUNCHER: tmux needs/ },
  {
    args: ["status"],
    env: { SOUFFLEUR_WATCHER_INTERVAL: "soon" },
    says: /SOUFFLEUR_WATCHER_INTERVAL: must be a duration/
  },
  { args: ["config"], env: { SOUFFLEUR_TRIM_CHARS: "-5" }, says: /SOUFFLEUR_TRIM_CHARS: must be a positive integer/ },
  { args: ["config"], env: { SOUFFLEUR_LAUNCHER: "x" }, says: /must be one of/ },
  { args: ["doctor", "letters"], says: /is no process id/ },
  { args: ["doctor", "12", "--quarantine"], says: /leave the process out/ },
  { args: ["nonsense"], says: /Unknown subcommand "nonsense" for "souffleur"\. See "souffleur --help"/ },
  { args: ["docto"], says: /Unknown subcommand "docto" for "souffleur"; did you mean doctor\? See "souffleur --help"/ },
  {
    args: ["status", "--jsn"],
    says: /in command souffleur status; did you mean --json\? See "souffleur status --help"/
  },
  { args: ["status", "--nonsense"], says: /Unrecognized flag: --nonsense/ },
  { args: ["log", "--from", "letters"], says: /--from/ },
  { args: ["log", "--since", "yesterday"], says: /is no time/ },
  { args: ["state", "--at", "yesterday"], says: /neither a revision nor a UTC time/ },
  { args: ["state", "no-such-watch"], says: /no watch is called/ },
  { args: ["log", "../../x"], says: /no watch is called/ },
  { args: ["release"], says: /no watch of/ },
  { args: ["estimate"], says: /Missing required argument: file/ },
  { args: ["estimate", "nowhere.md"], says: /the export nowhere\.md cannot be read: it is not there/ },
  {
    args: ["estimate", "nowhere.md", "--json"],
    says: /^$/,
    out: ['{"ok":false,"error":"the export nowhere.md cannot be read: it is not there","warnings":[]}']
  },
  {
    args: ["estimate", "/proc/self/mem", "--json"],
    says: /^$/,
    code: 3,
    out: ['{"ok":false,"error":"the export /proc/self/mem cannot be read: Unknown","warnings":[]}']
  },
  { args: ["export", "../../x"], says: /is no session id/ },
  { args: ["export", id], says: /cannot be read: .*: it is not there/ },
  ...["newer", "foreign", "damaged", "text"].map((what) => ({
    args: ["status", "--json"],
    env: { SOUFFLEUR_STATE_DIR: join(home, what) },
    code: 4,
    says: /^souffleur: the event log cannot be used: .*souffleur\.db: /
  })),
  {
    args: at(nobody, id),
    env: { SOUFFLEUR_STATE_DIR: join(home, "newer") },
    code: 4,
    says: /a newer souffleur made it/
  },
  {
    args: ["status"],
    env: { SOUFFLEUR_STATE_DIR: join(home, "opera", "plan.json", "below") },
    code: 2,
    says: /plan\.json\/below: it cannot be made/
  }
]

describe("command-line#conventions", () => {
  /**
   * Runs the command line in this process. Its words and its exit code are as in a process of its own
   * (test/cli/Commands.test.ts).
   */
  it.layer(services)((it) => {
    it.effect("bad usage prints one sentence on standard error and ends with the exit code of its kind", () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const home = yield* fs.realPath(yield* fs.makeTempDirectoryScoped({ prefix: "souffleur-bad-" }))
        const [project, state] = [join(home, "opera"), join(home, "state")]
        yield* fs.makeDirectory(project)
        yield* CommsSchema.init(join(project, "comms.db"))
        yield* fs.writeFileString(join(project, "plan.json"), '{"tasks":[]}')
        const base = {
          PATH: "/usr/local/bin:/usr/bin:/bin",
          HOME: home,
          SOUFFLEUR_STATE_DIR: state,
          SOUFFLEUR_LAUNCHER: "headless"
        }
        const agent = { SOUFFLEUR_AGENT_COMMAND: JSON.stringify([process.execPath]) }
        const run = Effect.fnUntraced(function* (
          args: ReadonlyArray<string>,
          { env = {}, stdin = "" }: Pick<Bad, "env" | "stdin"> = {}
        ) {
          const out = (yield* TestConsole.logLines).length
          const errors = (yield* TestConsole.errorLines).length
          const code = yield* Effect.match(cli(args), { onFailure: (ended) => ended.code, onSuccess: () => 0 }).pipe(
            Effect.provideService(Environment, surroundingsIn(project, { ...base, ...agent, ...env })),
            Effect.provideServiceEffect(
              Stdio.Stdio,
              Effect.map(Stdio.Stdio, (stdio) => ({ ...stdio, stdin: Stream.encodeText(Stream.make(stdin)) }))
            ),
            Effect.scoped
          )
          return {
            code,
            lines: (yield* TestConsole.logLines).slice(out),
            errors: (yield* TestConsole.errorLines).slice(errors).join("\n")
          }
        })

        assert.deepStrictEqual((yield* run(["status", "--json"])).lines, ["[]"])
        const own = Buffer.from(yield* fs.readFile(join(state, "souffleur.db")))
        const spoiled = {
          newer: Buffer.from(own),
          foreign: Buffer.from(yield* fs.readFile(join(project, "comms.db"))),
          damaged: Buffer.from(own),
          text: Buffer.from("to be\n")
        }
        spoiled.newer.writeUInt32BE(99, 60)
        spoiled.damaged.fill(0xff, 100)
        for (const [name, bytes] of Object.entries(spoiled)) {
          yield* fs.makeDirectory(join(home, name), { mode: 0o700 })
          yield* fs.writeFile(join(home, name, "souffleur.db"), bytes)
        }
        for (const { args, code = 2, out = [], says, ...given } of bad(home)) {
          const what = `${args.join(" ").slice(0, 200)} ${JSON.stringify(given)}`
          const found = yield* run(args, given)
          assert.strictEqual(found.code, code, `${what}\n${found.errors}`)
          assert.deepStrictEqual(found.lines, [...out], what)
          assert.match(found.errors, says, what)
          assert.isAtMost(found.errors.split("\n").length, 1, `${what}: one line`)
          assert.isBelow(found.errors.length, 600, what)
        }
        for (const [name, bytes] of Object.entries(spoiled))
          assert.isTrue(bytes.equals(yield* fs.readFile(join(home, name, "souffleur.db"))), `${name} is left as it was`)
        assert.isFalse(yield* fs.exists(join(project, "x")), "no shell reads a session id")
        assert.deepStrictEqual((yield* run(["status", "--json"])).lines, ["[]"], "nothing of it is in the log")
      })
    )
  })
})
