import { assert, describe, it } from "@effect/vitest"
import { Effect, type Scope } from "effect"
import { spawn, spawnSync } from "node:child_process"
import * as fs from "node:fs"
import { dirname, join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { rowsOf } from "../torture/LogFromOutside.ts"
import { alive, bundle, prints, stage, task, until, type Variables } from "../cli/CliStage.ts"

const live = (what: string, test: () => Effect.Effect<void, unknown, Scope.Scope>) => it.live(what, test)

/**
 * Source that is loaded before souffleur. Where its home has a file `sabotage`, a watch that has begun and says so dies
 * of a defect.
 */
const saboteur = `import fs from "node:fs"
const told = console.error
console.error = (...words) => {
  if (/^watch \\S+/.test(words[0]) && fs.existsSync(process.env.HOME + "/sabotage")) throw new RangeError("a word of a conversation")
  told(...words)
}`
const encode = (script: string) =>
  encodeURIComponent(script).replaceAll(/[()']/gu, (one) => `%${one.charCodeAt(0).toString(16)}`)
const NODE_OPTIONS = `--import=data:text/javascript,${encode(saboteur)}`

/**
 * Renames a table. A table of souffleur's own that is missing is a defect to its reader, since only souffleur touches
 * this file.
 */
const rename = (state: string, from: string, to: string) => {
  const store = new DatabaseSync(join(state, "souffleur.db"), { timeout: 5000 })
  store.exec(`ALTER TABLE ${from} RENAME TO ${to}`)
  store.close()
}

const tagsIn = (state: string) => rowsOf(state).map(({ tag }) => tag)

/** A watch of this comms has ended: every later one looks how far that was told. */
const ended = Effect.fnUntraced(function* (variables: Variables = {}) {
  const the = yield* stage([task(1)], variables)
  const conductor = yield* the.conductor()
  const first = the.watch(conductor)
  yield* prints(first, "WatchSettled")
  assert.strictEqual((yield* the.run(["release"])).code, 0)
  assert.strictEqual((yield* first.ended).code, 0)
  return { ...the, conductor }
})

describe.concurrent("a defect of souffleur's own", () => {
  describe("behaviour#defects", () => {
    live("a defect ends with 70 and one sentence, without goodbye or stack; SOUFFLEUR_DEBUG prints the stack", () =>
      Effect.gen(function* () {
        const the = yield* ended({ NODE_OPTIONS })
        fs.writeFileSync(join(the.home, "sabotage"), "")
        const watch = the.watch(the.conductor)
        assert.deepStrictEqual(yield* watch.ended, { code: 70, signal: null }, watch.errors())
        const said = watch.errors().trim().split("\n")
        assert.match(said.at(-1)!, /^souffleur: it cannot go on because of a bug \(\w+ at [\w.-]+:\d+:\d+\)\. /u)
        for (const line of [...said, ...watch.lines]) assert.notMatch(line, /^ +at |a word of a conversation/u)
        assert.notInclude(tagsIn(the.state), "OwnerLeft")
        const loud = yield* the.run(["watch"], { SOUFFLEUR_DEBUG: "1" })
        assert.strictEqual(loud.code, 70)
        assert.match(loud.errors, /RangeError: a word of a conversation/u)
        assert.isTrue(alive(the.conductor.pid))
      })
    )
    live("a defect of an errand is one sentence and 70, without a stack; SOUFFLEUR_DEBUG prints the stack", () =>
      Effect.gen(function* () {
        const the = yield* stage([task(1)])
        // Thrown outside of every fiber, as soon as a listener would hear of it.
        const thrower = `const look = setInterval(() => {
        if (process.listenerCount("uncaughtException") === 0) return
        clearInterval(look)
        throw new RangeError("a word of a conversation")
      }, 1)`
        const thrown = `--import=data:text/javascript,${encode(thrower)}`
        const attempts: ReadonlyArray<readonly [readonly [string, ...ReadonlyArray<string>], string?]> = [
          [[bundle, "__guardian", "no JSON"]],
          [[bundle, "__guardian", JSON.stringify({ database: join(the.home, "gone"), watch: "w" })]],
          [[bundle, "__database"], thrown],
          [[bundle, "__stand-in", "-p"], thrown],
          [[bundle, "mcp"], thrown],
          [[bundle, "hook"], thrown],
          [[join(dirname(bundle), "hook.cjs")], thrown]
        ]
        for (const [words, options = ""] of attempts)
          for (const SOUFFLEUR_DEBUG of ["", "1"]) {
            // Standard input stays open: nothing else ends them.
            const line = 'sleep 60 | { "$@"; echo "$?" >&2; kill 0; }'
            const child = spawn("/bin/setsid", ["/bin/sh", "-c", line, "sh", process.execPath, ...words], {
              env: { ...the.environment, SOUFFLEUR_DEBUG, NODE_OPTIONS: options },
              stdio: ["ignore", "ignore", "pipe"]
            })
            let errors = ""
            child.stderr.setEncoding("utf8").on("data", (text: string) => (errors += text))
            yield* Effect.callback<void>((resume) => void child.on("close", () => resume(Effect.void)))
            const [said = "", ...more] = errors.trim().split("\n")
            assert.match(
              said,
              /^souffleur: (?:its hook failed|it cannot go on|not launched,) because of a bug/u,
              `${words.join(" ")}: ${errors}`
            )
            assert.strictEqual(more.at(-1), "70", errors)
            if (SOUFFLEUR_DEBUG === "") assert.lengthOf(more, 1, errors)
            else assert.match(errors, /^ +at |\n +at /u)
          }
      })
    )

    live("a defect ends souffleur; its guardian brings it back, and the watch goes on once the defect is gone", () =>
      Effect.gen(function* () {
        const the = yield* ended({
          NODE_OPTIONS,
          SOUFFLEUR_MONITOR_STALE_AFTER: "4 seconds",
          SOUFFLEUR_MONITOR_INTERVAL: "1 second"
        })
        const watch = the.watch(the.conductor, "--guardian")
        yield* prints(watch, "WatchSettled")
        const beats = Effect.sync(() => {
          const store = new DatabaseSync(join(the.state, "souffleur.db"), { readOnly: true, timeout: 5000 })
          const found = store.prepare("SELECT count(*) AS beats FROM beats WHERE watch GLOB '*/guardian'").get()
          store.close()
          return Number(found?.["beats"])
        })
        yield* until(beats, (many) => many > 0)
        fs.writeFileSync(join(the.home, "sabotage"), "")
        watch.kill("SIGKILL")
        // The souffleur that is brought back takes the watch, and dies of the defect.
        const taken = Effect.sync(() => tagsIn(the.state).filter((tag) => tag === "OwnerTook").length)
        yield* until(taken, (times) => times > 2)
        fs.rmSync(join(the.home, "sabotage"))
        yield* until(the.run(["status", "--json"]), ({ lines }) => {
          const all: ReadonlyArray<{ owner: { condition: string; pid: number } | null }> = JSON.parse(lines.join(""))
          return all.some(({ owner }) => owner !== null && owner.condition === "running" && owner.pid !== watch.pid)
        })
        assert.notInclude(tagsIn(the.state), "OwnerLeft")
        assert.isTrue(alive(the.conductor.pid))
        assert.strictEqual((yield* the.run(["release"])).code, 0)
      })
    )
  })

  describe("behaviour#service", () => {
    live(
      "launchd gets a failure only for a defect, because it restarts every failure; other ends are a success to it",
      () =>
        Effect.gen(function* () {
          const the = yield* ended({ NODE_OPTIONS })
          const launchd = { SOUFFLEUR_UNDER_LAUNCHD: "1" }
          const unknown = yield* the.run(["watch", "--resume", "nobody"], launchd)
          assert.strictEqual(unknown.code, 0)
          assert.match(unknown.errors, /nobody/u)
          assert.strictEqual((yield* the.run(["watch", "--resume", "nobody"])).code, 2)
          fs.writeFileSync(join(the.home, "sabotage"), "")
          const watch = yield* the.run(
            ["watch", "--verbose", "--pid", String(the.conductor.pid), "--session-id", the.session],
            launchd
          )
          assert.strictEqual(watch.code, 70, watch.errors)
        })
    )
  })

  describe("behaviour#notices", () => {
    live("a defect of a publisher, even for a watch that has ended, is reported and ends no watch", () =>
      Effect.gen(function* () {
        const the = yield* ended()
        rename(the.state, "cursor", "lost")
        const watch = the.watch(the.conductor)
        yield* prints(watch, "RoleGaveUp", ({ role }) => role === "publisher")
        yield* until(
          Effect.sync(() => watch.errors()),
          (said) => /the publisher of \S+ is not started again/u.test(said)
        )
        assert.match(watch.errors(), /the publisher of \S+ died: a defect of souffleur's own/u)
        assert.strictEqual((yield* the.run(["release"])).code, 0)
        assert.strictEqual((yield* watch.ended).code, 0, watch.errors())
        assert.isTrue(alive(the.conductor.pid))
      })
    )
  })
})

describe("command-line#exit-codes", () => {
  live("a start in a folder that no longer exists prints a sentence and ends with 2", () =>
    Effect.gen(function* () {
      const the = yield* stage([task(1)])
      const gone = join(the.home, "gone")
      fs.mkdirSync(gone)
      const line = `cd "$1" && rmdir "$1" && exec "$2" "$3" status`
      const { status, stderr, stdout } = spawnSync("/bin/sh", ["-c", line, "sh", gone, process.execPath, bundle], {
        env: the.environment,
        encoding: "utf8"
      })
      assert.deepStrictEqual([status, stdout], [2, ""])
      assert.match(stderr, /^souffleur: the folder that it was started in is gone[^\n]*\n$/u)
    })
  )
})
