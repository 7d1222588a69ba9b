import { mutantsOf } from "./Mutant.ts"

const decider = ["packages/domain/test/FleetWordDecider.test.ts"]
/** They notice where there is a Postgres. */
const store = ["test/fleet/HubWords.test.ts"]
const cli = "test/fleet/FleetWords.test.ts"

/** Mutants that take away the defences of words to other hosts, and of the people who say them. */
export const fleetWordMutants = [
  ...mutantsOf("packages/domain/src/decide/FleetWordDecider.ts", decider, [
    [
      "word: up to the next change of stance",
      "seen > watch.revision || seen < watch.stanceSince",
      "seen > watch.revision"
    ],
    [
      "word: … not for a revision to come",
      "seen > watch.revision || seen < watch.stanceSince",
      "seen < watch.stanceSince"
    ],
    ["word: until its end", "if (now > until)", "if (false as boolean)"],
    [
      "word: its event comes first",
      "    FleetWordTaken.make({ at: now, id, by: person, word }),\n    ...events\n",
      "    ...events\n"
    ],
    [
      "word: by the rules of the host",
      "Result.map(decide(watch, { ...intentOf(command), now, by }), ",
      "Result.map(Result.orElse(decide(watch, { ...intentOf(command), now, by }), () => Result.succeed([])), "
    ],
    ["word: a ceiling of use of this host", '{ _tag: "Retry", ceilings }', '{ _tag: "Retry", ceilings: true }']
  ]),
  ...mutantsOf("packages/domain/src/watch/WatchEvolution.ts", decider, [
    ["word: a taken word changes the stance", '_tag === "FleetWordTaken" || ', ""],
    ["word: a stance is what it depends on", "stance(after).some((part, n) => part !== was[n])", "false"],
    ["word: a step of a recovery changes no stance", "recovery?.cycle,", "recovery,"],
    ["word: its stance has the phase", "  phase,\n  generation,\n", "  generation,\n"],
    ["word: its stance has the generation", "  generation,\n  agent,\n", "  agent,\n"],
    ["word: its stance has the standby", "  standby,\n  held,\n", "  held,\n"],
    ["word: its stance has the hold", "  held,\n  wait,\n", "  wait,\n"],
    ["word: its stance has the wait", "  wait,\n  ceiling\n", "  ceiling\n"],
    ["word: its stance has the ceiling of use", "  wait,\n  ceiling\n", "  wait\n"]
  ]),
  ...mutantsOf(
    "packages/supervisor/src/Ownership.ts",
    ["packages/embed/test/TakeWord.test.ts"],
    [
      ["word: taken once, told twice", 'event._tag === "FleetWordTaken" && event.id === id', "false"],
      ["word: … that very word", " && event.id === id", ""],
      ["word: not of a revision to come", "if (revision <= seen) return false", ""]
    ]
  ),
  ...mutantsOf(
    "packages/embed/src/MakeSouffleur.ts",
    ["packages/embed/test/TakeWord.test.ts"],
    [["word: a watch by its id alone", "if (Option.isNone(yield* watchById(watch)))", "if (false as boolean)"]]
  ),
  ...mutantsOf(
    "packages/fleet/src/Membership.ts",
    ["packages/fleet/test/Membership.test.ts"],
    [["word: none by a membership of before", "Effect.succeed(true)", "Effect.succeed(false)"]]
  ),
  ...mutantsOf(
    "packages/fleet/src/FleetApi.ts",
    ["packages/fleet/test/Membership.test.ts"],
    [
      [
        "word: none to a host of before",
        "takesWords: Schema.Boolean.pipe(Schema.withDecodingDefaultKey(Effect.succeed(false)))",
        "takesWords: Schema.Boolean.pipe(Schema.withDecodingDefaultKey(Effect.succeed(true)))"
      ]
    ]
  ),
  ...mutantsOf(
    "packages/fleet/src/TakeWords.ts",
    ["packages/fleet/test/TakeWords.test.ts"],
    [
      ["word: an hour at most", "Math.min(left, longestWord)", "left"],
      ["word: 20 a minute", "    yield* turn\n", ""],
      [
        "word: a bug holds nothing up",
        "Effect.catchDefect(\n      taker.take(word),",
        'Effect.catchTag(\n      taker.take(word), "WordLost",'
      ],
      [
        "word: its end from the question on",
        "until: asked + Math.min(left, longestWord)",
        "until: Math.min(left, longestWord)"
      ],
      [
        "word: a lost one holds up no other",
        'of.tell({ _tag: "Lost", word, problem })',
        'Effect.andThen(of.tell({ _tag: "Lost", word, problem }), Effect.never)'
      ],
      ["word: asked for where the hub says so", "      of.waiting,\n", '      Effect.sleep("1 second"),\n'],
      ["word: a hub that is away is asked again", 'Effect.catchTag(look, "HubAway", () => Effect.void)', "look"]
    ]
  ),
  ...mutantsOf(
    "packages/cli/src/commands/FleetWordCommand.ts",
    [`${cli}: a host that joined with --read-only takes no word, whatever a hub says`],
    [
      ["word: no agent's session takes one", '    yield* personOnly("souffleur fleet take")\n', ""],
      [
        "word: a watch that cannot be read is an answer",
        "if (mayPass || error",
        "if (mayPass || error.message || error"
      ],
      [
        "word: a host that joined with --read-only takes none",
        "if ((yield* joinedFleet).readOnly)",
        "if (false as boolean)"
      ]
    ]
  ),
  ...mutantsOf(
    "packages/cli/src/commands/FleetWordCommand.ts",
    [`${cli}: an operator's word is decided on by its host: taken with its speaker, or refused with the host's reason`],
    [
      ["said: a person's word", "      yield* personOnly(`souffleur fleet ${word}`)\n", ""],
      ["said: an hour at most", " && Duration.toMillis(one) <= longestWord", ""]
    ]
  ),
  ...mutantsOf("packages/hub/src/HubWords.ts", store, [
    ["words: of a host that takes them", "AND takes_words AND NOT forked", "AND NOT forked"],
    ["words: not for a forked log", "AND takes_words AND NOT forked", "AND takes_words"],
    ["words: not for a revoked host", " AND hosts.revoked IS NULL\n    AND people", "\n    AND people"],
    ["words: of an operator alone", "people.role = 'operator' AND people", "people"],
    ["words: … whose token counts", "people.role = 'operator' AND people.revoked IS NULL", "people.role = 'operator'"],
    [
      "words: not after their end",
      "until BETWEEN clock_timestamp() AND",
      "until BETWEEN clock_timestamp() - interval '1 day' AND"
    ],
    ["words: for an hour at most", "interval '${longestWord} milliseconds'", "interval '1 day'"],
    ["words: a few that wait", " < ${maxWaiting}\n", " < ${2 * maxWaiting}\n"],
    [
      "words: one id says one word",
      "(id, log, stream, word, seen, person, until)\n    = ($1::uuid, $2::uuid, $3, $4, $5::bigint, $6, to_timestamp($7::bigint / 1000.0))",
      "id = $1::uuid AND $2::uuid = log AND $3 = stream AND $4 <> '' AND $5::bigint = seen AND $6 = person AND $7::bigint > 0"
    ],
    [
      "words: of the host alone",
      "WHERE log = $1::uuid AND enrolled_host = $2 AND NOT",
      "WHERE log = $1::uuid AND $2 <> '' AND NOT"
    ],
    ["words: none of a forked log is told", "AND NOT forked AND ${waits}", "AND ${waits}"],
    ["words: none of a revoked person is told", "AND NOT forked AND ${waits}", "AND NOT forked AND answered IS NULL"],
    ["words: … nor of a revoked token", " AND added <= said", ""],
    ["words: once they are answered no more", "`answered IS NULL AND EXISTS", "`EXISTS"],
    ["words: those that count come first", "ORDER BY until < clock_timestamp(), said", "ORDER BY said"],
    ["words: by the token that was checked", "people.added = $8::timestamptz AND ", "$8::timestamptz IS NOT NULL AND "],
    ["words: a day for a late answer", "interval '1 day'\n", "interval '1 minute'\n"],
    ["words: … and no longer", "interval '1 day'\n", "interval '9 days'\n"],
    [
      "words: answered by their host",
      "AND enrolled_host = $3 AND answered IS NULL",
      "AND $3 <> '' AND answered IS NULL"
    ],
    ["words: the first answer counts", "AND enrolled_host = $3 AND answered IS NULL", "AND enrolled_host = $3"],
    [
      "words: people are told those of the last day",
      "said > clock_timestamp() - interval '24 hours'",
      "said > '-infinity'"
    ],
    ["words: … the newest first", "ORDER BY said DESC, id LIMIT 10", "ORDER BY said, id LIMIT 10"],
    ["words: a refusal is told as one", 'outcome: reason === null ? "taken" : "refused"', 'outcome: "taken"']
  ]),
  ...mutantsOf("packages/hub/src/people/HubTokens.ts", store, [
    [
      "people: a token that was not revoked",
      "WHERE token_digest = ${digest} AND revoked IS NULL",
      "WHERE token_digest = ${digest}"
    ],
    ["people: one token each", "WHERE ${sql(table)}.revoked IS NOT NULL RETURNING name", "RETURNING name"],
    ["people: another token is from now on", "[...Object.keys(row), since]", "Object.keys(row)"]
  ]),
  ...mutantsOf(
    "packages/hub/src/HubServer.ts",
    ["packages/hub/test/WordContract.test.ts"],
    [
      ["words: a viewer says none", 'role === "operator" ? yield*', "role.length > 0 ? yield*"],
      [
        "people: a token of a person",
        "if (Option.isNone(person)) return yield* new TokenRefused()",
        "if (Option.isNone(person)) return yield* answer"
      ]
    ]
  ),
  ...mutantsOf(
    "packages/domain/src/event/FleetWord.ts",
    ["packages/hub/test/WordContract.test.ts"],
    [["word: one of five", 'Schema.Literals(["retry", "release", "done", "hold", "go"])', "Schema.String"]]
  ),
  ...mutantsOf(
    "packages/fleet/src/SaidWord.ts",
    ["packages/hub/test/WordContract.test.ts"],
    [
      ["word: a bounded name of a watch", "storableText(200)", "storableText(2000)"],
      ["word: a reason that Postgres takes", "Schema.NullOr(storableText(2000))", "Schema.NullOr(Bounds.words(2000))"]
    ]
  ),
  ...mutantsOf(
    "packages/cli/src/fleet/SayWord.ts",
    ["packages/cli/test/SayWord.test.ts"],
    [
      ["said: later to a silent host that takes words", "takesWords && host.lastSeenAgo", "host.lastSeenAgo"],
      ["said: by the log that its host speaks under", ".toSorted((a, b) => a.lastSeenAgo - b.lastSeenAgo)", ""],
      ["said: not of a forked log", " && !one.forked", ""],
      ["said: not to a revoked host", " && !one.revoked", ""],
      ["said: to a watch alone", 'one.kind === "watch" && ', ""],
      ["said: for the revision that was seen", "revision ?? job.revision", "job.revision"],
      ["said: again until a hub has it", "reached(desk.say(id, said))", "desk.say(id, said)"],
      ["said: … with a pause and a reason to", "while: isAway, schedule", "while: () => true, schedule"],
      ["said: followed beyond its end", "left < -lateMillis", "left < 0"],
      ["said: … and not for ever", " || left < -lateMillis", ""],
      [
        "said: a hub that is gone is not asked for ever",
        "Duration.sum(within, Duration.millis(2 * lateMillis))",
        "Duration.hours(9)"
      ]
    ]
  ),
  ...mutantsOf(
    "packages/fleet/src/Shipper.ts",
    ["packages/fleet/test/Shipper.test.ts"],
    [["word: told where the hub agrees", "if (words) yield* wordsWait", ""]]
  )
]
