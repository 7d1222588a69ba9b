import { assert, describe, it } from "@effect/vitest"
import { Event, Processes as ProcessesPort, type WatchEvent } from "@souffleur/domain"
import { Processes } from "@souffleur/node"
import { Effect, Fiber, FileSystem, Option } from "effect"
import { TestClock } from "effect/testing"
import { requestContextRecovery } from "../../src/mcp/RecoveryTools.ts"
import { myState } from "../../src/mcp/StateTools.ts"
import { done, heartbeat } from "../../src/mcp/WatchTools.ts"
import { handedOn, place, recovering, relaunched, services, watching } from "./McpPlace.ts"

const whoIs = Effect.map(myState(), ({ you_are }) => you_are)
const tags = (events: ReadonlyArray<WatchEvent>) => events.map(({ _tag }) => _tag)
const refusal = <A, E extends { readonly message: string }, R>(call: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(call), ({ message }) => message)
it.layer(services)((it) => {
  describe("command-line#environment", () => {
    it.effect("the caller is the Conductor, an earlier generation, another session, or unwatched, by its session", () =>
      Effect.gen(function* () {
        const { as, comms, project, watch } = yield* place()
        assert.strictEqual(yield* as("s1")(whoIs), "unwatched")
        yield* watch("w-1", [...watching({ project, comms }), handedOn, recovering, relaunched])
        assert.strictEqual(yield* as("s2")(whoIs), "conductor")
        assert.strictEqual(yield* as("s1")(whoIs), "earlier generation")
        assert.strictEqual(yield* as("s9")(whoIs), "another session")
        // For a caller that does not say its session, the folder decides.
        assert.strictEqual(yield* as("")(whoIs), "conductor")
        assert.strictEqual(yield* as("s9", { CLAUDE_PROJECT_DIR: "/" })(whoIs), "unwatched")
        // By its launch it is found from any folder.
        const elsewhere = { CLAUDE_PROJECT_DIR: "/", SOUFFLEUR_LAUNCH_ID: "w-1-g2-c1-6-launch-1" }
        assert.strictEqual(yield* as("s2", elsewhere)(whoIs), "conductor")
        assert.strictEqual(yield* as("s9", elsewhere)(whoIs), "another session")
      })
    )
    it.effect("the caller is the Conductor before its launch is in the log, and after a new conversation", () =>
      Effect.gen(function* () {
        const { as, comms, project, watch } = yield* place()
        const parent = yield* Effect.provide(
          Effect.flatMap(ProcessesPort, (processes) => processes.find(process.ppid)),
          Processes.layer
        )
        yield* watch("w-1", watching({ project, comms, conductor: Option.getOrThrow(parent).identity }))
        assert.strictEqual(yield* as("cleared")(whoIs), "conductor")

        const prepared = { at: 1000, cycle: 1, launchId: "l", digest: "d", sessionId: "s2", requested: "acceptEdits" }
        yield* watch("w-2", [
          ...watching({ project, comms }),
          handedOn,
          recovering,
          Event.LaunchPrepared.make({ ...prepared, effective: "acceptEdits" })
        ])
        assert.strictEqual(yield* as("s2")(whoIs), "conductor")
      })
    )
  })

  describe("behaviour#words-of-the-agent", () => {
    it.effect("my_state gives the wait before a recovery as its reason, and no earlier death", () =>
      Effect.gen(function* () {
        const { as, comms, project, watch } = yield* place()
        const wait = {
          at: 1000,
          watcher: 1,
          kind: "usage-limit",
          until: 2000,
          resetsAt: 2000,
          trigger: "limit"
        } as const
        const recoveries = [
          [Event.WaitStarted.make(wait), Event.WaitEnded.make({ at: 2000, watcher: 1, how: "over" })],
          [Event.RecoveryStarted.make({ at: 2000, cycle: 2, purpose: "relaunch", trigger: "limit" })]
        ].flat()
        yield* watch("w-1", [...watching({ project, comms }), handedOn, recovering, relaunched, ...recoveries])
        assert.match((yield* as("s2")(myState())).last_recovery?.reason ?? "", /wait/u)
      })
    )
    it.effect("my_state gives the reason of a recovery, the heartbeat's deadline, and a watch that has ended", () =>
      Effect.gen(function* () {
        const { as, commsDb, comms, project, watch } = yield* place()
        yield* watch("w-1", [...watching({ project, comms }), handedOn, recovering, relaunched])
        const sql = yield* commsDb
        yield* sql`UPDATE orchestration_tasks SET last_heartbeat = '2026-03-01 12:00:00' WHERE task_id = 'task-00'`
        const known = yield* as("s2")(myState())
        assert.deepInclude(known, {
          watch: "w-1",
          generation: 2,
          retries: 1,
          deadline: "2026-03-01T12:04:00.000Z",
          last_beat: null
        })
        assert.deepStrictEqual(known.last_recovery?.reason, "The agent asks for a context recovery.")
        assert.include(known.note, "No souffleur runs for w-1 now")
        yield* watch("w-1", [Event.WatchReleased.make({ at: 2000, exportPath: null })])
        assert.include(
          (yield* as("s2")(myState())).note,
          "The watch w-1 of your session has ended (released). No souffleur watches you"
        )
      })
    )

    describe("an agent's request", () => {
      it.effect("a request in comms is a payload, then the state: the payload alone asks for nothing", () =>
        Effect.gen(function* () {
          const { as, commsDb, comms, events, project, watch } = yield* place()
          yield* watch("w-1", watching({ project, comms }))
          const sql = yield* commsDb
          // The state cannot be written: its message is there all the same, and no handoff is.
          yield* sql`ALTER TABLE orchestration_tasks ADD COLUMN never CHECK (state <> 'context_recovery')`
          assert.include(
            yield* refusal(as("s1")(requestContextRecovery({ resume_prompt: "one" }))),
            "refuses the state 'context_recovery'"
          )
          yield* sql`ALTER TABLE orchestration_tasks DROP COLUMN never`
          yield* as("s1")(requestContextRecovery({ resume_prompt: "two\nand more", permission_mode: "acceptEdits" }))
          const messages =
            yield* sql`SELECT task_id, from_session, message_type, message FROM orchestration_messages ORDER BY id`
          assert.deepStrictEqual(
            messages.map((row) => row["message"]),
            [
              "CONTEXT_RECOVERY_PAYLOAD_V1\nresume_prompt: one",
              "CONTEXT_RECOVERY_PAYLOAD_V1\npermission_mode: acceptEdits\nresume_prompt: two\nand more"
            ]
          )
          assert.deepInclude(
            { ...messages[1] },
            { task_id: "souffleur", from_session: "task-00", message_type: "handoff" }
          )
          const [row] = yield* sql`SELECT state FROM orchestration_tasks WHERE task_id = 'task-00'`
          assert.strictEqual(row?.["state"], "context_recovery")
          // Its watcher sees it: the log is not written by two.
          assert.notInclude(tags(yield* events("w-1")), "HandoffRequested")
        })
      )
      it.effect(
        "a request without comms is in the log at once, its words in a file; a second one is refused with the reason",
        () =>
          Effect.gen(function* () {
            const fs = yield* FileSystem.FileSystem
            const { as, events, project, stateDir, watch } = yield* place({ comms: false })
            yield* watch("w-1", watching({ project, comms: null }))
            yield* as("s1")(requestContextRecovery({ resume_prompt: "SECRET" }))
            const all = yield* events("w-1")
            assert.deepStrictEqual(tags(all).slice(-2), ["HandoffRequested", "RecoveryStarted"])
            assert.notInclude(JSON.stringify(all), "SECRET")
            const [file] = yield* fs.readDirectory(`${stateDir}/requests`)
            assert.strictEqual(
              yield* fs.readFileString(`${stateDir}/requests/${file}`),
              "CONTEXT_RECOVERY_PAYLOAD_V1\nresume_prompt: SECRET"
            )
            assert.strictEqual(
              yield* refusal(as("s1")(requestContextRecovery({}))),
              "Not now: a recovery runs already."
            )
            yield* watch("w-1", [
              Event.RecoveryFailedClosed.make({ at: 2000, cycle: 1, stage: "compact", message: "no boundary" })
            ])
            assert.match(
              yield* refusal(as("s1")(requestContextRecovery({}))),
              /failed closed at compact: an operator must retry it/u
            )
            assert.lengthOf(yield* fs.readDirectory(`${stateDir}/requests`), 1)
          })
      )
      it.effect(
        "the answer says that observing, a ceiling, the quiet hours or a third time without progress prevents a launch now",
        () =>
          Effect.gen(function* () {
            const ceiling = Event.CeilingReached.make({ at: 1000, watcher: 1, ceiling: "tokens", used: 2, limit: 1 })
            const died = { at: 1000, cycle: 1, purpose: "relaunch", trigger: "handoff" } as const
            const answer = Effect.fnUntraced(function* (
              comms: boolean,
              change: (events: ReturnType<typeof watching>) => ReadonlyArray<WatchEvent>
            ) {
              const the = yield* place({ comms })
              yield* the.watch("w-1", change(watching({ project: the.project, comms: comms ? the.comms : null })))
              const asking = Effect.map(requestContextRecovery({}), ({ note }) => note)
              return { ...the, ask: (more: Readonly<Record<string, string>> = {}) => the.as("s1", more)(asking) }
            })
            const observed = ([opened, ...rest]: ReturnType<typeof watching>) => [
              { ...opened!, observe: true } as WatchEvent,
              ...rest
            ]
            for (const comms of [false, true]) {
              assert.match(yield* (yield* answer(comms, observed)).ask(), /only observ.*You are not stopped/u)
              assert.match(
                yield* (yield* answer(comms, (events) => [...events, ceiling])).ask(),
                /ceiling.*You are not stopped/u
              )
              assert.match(
                yield* (yield* answer(comms, (events) => events)).ask(),
                /You are stopped and a successor is launched\. End your turn/u
              )
            }
            const quiet = yield* answer(false, (events) => events)
            for (const one of [quiet, yield* answer(true, (events) => events)]) {
              const note = yield* one.ask({ SOUFFLEUR_QUIET_HOURS: "00:00-23:59" })
              assert.match(note, /Nothing is launched before .*\(quiet hours\)/u)
            }
            // A limit that is waited out is over for who asks.
            const limited = Event.WaitStarted.make({
              at: 1000,
              watcher: 1,
              kind: "usage-limit",
              until: 9_000_000,
              resetsAt: null,
              trigger: "limit"
            })
            assert.match(
              yield* (yield* answer(true, (events) => [...events, limited])).ask(),
              /At souffleur's next look/u
            )
            assert.deepStrictEqual(tags(yield* quiet.events("w-1")).slice(-3), [
              "HandoffRequested",
              "WaitStarted",
              "WatcherStarted"
            ])
            const third = yield* answer(false, (events) => [
              ...events,
              Event.HandoffRequested.make({ ...handedOn, retries: 2 }),
              Event.RecoveryStarted.make(died),
              Event.ConductorRelaunched.make({ ...relaunched, sessionId: "s1" })
            ])
            assert.match(yield* third.ask(), /no successor is launched/u)
          })
      )
      it.effect(
        "a request without comms counts the work since the launch as a watcher would, without calls of souffleur's tools",
        () =>
          Effect.gen(function* () {
            const call = (id: string, name: string) =>
              [
                { type: "assistant", message: { content: [{ type: "tool_use", id, name, input: {} }] } },
                { type: "user", message: { content: [{ type: "tool_result", tool_use_id: id, content: "said" }] } }
              ]
                .map((record) => `${JSON.stringify(record)}\n`)
                .join("")
            for (const [text, retries] of [
              [call("1", "Bash"), 0],
              [call("1", "mcp__souffleur__heartbeat"), 1]
            ] as const) {
              const { as, events, project, session, watch } = yield* place({ comms: false })
              yield* watch("w-1", watching({ project, comms: null }))
              yield* session("s1", text)
              yield* as("s1")(requestContextRecovery({}))
              const asked = (yield* events("w-1")).find((event) => event._tag === "HandoffRequested")
              assert.propertyVal(asked, "retries", retries)
            }
          })
      )
      it.effect("a request without a watch says so, and without a database it says what to do", () =>
        Effect.gen(function* () {
          const { as } = yield* place()
          assert.include(
            (yield* as("s1")(requestContextRecovery({}))).note,
            "no souffleur of this state folder watches you: work on"
          )
          const bare = yield* place({ comms: false })
          for (const call of [requestContextRecovery({}), done(), heartbeat()]) {
            assert.match(
              yield* refusal(bare.as("s1")(call)),
              /There is no comms.db in .*"souffleur init" makes the database; a person starts/u
            )
          }
        })
      )
    })

    it.effect("done ends a watch without comms by the agent's word, and may be said twice", () =>
      Effect.gen(function* () {
        const { as, events, project, watch } = yield* place({ comms: false })
        yield* watch("w-1", watching({ project, comms: null }))
        for (const _ of [1, 2]) assert.strictEqual((yield* as("s1")(done())).watch, "w-1")
        assert.deepStrictEqual((yield* events("w-1")).at(-1), Event.ConductorCompleted.make({ at: 0, by: "agent" }))
      })
    )

    it.effect(
      "a heartbeat is in our own store though another program holds comms, which is waited for and then told",
      () =>
        Effect.gen(function* () {
          const { as, commsDb, comms, project, watch } = yield* place()
          yield* watch("w-1", watching({ project, comms }))
          const sql = yield* commsDb
          yield* sql`BEGIN IMMEDIATE`
          const beating = yield* Effect.forkChild(refusal(as("s1")(heartbeat())), { startImmediately: true })
          const time = Effect.forever(
            Effect.andThen(TestClock.adjust("1 second"), Effect.repeat(Effect.yieldNow, { times: 200 }))
          )
          const message = yield* Effect.raceFirst(Fiber.join(beating), time)
          assert.match(message, /It is locked by another program: call this again in a moment\.$/u)
          yield* sql`ROLLBACK`
          assert.isNotNull((yield* as("s1")(myState())).last_beat)
          assert.isTrue((yield* as("s1")(heartbeat())).comms)
          // Freed meanwhile, it is waited for and then told: while it is held, others have asked and heard.
          yield* sql`BEGIN IMMEDIATE`
          const waiting = yield* Effect.forkChild(as("s1")(heartbeat()), { startImmediately: true })
          yield* Effect.repeat(as("s1")(myState()), { times: 5 })
          yield* sql`ROLLBACK`
          assert.isTrue((yield* Effect.raceFirst(Fiber.join(waiting), time)).comms)
        })
    )

    it.effect("a store that cannot be used is told as a tool's error", () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const { as, stateDir } = yield* place()
        yield* fs.makeDirectory(stateDir, { mode: 0o700 })
        yield* fs.writeFileString(
          `${stateDir}/souffleur.db`,
          "this is no database, and long enough to be told from an empty one\n".repeat(100)
        )
        assert.match(
          yield* refusal(as("s1")(myState())),
          /^souffleur: the event log cannot be used: .*"souffleur doctor --quarantine" moves it aside/u
        )
      })
    )
  })
})
