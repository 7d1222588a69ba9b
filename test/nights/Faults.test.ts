import { assert, describe, it } from "@effect/vitest"
import { Effect, type Scope } from "effect"
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { alive, bundle, prints, stage, task, until } from "../cli/CliStage.ts"

const live = (what: string, test: () => Effect.Effect<void, unknown, Scope.Scope>, skip = false) =>
  (skip ? it.live.skip : it.live)(what, test)

const run = (program: string, ...args: ReadonlyArray<string>) =>
  spawnSync(program, args, { stdio: "ignore" }).status === 0
/** A small disk of its own in place of a folder, until the test ends. */
const disk = (folder: string, kilobytes = 2048) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      fs.mkdirSync(folder, { mode: 0o700 })
      assert.isTrue(run("mount", "-t", "tmpfs", "-o", `size=${kilobytes}k,mode=0700`, "tmpfs", folder))
    }),
    () => Effect.sync(() => void run("umount", "-l", folder))
  )
const mayMount = (() => {
  const folder = fs.mkdtempSync(join(os.tmpdir(), "souffleur-disk-"))
  const may = run("mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", folder)
  if (may) run("umount", folder)
  fs.rmdirSync(folder)
  return may
})()

describe.concurrent("faults of the host", () => {
  describe("behaviour#damaged-log", () => {
    live(
      "a disk that fills up between two acts ends with 4, a notice and no launch, and with space its guardian goes on",
      () =>
        Effect.gen(function* () {
          const the = yield* stage([task(1, 50), task(2, 100)])
          yield* disk(the.state)
          const conductor = yield* the.conductor(2)
          const told = join(the.home, "told")
          const write = 'require("node:fs").appendFileSync(process.argv[1], require("node:fs").readFileSync(0))'
          const watch = the.start(
            ["watch", "--json", "--guardian", "--pid", String(conductor.pid), "--session-id", the.session],
            { SOUFFLEUR_NOTIFY: `command:${JSON.stringify([process.execPath, "-e", write, told])}` }
          )
          yield* prints(watch, "WatchSettled")
          const filler = join(the.state, "filler")
          // To the last byte: a write that needs a page fails.
          for (const size of [65_536, 4096, 1]) {
            const file = fs.openSync(filler, "a")
            try {
              for (;;) fs.writeSync(file, Buffer.alloc(size))
            } catch (error) {
              assert.match(String(error), /ENOSPC/)
            } finally {
              fs.closeSync(file)
            }
          }
          conductor.kill("SIGKILL")
          assert.deepStrictEqual(yield* watch.ended, { code: 4, signal: null })
          assert.match(watch.errors(), /the event log cannot be used: .*full/)
          assert.deepStrictEqual(the.launched(), [])
          const { kind, text } = JSON.parse(fs.readFileSync(told, "utf8"))
          assert.strictEqual(kind, "waiting_for_a_person")
          assert.match(text, /^souffleur cannot go on: the event log cannot be used: .*full/u)
          fs.rmSync(filler)
          // The guardian looks again within half a minute.
          const tags = Effect.map(the.events, (events) => events.map(({ _tag }) => _tag))
          yield* until(tags, (all) => all.includes("ConductorCompleted"))
          assert.include(yield* tags, "SouffleurRestored")
          assert.lengthOf(the.launched(), 1)
        }),
      !mayMount
    )

    live(
      "a disk that is too full for a start is told as that, wherever it ends, and with space the same command completes",
      () =>
        Effect.gen(function* () {
          const the = yield* stage([])
          const codes = new Set<number | null>()
          for (let kilobytes = 256; kilobytes < 512; kilobytes += 20) {
            yield* Effect.gen(function* () {
              yield* disk(the.state, 512)
              const filler = join(the.state, "filler")
              fs.writeFileSync(filler, Buffer.alloc(kilobytes * 1024))
              const full = yield* the.run(["run", "--no-guardian", "--", "true"])
              codes.add(full.code)
              if (full.code !== 0) {
                assert.match(full.errors, /^souffleur: the (?:event log|launch file) cannot .*full/mu)
              }
              fs.rmSync(filler)
              const { code, errors } = yield* the.run(["run", "--no-guardian", "--", "true"])
              assert.strictEqual(code, 0, `${kilobytes}: ${errors}`)
            }).pipe(Effect.scoped)
            fs.rmdirSync(the.state)
          }
          assert.includeMembers([...codes], [0, 4])
          assert.isEmpty([...codes].filter((code) => code !== 0 && code !== 2 && code !== 4))
        }),
      !mayMount
    )
    live(
      "a state folder that has become read-only ends with 4, without a kill or a launch",
      () =>
        Effect.gen(function* () {
          const the = yield* stage([task(1)])
          yield* disk(the.state)
          const conductor = yield* the.conductor()
          const watch = the.watch(conductor)
          yield* prints(watch, "WatchSettled")
          watch.kill("SIGKILL")
          yield* watch.ended
          assert.isTrue(run("mount", "-o", "remount,ro", the.state))
          const again = yield* the.run(["watch"])
          assert.deepStrictEqual([again.code, again.lines], [4, []], again.errors)
          assert.match(again.errors, /^souffleur: the event log cannot be used: .*souffleur\.db/m)
          for (const folder of [the.state, join(the.state, "new")]) {
            const { lines } = yield* the.run(["doctor"], { SOUFFLEUR_STATE_DIR: folder })
            assert.match(lines.join("\n"), /^wrong +state folder +.* cannot be written$/mu, folder)
          }
          assert.isTrue(alive(conductor.pid))
          assert.deepStrictEqual(the.launched(), [])
        }),
      !mayMount
    )

    live("a log that is damaged or cut off ends with 4, the file's name and a remedy, and stays unchanged", () =>
      Effect.gen(function* () {
        const the = yield* stage([task(1)])
        const conductor = yield* the.conductor()
        const watch = the.watch(conductor)
        yield* prints(watch, "WatchSettled")
        watch.kill("SIGTERM")
        yield* watch.ended
        const file = join(the.state, "souffleur.db")
        // A souffleur that ended by the signal itself has left its last events beside the file.
        const log = new DatabaseSync(file)
        log.exec("PRAGMA wal_checkpoint(TRUNCATE)")
        log.close()
        const whole = fs.readFileSync(file)
        const damaged = Buffer.from(whole)
        damaged.fill(0xa5, 4096, 4096 + 2048)
        for (const bytes of [whole.subarray(0, whole.length - 4096), damaged, Buffer.alloc(whole.length)]) {
          fs.writeFileSync(file, bytes)
          for (const args of [["watch"], ["status", "--json"], ["release"]]) {
            const { code, errors, lines } = yield* the.run(args)
            assert.deepStrictEqual([code, lines], [4, []], errors)
            assert.match(
              errors,
              /^souffleur: the event log cannot be used: .*souffleur\.db.*(?:move it away|name another file)/m
            )
          }
          assert.isTrue(bytes.equals(fs.readFileSync(file)), "not one byte is changed")
        }
        // An uninstall reads other pages, and takes none of them away.
        const without = Buffer.from(whole).fill(0, whole.length - 4096)
        fs.writeFileSync(file, without)
        const removed = yield* the.run(["uninstall", "--state", "--yes"])
        assert.deepStrictEqual([removed.code, removed.lines], [4, []], removed.errors)
        assert.isTrue(without.equals(fs.readFileSync(file)), "a log that cannot be used is not removed")
        assert.isTrue(alive(conductor.pid))
        assert.deepStrictEqual(the.launched(), [])
        // With a good copy it goes on.
        fs.writeFileSync(file, whole)
        assert.strictEqual((yield* the.run(["release"])).code, 0)
      })
    )

    live(
      "too few descriptors are refused with a remedy before any write; with just enough souffleur watches and recovers",
      () =>
        Effect.gen(function* () {
          const the = yield* stage([task(1, 50), task(2, 100)])
          const conductor = yield* the.conductor(2)
          const words = ["watch", "--json", "--pid", String(conductor.pid), "--session-id", the.session]
          const limited = (files: number) =>
            the.spawned("/bin/sh", ["-c", `ulimit -n ${files}; exec "$@"`, "sh", process.execPath, bundle, ...words])
          for (const files of [25, 63]) {
            const refused = limited(files)
            assert.deepStrictEqual(yield* refused.ended, { code: 2, signal: null }, refused.errors())
            assert.match(
              refused.errors(),
              new RegExp(`^souffleur: only ${files} files may be open .*ulimit -n 1024`, "u")
            )
            assert.isFalse(fs.existsSync(join(the.state, "souffleur.db")))
          }
          assert.isTrue(alive(conductor.pid))
          const watch = limited(64)
          yield* prints(watch, "WatchSettled")
          conductor.kill("SIGKILL")
          assert.strictEqual((yield* watch.ended).code, 0, watch.errors())
          assert.lengthOf(the.launched(), 1)
        })
    )
  })

  describe("behaviour#output-of-launches", () => {
    live("a command that prints without end does not fill the disk", () =>
      Effect.gen(function* () {
        const the = yield* stage([task(1)])
        const run = the.start(["run", "--json", "--no-guardian", "--", "/usr/bin/yes"])
        yield* prints(run, "ConductorConfirmed")
        const outputs = () =>
          fs
            .readdirSync(join(the.state, "launches"))
            .filter((name) => name.endsWith(".out"))
            .map((name) => fs.statSync(join(the.state, "launches", name)))
        // More was printed by far than is on the disk.
        yield* until(Effect.sync(outputs), (all) =>
          all.some(({ blocks, size }) => size > 200_000_000 && blocks * 512 < size / 4)
        )
        const [pid] = the.launched()
        yield* the.run(["release"])
        yield* run.ended
        process.kill(pid!, "SIGKILL")
      })
    )
  })
})
