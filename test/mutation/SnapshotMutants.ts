import { mutantsOf } from "./Mutant.ts"

const snapshot = "packages/eventlog/src/snapshot"
const tests = ["test/eventlog/Snapshots.test.ts"]

/** The lines that hold a snapshot to its log, and the lists that read no more than they name. */
export const snapshotMutants = [
  ...mutantsOf(`${snapshot}/SnapshotsSql.ts`, tests, [
    ["snapshots: whose last event is in the log", "THEN f.${text} ELSE '' END", "THEN f.${text} ELSE f.${text} END"],
    ["snapshots: whose mark is in the log", " AND EXISTS (SELECT 1 FROM events WHERE position = f.position)`", "`"],
    ["snapshots: by the same rules", '"f.kind = ? AND f.fingerprint = ?"', `"f.kind = ? AND ? <> ''"`],
    ["snapshots: the late one keeps nothing", "WHERE ? = 0 OR EXISTS (", "WHERE ? >= 0 OR EXISTS ("]
  ]),
  ...mutantsOf("packages/eventlog/src/Store.ts", tests, [
    [
      "snapshots: gone where an event was changed",
      "AFTER UPDATE ON events BEGIN DELETE FROM folded; END",
      "AFTER UPDATE ON events BEGIN SELECT 1; END"
    ],
    [
      "snapshots: gone where an event was removed",
      "AFTER DELETE ON events BEGIN DELETE FROM folded; END",
      "AFTER DELETE ON events BEGIN SELECT 1; END"
    ]
  ]),
  ...mutantsOf(`${snapshot}/Fold.ts`, tests, [
    ["snapshots: a state by its schema", "kept !== undefined && isPart(kept) ?", "kept !== undefined ?"],
    [
      "snapshots: a state without a foreign field",
      "?.(kept[key as never]) !== true) return false",
      "?.(kept[key as never]) === false) return false"
    ],
    ["snapshots: of their own revision", "kept?.revision === revision ? kept : undefined", "kept ?? undefined"],
    ["snapshots: an equal value alone is checked once", "value === sound", "sound !== checkOf"],
    [
      "snapshots: what would come back as another is not kept",
      'JSON.stringify(back) === JSON.stringify(state) ? text : ""',
      "(back, text)"
    ]
  ]),
  ...mutantsOf(`${snapshot}/CatchUp.ts`, tests, [
    ["snapshots: no event is missing", "revision === before.state.revision + 1 ?", "(true as boolean) ?"],
    ["snapshots: some hundred events", "mark.last - mark.position >= fold.keepEvery ||", ""],
    [
      "snapshots: an end is worth a write",
      " || [...moved].some((stream) => fold.isEnded(placed.get(stream)!.state))",
      ""
    ]
  ]),
  ...mutantsOf(`${snapshot}/Listing.ts`, tests, [
    ["lists: by the words of now", "[...rest, ...now.placed].filter(has(key))", "[...rest, ...now.placed]"],
    ["lists: one that moved is counted once", " - countedEnded", ""],
    ["lists: what moved is not told twice", "page.filter(({ stream }) => !known.has(stream))", "page"],
    [
      "ends: what moved is told once",
      "[unmovedOf(page), after] as const\n      })\n    ).pipe",
      "[page, after] as const\n      })\n    ).pipe"
    ],
    ["lists: in short what has ended alone", "kept.ended ? briefs.decode(kept) : undefined", "briefs.decode(kept)"],
    [
      "lists: no brief is taken for a state",
      '(yield* log.snapshots.one(fold.name, stream)) ?? { ...kept, state: "" }',
      "{ ...kept, state: kept.brief }"
    ]
  ]),
  ...mutantsOf(
    `${snapshot}/Listing.ts`,
    ["test/eventlog/EndedWatches.test.ts"],
    [
      ["ends: a page at a time", "const endedPage = 100", "const endedPage = 100_000"],
      ["ends: to the last page", "page.length < endedPage ?", "(true as boolean) ?"],
      ["ends: the wanted alone", "Stream.filter(settledEnds(log, now), isWanted)", "settledEnds(log, now)"],
      ["ends: no more than are shown", "Stream.take(wantedEnds, limit)", "wantedEnds"]
    ]
  ),
  ...mutantsOf(
    `${snapshot}/SnapshotsSql.ts`,
    ["test/eventlog/EndedWatches.test.ts"],
    [["ends: by the last event", "AND f.position < ? ORDER", "AND f.position <= ? ORDER"]]
  ),
  ...mutantsOf(
    "packages/domain/src/watch/WatchEvolution.ts",
    ["packages/domain/test/WatchFold.test.ts"],
    [
      [
        "fold: another rule is another fingerprint",
        '...(kind === "usage-limit" || kind === "outage" ? { waits',
        "...(true ? { waits"
      ]
    ]
  ),
  ...mutantsOf(
    "packages/plan/src/run/RunEvolution.ts",
    ["packages/plan/test/RunFold.test.ts"],
    [["fold: another rule of runs is another fingerprint", "waits: run.waits + 1", "waits: run.waits + 2"]]
  ),
  ...mutantsOf(`${snapshot}/Milestones.ts`, tests, [
    ["past: states along a stream", "milestoneEvery !== undefined && revision % milestoneEvery === 0", "false"],
    ["past: no large state", "const maxLength = 20_000", "const maxLength = 20_000_000"],
    ["past: not from a state in doubt", "codec.decode(kept)", "{ ...fold.initial, ...JSON.parse(kept.state || '{}') }"]
  ]),
  ...mutantsOf(
    "packages/embed/src/timeline/WatchPast.ts",
    ["packages/embed/test/WatchPast.test.ts"],
    [
      ["past: a part of a long history", "Math.floor((around - side) / watchMilestone) * watchMilestone", "0"],
      ["past: with what still goes on", "return after === 0 || earlier.length === 0", "return true"],
      ["past: by halves", "one.event.at <= time", "one.event.at < time - 60_000"],
      ["past: to its end", "to < upTo ? Option.some(to) : Option.none<number>()", "Option.none<number>()"]
    ]
  ),
  ...mutantsOf(
    "packages/embed/src/explain/Why.ts",
    ["packages/embed/test/WatchPast.test.ts"],
    [["past: nothing decided by then", "return after === 0 ? null : undefined", "return undefined"]]
  ),
  ...mutantsOf("packages/eventlog/src/Aggregate.ts", tests, [
    ["tail: more where that is not enough", "after === 0 || enough(events)", "(true as boolean)"],
    ["one: no stream of another kind", 'id.includes("/") ? initial : yield* load(id)', "yield* load(id)"]
  ]),
  ...mutantsOf(
    "packages/embed/src/watching/FindWatch.ts",
    ["packages/cli/test/StatusCommand.test.ts"],
    [
      ["status: of those that ended the ones with news", "seenUpTo < watch.revision", "true"],
      ["status: the last that ended", "const maxEnded = 20", "const maxEnded = 2000"],
      ["status: how many more have ended", "count - ended.length", "0"]
    ]
  ),
  ...mutantsOf(
    "packages/cli/src/commands/StatusCommand.ts",
    ["packages/cli/test/StatusCommand.test.ts"],
    [
      [
        "status: what has ended, from its snapshot",
        "rows.push({ ...one, seen: undefined, job: watchJob(one, false) })",
        "one"
      ],
      ["status: all on request", "const all = flags.all && Option.isNone(flags.watch)", "const all = false as boolean"]
    ]
  )
]
