import { mutantsOf } from "./Mutant.ts"

const [src, test] = ["packages/supervisor/src", "packages/supervisor/test"]
const [bootstrap, commsPublisher, notifier] = [
  `${test}/Bootstrap.test.ts`,
  `${test}/CommsPublisher.test.ts`,
  `${test}/Notifier.test.ts`
]

/** Mutants that take away single rules of the supervisor. */
export const supervisorRuleMutants = [
  ...mutantsOf(
    `${src}/Supervisor.ts`,
    [`${test}/Supervisor.test.ts`],
    [
      ["supervise: what the state asks for runs", "  yield* act(initial, now)\n", ""],
      [
        "supervise: a goodbye, before all else",
        'Exit.hasInterrupts(exit) ? Effect.ignore(ref.dispatch({ _tag: "Leave" })) : Effect.void',
        "Exit.hasInterrupts(exit) ? Effect.void : Effect.void"
      ]
    ]
  ),
  ...mutantsOf(
    "packages/domain/src/decide/WatchDecider.ts",
    [bootstrap],
    [
      [
        "confirm: nothing is awaited",
        "...command.baseline\n            }),\n            nextWatcher(watch, at)",
        "...command.baseline\n            }),\n            nextWatcher(watch, at, { awaiting: true })"
      ]
    ]
  ),
  ...mutantsOf(
    `${src}/Bootstrap.ts`,
    [bootstrap],
    [
      ["bootstrap: again each 30 s", "Schedule.spaced(settings.validationRetryInterval)", 'Schedule.spaced("1 hour")'],
      [
        "bootstrap: what is undecided is asked again",
        'Effect.catchTag("Undecided", () => ref.state)',
        'Effect.catchTag("Undecided", ({ reason }) => ref.dispatch({ _tag: "FailValidation", check: "comms-row", reason, lastMessageId: 0 }))'
      ]
    ]
  ),
  ...mutantsOf(
    `${src}/Validation.ts`,
    [bootstrap],
    [
      [
        "validate: no row without comms",
        "if (watch.comms !== null && Option.isNone(snapshot.souffleur))",
        "if (Option.isNone(snapshot.souffleur))"
      ]
    ]
  ),
  ...mutantsOf(
    `${src}/CommsPublisher.ts`,
    [commsPublisher],
    [
      [
        "telling: the row of what failed closed",
        '({ state: "error" as const, lastError: `${stage}: ${message}` })',
        "undefined && ({ message, stage })"
      ],
      ["telling: plain, in a message", "...message, text: plain(message.text) })", "...message })"],
      [
        "commsPublisher: from where the log stands",
        "log.changes(id, yield* positionOf(id, newest(id)))",
        "log.changes(id, yield* cursor.position(id))"
      ],
      [
        "commsPublisher: waits for comms",
        "yield* Effect.retry(comms.setState(",
        "yield* Effect.ignore(comms.setState("
      ],
      [
        "commsPublisher: from what it has told",
        "log.changes(id, yield* positionOf(id, newest(id)))",
        "log.changes(id, 0 * (yield* positionOf(id, newest(id))))"
      ]
    ]
  ),
  ...mutantsOf(
    "packages/notify/src/NoticeText.ts",
    ["packages/notify/test/ServerRequest.test.ts"],
    [["notice: plain", "text: plain(notice.text, maxTextUnits)", "text: notice.text.slice(0, maxTextUnits)"]]
  ),
  ...mutantsOf(
    `${src}/Notifier.ts`,
    [notifier],
    [["notifier: from where the log stands", "  yield* positionOf(mark, newest(id))\n", ""]]
  ),
  ...mutantsOf(
    `${src}/solo/SoloProgress.ts`,
    [`${test}/SoloProgress.test.ts`],
    [
      [
        "adopt: by the session that it brings",
        "sessions: [...watch.sessions, sessionId] })",
        "sessions: watch.sessions })"
      ]
    ]
  ),
  ...mutantsOf(
    `${src}/solo/Commits.ts`,
    [`${test}/Commits.test.ts`],
    [
      [
        "git: a bounded file",
        "const [maxNameBytes, maxListBytes] = [1_000_000, 16_000_000]",
        "const [maxNameBytes, maxListBytes] = [16_000_000, 16_000_000]"
      ],
      ["git: branches that are packed", 'return packed?.split(" ", 1)[0] ?? ""', 'return ""']
    ]
  ),
  ...mutantsOf(
    `${src}/Restore.ts`,
    [`${test}/Restore.test.ts`],
    [
      [
        "restore: what another has taken is that one's",
        'refused.reason === "owned" ? Effect.fail(stillThere("another souffleur has taken the watch in the same moment")) : Effect.succeed(undefined)',
        "Effect.succeed(refused === null ? watch : undefined)"
      ]
    ]
  ),
  ...mutantsOf(
    `${src}/Ownership.ts`,
    [`${test}/Ownership.test.ts`],
    [["own: a dead owner is no owner", "!(yield* claims.isDead(owner))", "true"]]
  )
]
