import { mutantsOf } from "./Mutant.ts"

const hosts = "test/cli/HostStatus.test.ts"
const shipper = "packages/fleet/test/Shipper.test.ts"
/** They notice where there is a Postgres. */
const store = "test/fleet/HubStore.test.ts"
const projection = "test/fleet/HubProjection.test.ts"
const alarms = "test/fleet/HubAlarms.test.ts"
const browsers = "test/fleet/HubBrowsers.test.ts"
const jobs = "test/fleet/HubJobs.test.ts"
const retention = "test/fleet/HubRetention.test.ts"
const cluster = "test/fleet/HubCluster.test.ts"

/** Mutants that take away the defences of what is seen of other hosts. */
export const fleetMutants = [
  ...mutantsOf(
    "packages/cli/src/hosts/HostStatus.ts",
    [hosts],
    [
      ["hosts: a name is no flag", "/^\\w[\\w.:%@-]{0,252}$/u", "/^[\\w.:%@-]{0,253}$/u"],
      ["hosts: … and no words of a shell", "/^\\w[\\w.:%@-]{0,252}$/u", "/^\\w.{0,252}$/u"],
      ["hosts: not too many", "if (hosts.length > maxHosts)", "if (false as boolean)"],
      [
        "hosts: each once",
        '[...new Set(text.split(",").map((host) => host.trim()))]',
        'text.split(",").map((host) => host.trim())'
      ],
      ["hosts: nothing is asked by ssh", '"-o", "BatchMode=yes", ', ""],
      ["hosts: a program of an absolute folder", "command: ssh,", 'command: "ssh",'],
      ["hosts: a bounded answer", "atMost: 16_000_000", "atMost: 160_000_000"],
      [
        "hosts: an answer by its schema",
        'onNone: () => ({ host, problem: "its answer is no status that this version reads", watches: [] })',
        "onNone: () => ({ host, problem: null, watches: [] })"
      ],
      [
        "hosts: a failure is a row",
        'Effect.catchTag("ProgramFailed", ({ message }) =>',
        'Effect.catchTag("ProgramFailed", ({ message }) => message.length > 0 ? new BadUsage({ message }) :'
      ],
      [
        "hosts: who needs a person comes first",
        "urgentFirst(found, ({ watch }) => ({ state: watch.state, at: epochOf(watch.last_event_at) ?? 0 }))",
        "found"
      ],
      ["hosts: all else that a host says", ",\n  [Schema.Record(Schema.String, Schema.Json)]", ",\n  []"]
    ]
  ),
  ...mutantsOf(
    "packages/cli/src/hosts/HostTable.ts",
    [hosts],
    [["hosts: a command of a host is not ours to type", "isOwnCommand(next) ?", "next.length > 0 ?"]]
  ),
  ...mutantsOf(
    "packages/cli/src/hosts/HostTable.ts",
    ["packages/cli/test/FleetTable.test.ts"],
    [
      ["hosts: the state of a silent host", 'lastKnown ? "last known: " : ""', '""'],
      ["hosts: the agent of a job", 'watch.agent ?? ""', '""']
    ]
  ),
  ...mutantsOf(
    "packages/cli/src/fleet/FleetTable.ts",
    ["packages/cli/test/FleetTable.test.ts"],
    [
      ["fleet: an end is not a last known state", 'job.state !== "ended" && host', "host"],
      ["next: the word of a standby", 'state === "needs you" && need', "need"],
      ["next: no word to a run", 'kind === "run" || need === null', "need === null"],
      ["next: of a person of the hub", "speaks ? wordFor(job) : undefined", "wordFor(job)"],
      ["next: to a host that takes words", "host.takesWords && troubleOf", "troubleOf"],
      ["next: to a host that hears", " && troubleOf(host) === undefined", ""],
      ["next: no name of a shell", " || !plainName.test(host.name)", ""],
      ["next: … nor of a host", " || !plainName.test(job.id)", ""],
      ["next: a forked log", "if (host.forked)", "if (false as boolean)"],
      ["next: not a host that said goodbye", "saidGoodbye(host) ? undefined : silenceOf(host)", "silenceOf(host)"],
      ["next: a silent host", "silence === undefined ? []", "true as boolean ? []"],
      ["fleet: jobs of a forked log are not none", 'host.forked ? "its watches are not shown" : null', "null"],
      ["fleet: a host by its newest log", "newestLogs(hosts)\n    .filter", "hosts\n    .filter"]
    ]
  ),
  ...mutantsOf(
    "packages/cli/src/commands/FleetCommand.ts",
    ["packages/cli/test/FleetStatus.test.ts"],
    [["fleet status: a missing shipper is told", "silence !== undefined && seen.problem === null", "false as boolean"]]
  ),
  ...mutantsOf(
    "packages/cli/src/fleet/HubLogs.ts",
    ["packages/cli/test/HubLogs.test.ts"],
    [["hub hosts: a host writes no line of its own", "plain(host)", "host"]]
  ),
  ...mutantsOf(
    "packages/hub/src/HubProjection.ts",
    [`${projection}: a view has the logs that spoke last, where there are more than it takes`],
    [["view: bounded logs", "known.length > maxLogsViewed ? newest : known", "known"]]
  ),
  ...mutantsOf(
    "packages/cli/src/commands/FleetCommand.ts",
    ["test/fleet/FleetCli.test.ts: status --fleet shows the watches of all hosts"],
    [["fleet status: a missing shipper", "seen.copied === undefined ? undefined : silenceOf(seen.copied)", "undefined"]]
  ),
  ...mutantsOf(
    "packages/hub/src/HubDatabase.ts",
    ["packages/hub/test/HubDatabase.test.ts"],
    [
      [
        "database: no password is told",
        "return `${hostOf(new URL(url))}",
        "return `${new URL(url).password}@${hostOf(new URL(url))}"
      ]
    ]
  ),
  ...mutantsOf(
    "packages/hub/src/HubStore.ts",
    ["packages/hub/test/HubDatabase.test.ts"],
    [["database: the reason of the driver", "problem: rootProblem(error)", "problem: error.message"]]
  ),
  ...mutantsOf(
    "packages/fleet/src/ShipDecision.ts",
    [shipper],
    [
      ["shipper: not a forked log", "!forked && own", "own"],
      ["shipper: of the same place", "own?.position === mark.position && ", "own !== undefined && "],
      ["shipper: of the same events", " && own.digest === mark.digest", ""]
    ]
  ),
  ...mutantsOf(
    "packages/fleet/src/Shipper.ts",
    ["test/simulation/fleet.test.ts"],
    [
      [
        "fleet: each event once",
        "own.after(mark.position, maxBatchEvents))\n      if",
        "own.after(0, maxBatchEvents))\n      if"
      ],
      ["fleet: an older backup is no fork", "mark.position <= position ? mark : noMark", "mark"]
    ]
  ),
  ...mutantsOf(
    "packages/fleet/src/Shipper.ts",
    [shipper],
    [
      [
        "shipper: what the hub has not",
        "own.after(mark.position, maxBatchEvents))\n      if",
        "own.after(0, maxBatchEvents))\n      if"
      ],
      ["shipper: a goodbye", ", away: true }", " }"],
      ["shipper: … that waits for no hub", "Effect.timeout(goodbyeTimeout), ", ""],
      ["shipper: a beat without news", "answeredAt < beatMillis", "answeredAt < Infinity"],
      [
        "shipper: the hub hears of a fork",
        '    yield* Effect.catchTag(reached(hub.fork(log, found.mark)), "NoSuchLog", () => Effect.void)\n',
        ""
      ],
      ["shipper: smaller parts of what does not arrive", "Math.max(1, Math.floor(some.length / 2))", "some.length"],
      ["shipper: … one event at least", "Math.max(1, Math.floor(some.length / 2))", "Math.floor(some.length / 2)"],
      ["shipper: … which grow again", "Math.min(maxBatchEvents, 2 * room)", "room"],
      ["shipper: not all of the log at each doubt", "mark.position <= position ? mark : noMark", "noMark"],
      ["shipper: a lost log is begun again", "Effect.tap(begin, () => setback)", "Effect.succeed(mark)"],
      [
        "shipper: beats by the monotonic clock",
        "(yield* momentNow).monotonic - answeredAt",
        "(yield* momentNow).wall - answeredAt"
      ],
      ["shipper: tried again", "Effect.retry({ while: isAway, schedule: untilReached })", "Effect.retry({ times: 0 })"],
      ["shipper: a trouble is told once", "if (away || !isAway(error))", "if (!isAway(error))"],
      ["shipper: its end is told", 'if (away) yield* tell({ _tag: "Back", mark })', ""],
      ["shipper: only a trouble that may pass", "while: isAway, schedule", "while: () => true, schedule"],
      ["shipper: not beyond the hub's mark", ".filter(([event]) => event <= position)", ""],
      ["shipper: a lost log is not begun again for ever", "Effect.tap(begin, () => setback)", "begin"],
      ["shipper: a hub sets back a few times", "? Effect.void : setback", "? Effect.void : Effect.void"],
      ["shipper: … and a hub ahead does not", "? Effect.void : setback", "? setback : setback"],
      ["shipper: a bounded batch", "(length += event[6].length) > maxBatchLength", "(length += event[6].length) < 0"],
      ["shipper: at least one event", "Math.max(1, end)", "end"]
    ]
  ),
  ...mutantsOf(
    "packages/fleet/src/Chain.ts",
    [shipper],
    [
      ["chain: the digest before", "digestOf(`${digest}${JSON.stringify(event)}`)", "digestOf(JSON.stringify(event))"],
      ["chain: the whole event", "JSON.stringify(event)", "JSON.stringify(event.slice(1, 6))"]
    ]
  ),
  ...mutantsOf(
    "packages/fleet/src/ShippedLog.ts",
    ["packages/fleet/test/ShippedLog.test.ts"],
    [
      ["shipped: in the order of the log", "ORDER BY position LIMIT", "ORDER BY position DESC LIMIT"],
      ["shipped: within the contract", "if (Option.isSome(rows)) return rows.value", "return found as never"]
    ]
  ),
  ...mutantsOf(
    "packages/node/src/sqlite/SqliteClient.ts",
    ["packages/fleet/test/ShippedLog.test.ts"],
    [
      [
        "shipped: a connection that only reads",
        'kept || (yield* fs.exists(`${path}-wal`)) ? "mode=ro"',
        'kept ? "mode=rw"'
      ],
      ["shipped: … and sees what is new", "kept || (yield*", "(yield*"],
      [
        "shipped: a missing log is no foreign one",
        'if (found._tag === "None") return yield* unusable(path, "missing"',
        'if (found._tag === "None") return yield* unusable(path, "foreign"'
      ],
      [
        "shipped: no log of a newer souffleur",
        "if ((schema?.user_version ?? 0) > migrations.length)",
        "if ((schema?.user_version ?? 0) > Infinity)"
      ]
    ]
  ),
  ...mutantsOf(
    "packages/fleet/src/Hub.ts",
    ["packages/fleet/test/Hub.test.ts"],
    [
      ["hub: a status says what is wrong", "if (error.response !== undefined)", "if (false as boolean)"],
      ["hub: an answer has its time", "Effect.timeout(timeout)", 'Effect.timeout("1 hour")'],
      ["hub: … and more with the size of a batch", ", timeoutOf(payload))", ")"],
      ["hub: an answer to a host is short", "client(address, maxHostAnswer)", "client(address, maxPersonAnswer)"],
      ["hub: the token is for one server", '{ redirect: "manual" }', "{}"]
    ]
  ),
  ...mutantsOf(
    "packages/fleet/src/bounds/BoundedFetch.ts",
    ["packages/fleet/test/Hub.test.ts"],
    [["fleet: an answer is bounded", "if (bytes > maxBytes)", "if (bytes > 100 * maxBytes)"]]
  ),
  ...mutantsOf(
    "packages/hub/src/HubDatabase.ts",
    ["packages/hub/test/HubDatabase.test.ts"],
    [
      ["hub: another machine by its name", "127(?:\\.\\d{1,3}){3}", "127.*"],
      ["hub: … and by the last one", 'searchParams.getAll("host").at(-1)', 'searchParams.get("host")']
    ]
  ),
  ...mutantsOf(
    "packages/fleet/src/Membership.ts",
    ["packages/fleet/test/Membership.test.ts"],
    [
      ["fleet: an address of https or this machine", "serverUrl(text) !== undefined", "true"],
      [
        "fleet: a file of this user alone",
        'own: true, others: "nothing", atMost: 4096',
        'own: true, others: "write as its group", atMost: 4096'
      ],
      ["fleet: a token as a hub makes it", "Schema.isPattern(/^[0-9a-f]{64}$/u)", "Schema.isPattern(/./u)"],
      ["fleet: another file is no fleet", "if (Option.isSome(known)) return known", "return known"]
    ]
  ),
  ...mutantsOf(
    "packages/hub/src/HubStore.ts",
    [store],
    [
      ["store: a goodbye is kept", "away = $15,", "away = ($15 AND false),"],
      ["store: … until a new shipper", "away = false, last_seen", "last_seen"],
      ["hub: a mark at the same place", "AND position = $3 AND digest = $4", "AND $3::int8 = $3 AND digest = $4"],
      ["hub: … after the same events", "AND position = $3 AND digest = $4", "AND position = $3 AND $4::text = $4"],
      ["hub: not of a forked log", " AND NOT forked\n", "\n"],
      [
        "hub: of a host that was not revoked",
        "AND EXISTS (SELECT 1 FROM hosts WHERE name = $2 AND revoked IS NULL)",
        ""
      ],
      ["hub: its digest is computed again", "mark.digest !== digest || ", ""],
      ["hub: positions in their order", " || !isInOrder(batch)", ""],
      ["hub: a log of this host", "if (row.enrolled_host !== enrolledHost) return yield* new LogOfAnother()", ""],
      [
        "hub: a log that it has",
        "if (row === undefined) return yield* new NoSuchLog()",
        "if (row === undefined) return yield* new LogOfAnother()"
      ],
      ["hub: … and of this machine", "if (row.machine !== machine) return yield* new LogOfAnother()", ""],
      [
        "hub: a forked log is told",
        "if (row.forked) return yield* new OtherMark",
        "if (false as boolean) return yield* new OtherMark"
      ],
      ["hub: readers stop at the oldest transaction", " AND xid < pg_snapshot_xmin(pg_current_snapshot())", ""],
      ["hub: readers go by numbers", "ORDER BY events.xid, events.seq", "ORDER BY xid, seq"]
    ]
  ),
  ...mutantsOf(
    "packages/hub/src/people/HubTokens.ts",
    [store],
    [
      [
        "hub: a token is stored as a digest",
        "yield* digestOf(`souffleur fleet ${Redacted.value(token)}`)",
        "Redacted.value(token)"
      ],
      ["hub: a host is enrolled once", "WHERE ${sql(table)}.revoked IS NOT NULL RETURNING name", "RETURNING name"],
      [
        "hub: a token that was not revoked",
        "WHERE token_digest = ${digest} AND revoked IS NULL",
        "WHERE token_digest = ${digest}"
      ]
    ]
  ),
  ...mutantsOf(
    "packages/hub/src/HubStore.ts",
    [`${store}: a host begins a thousand logs at most, and its own goes on`],
    [["hub: not too many logs of one host", "< ${maxLogs}", "< ${maxLogs * 2}"]]
  ),
  ...mutantsOf(
    "packages/hub/src/HubStore.ts",
    [`${store}: a dump that is restored into another server is read whole and in order, and new events after it`],
    [["hub: a reader of another epoch begins again", "epoch <> $4 OR ", "$4::bigint IS NULL OR "]]
  ),
  ...mutantsOf(
    "packages/hub/src/HubProjection.ts",
    [projection],
    [
      ["view: one hub at a time", "WHERE rules = ${rules} FOR UPDATE OF projections`", "WHERE rules = ${rules}`"],
      ["view: readers stop at the oldest transaction", " AND xid < pg_snapshot_xmin(pg_current_snapshot())", ""],
      ["view: the place moves with the jobs", "orOut(sql.withTransaction(pass))", "orOut(pass)"],
      [
        "view: of these rules alone",
        "USING (log, stream) WHERE rules = $1",
        "USING (log, stream) WHERE $1::text <> ''"
      ],
      ["view: a bounded pass, by its events", "length += row.data.length + (", "length += ("],
      ["view: … by its jobs", "row.data.length + (lengths.get(keyOf(row)) ?? 0)", "row.data.length"],
      ["view: … each counted once", "    lengths.delete(keyOf(row))\n", ""],
      ["view: … one event at least", "Math.max(1, end)", "end"],
      ["view: a bounded event", "length(data) > ${maxRead}", "length(data) > ${10 * maxRead}"],
      ["view: a bounded name", "row!.stream.length <= maxStream", "row!.stream.length <= 10 * maxStream"],
      ["view: what ended lately", "urgency < ${", "urgency <= ${"],
      ["view: the need of a person first", "ORDER BY urgency, at DESC, log", "ORDER BY at DESC, urgency, log"],
      ["view: found by its host too", "strpos(lower(enrolled_host) || ' ' || sought, word)", "strpos(sought, word)"],
      ["view: found by its folder", "`${id} ${project}`.toLowerCase()", "id.toLowerCase()"],
      [
        "view: found by each word",
        "AND NOT EXISTS (\n    SELECT 1 FROM unnest",
        "AND EXISTS (\n    SELECT 1 FROM unnest"
      ],
      ["view: a reader of another epoch begins again", "mark!.is_past ?", "(false as boolean) ?"]
    ]
  ),
  ...mutantsOf(
    "packages/hub/src/Projector.ts",
    ["packages/hub/test/Projector.test.ts"],
    [
      ["view: an outage passes", "folding(pass).pipe(", "Effect.orDie(pass).pipe("],
      ["view: no pause while events are left", "(count === 0 ? Effect.sleep(look) : Effect.void)", "Effect.sleep(look)"]
    ]
  ),
  ...mutantsOf(
    "packages/hub/src/HubProjection.ts",
    [alarms],
    [["alarms: no job of a forked log", "NOT forked AND revoked IS NULL", "revoked IS NULL"]]
  ),
  ...mutantsOf(
    "packages/hub/src/HubProjection.ts",
    [retention],
    [["retention: what comes later goes later", ", forgotten = false`", "`"]]
  ),
  ...mutantsOf(
    "packages/hub/src/HubJobs.ts",
    [jobs],
    [
      ["job: of no forked log", "AND NOT forked AND revoked IS NULL", "AND revoked IS NULL"],
      ["job: of no revoked host", "AND NOT forked AND revoked IS NULL", "AND NOT forked"],
      ["job: with its events", "AND NOT forgotten ", ""],
      ["job: of this fold", "BETWEEN greatest(jobs.first, $6::bigint + 1) AND jobs.last", "> $6::bigint"],
      ["job: behind a place", "greatest(jobs.first, $6::bigint + 1)", "greatest(jobs.first, $6::bigint * 0)"],
      ["job: its own events", "AND found.stream = jobs.stream", ""],
      ["job: up to a revision", "AND revision <= $5", "AND $5::bigint > 0"],
      ["job: a bounded read", "> ${maxRead} THEN", "> 9 * ${maxRead} THEN"]
    ]
  ),
  ...mutantsOf(
    "packages/hub/src/people/HubBrowsers.ts",
    [browsers],
    [
      [
        "browser: a token that was not revoked",
        "WHERE token_digest = $2 AND revoked IS NULL",
        "WHERE token_digest = $2"
      ],
      ["browser: … since", "WHERE digest = $1 AND revoked IS NULL AND", "WHERE digest = $1 AND"],
      ["browser: for 30 days", "AND entered > clock_timestamp() - ${lasting}", ""],
      [
        "browser: … and forgotten then",
        "DELETE FROM browsers WHERE entered <",
        "DELETE FROM browsers WHERE entered IS NULL OR clock_timestamp() <"
      ],
      [
        "browser: a word is stored as a digest",
        "digestOf(`souffleur browser ${Redacted.value(word)}`)",
        "Effect.succeed(Redacted.value(word))"
      ]
    ]
  ),
  ...mutantsOf(
    "packages/hub/src/HubRetention.ts",
    [retention],
    [
      ["retention: of what has ended", "AND urgency = ${", "AND 9 <> ${"],
      [
        "retention: long ago",
        "AND at < extract(epoch FROM clock_timestamp()) * 1000 - $2::bigint",
        "AND $2::bigint > 0"
      ],
      ["retention: not beside other rules", "AND NOT EXISTS (SELECT 1 FROM projections WHERE rules <> $1)", ""],
      ["retention: what is folded", "(events.xid, events.seq) <= (projections.xid, projections.seq)", "events.seq > 0"],
      ["retention: … of this server", "AND projections.epoch = origin.epoch)", ")"],
      ["retention: no fold meanwhile", "IN EXCLUSIVE MODE", "IN ROW SHARE MODE"]
    ]
  ),
  ...mutantsOf(
    "packages/hub/src/HubAlarms.ts",
    [alarms],
    [
      [
        "alarms: silence of two minutes",
        "AND clock_timestamp() - interval '2 minutes'",
        "AND clock_timestamp() - interval '30 seconds'"
      ],
      ["alarms: not at the start of a hub", "kind <> 'silent' OR EXISTS", "kind <> '' OR EXISTS"],
      ["alarms: … nor after a gap", "excluded.looked - interval '30 seconds'", "excluded.looked - interval '1 day'"],
      ["alarms: … though not after any", "excluded.looked - interval '30 seconds'", "excluded.looked"],
      ["alarms: not after a goodbye", "AND (NOT away OR", "AND (true OR"],
      ["alarms: … for an hour", "OR last_seen < clock_timestamp() - interval '1 hour'", "OR true"],
      ["alarms: … nor where no job lives", "jobs.log = newest.log AND ${isUnfinished}", "jobs.log = newest.log"],
      ["alarms: not of a host that is away for good", "interval '7 days'", "interval '700 days'"],
      ["alarms: not of a revoked host", "WHERE revoked IS NULL ORDER", "ORDER"],
      [
        "alarms: … by the log that it goes on with",
        "ORDER BY enrolled_host, last_seen DESC",
        "ORDER BY enrolled_host, last_seen"
      ],
      ["alarms: another need is another alarm", "AND (cause.why = alarms.why OR alarms.rules <> $1)", ""],
      ["alarms: the same need in the words of other rules is none", "OR alarms.rules <> $1)", ")"],
      ["alarms: each ends with its cause", "yield* orOut(sql.unsafe(ended, [rules]))", ""],
      ["alarms: told once", "AND told IS NULL AND", "AND"],
      ["alarms: a dead hub's are told by the next one", "taken < clock_timestamp() - interval '1 minute'", "false"],
      ["alarms: one hub at a time", "(taken IS NULL OR taken < clock_timestamp() - interval '1 minute')", "true"],
      [
        "alarms: a late word is of an earlier one",
        "(of.kind, of.log, of.stream, of.begun) = (alarms.kind, alarms.log, alarms.stream, alarms.begun)",
        "(of.kind, of.log, of.stream) = (alarms.kind, alarms.log, alarms.stream)"
      ]
    ]
  ),
  ...mutantsOf(
    "packages/hub/src/cluster/HubCluster.ts",
    [cluster],
    [
      ["hubs: another one goes on", 'shardLockExpiration: "1 minute"', 'shardLockExpiration: "1 day"'],
      ["hubs: the locks are rows", "shardLockDisableAdvisory: true,", ""],
      ["hubs: the parts of a hub alone", "assignedShardGroups: groups,", "assignedShardGroups: [],"],
      ["hubs: a part of these rules", "`${part} ${rules}`", "`${part}`"]
    ]
  ),
  ...mutantsOf(
    "packages/fleet/src/bounds/Allowance.ts",
    [shipper],
    [["shipper: a pause ends", "turns.release(1)", "Effect.void"]]
  ),
  ...mutantsOf(
    "packages/node/src/ConnectionBounds.ts",
    ["packages/node/test/TlsServer.test.ts"],
    [["server: bounded connections", "server.maxConnections = bounds.connections ?? 10_000\n", ""]]
  ),
  ...mutantsOf(
    "packages/node/src/TlsServer.ts",
    ["packages/node/test/TlsServer.test.ts"],
    [
      ["tls: the key is of this user alone", 'text(files.key, "nothing")', 'text(files.key, "read")'],
      ["tls: the key is of its certificate", "!certificate.checkPrivateKey(key)", "(false as boolean)"],
      ["tls: all of its certificates can be read", "try: () => createSecureContext(pair)", "try: () => pair"],
      ["tls: a renewed certificate is shown", "server.setSecureContext(pair)", ""],
      ["tls: a broken one is not", "Effect.catch((error) =>", "Effect.catchDefect((error: any) =>"]
    ]
  ),
  ...mutantsOf(
    "packages/fleet/src/Hub.ts",
    ["test/fleet/FleetTls.test.ts"],
    [["tls: why a certificate does not count", "return code ? String(error.code)", "return !code ? String(error.code)"]]
  ),
  ...mutantsOf(
    "packages/hub/src/cluster/Forgetting.ts",
    ["packages/hub/test/Forgetting.test.ts"],
    [
      ["retention: until none are left", "until: (jobs = 0) => jobs === 0", "until: () => true"],
      ["retention: each hour", '"0 * * * *"', '"0 0 * * *"']
    ]
  ),
  ...mutantsOf(
    "packages/hub/src/cluster/Sentinel.ts",
    ["packages/hub/test/Sentinel.test.ts"],
    [
      ["alarms: each hub listens through an outage", "Effect.ignore(listen)", "Effect.orDie(listen)"],
      ["alarms: once all is folded", "if (!folded) yield*", "if (false as boolean) yield*"],
      ["alarms: only what a channel took is told", "(took ? told(alarms) : Effect.void)", "told(alarms)"],
      ["alarms: a move waits until they are marked", "Effect.uninterruptible(Effect.tap(", "(Effect.tap("],
      ["alarms: an outage passes", "return telling(looked).pipe(", "return Effect.orDie(looked).pipe("]
    ]
  ),
  ...mutantsOf(
    "packages/hub/src/HubTrouble.ts",
    ["packages/hub/test/Sentinel.test.ts"],
    [
      ["alarms: a trouble is logged once", "if (failing) return Effect.undefined", ""],
      ["alarms: … and its end", "if (!failing) return Effect.void", "if (!failing || true) return Effect.void"]
    ]
  ),
  ...mutantsOf(
    "packages/hub/src/HubNumbers.ts",
    ["packages/hub/test/HubNumbers.test.ts"],
    [
      ["numbers: not of a revoked host", "logs.filter(({ revoked }) => !revoked)", "logs"],
      [
        "numbers: a host is as its newest log",
        "one.lastSeenAgo < newest.lastSeenAgo",
        "one.lastSeenAgo > newest.lastSeenAgo"
      ],
      ["numbers: of all its logs", "all.some((one) => one.log === log)", "log === all[0]?.log"]
    ]
  ),
  ...mutantsOf(
    "packages/hub/src/HubServer.ts",
    ["packages/hub/test/HubNumbers.test.ts"],
    [
      [
        "numbers: for who has a token",
        "if (Option.isNone(person)) return yield* new TokenRefused()",
        'if (Option.isNone(person)) return yield* Effect.provideService(answer, PersonAtHub, { name: "", role: "viewer", since: "" })'
      ]
    ]
  ),
  ...mutantsOf(
    "packages/cli/src/fleet/FleetNotice.ts",
    ["packages/cli/test/FleetNotice.test.ts"],
    [
      ["alarms: a bounded notice", "alarms.slice(0, maxNamed)", "alarms.slice(0)"],
      ["alarms: told once one channel took it", "missed.length === channels.length", "missed.length > 0"],
      ["alarms: told by a channel at all", "missed.length === channels.length", "false as boolean"],
      ["alarms: no control character of a host", "plain(named(alarm), 200)", "named(alarm)"],
      ["alarms: a need of a person passes the quiet hours", '"waiting_for_a_person" : ', '"silent_host" : ']
    ]
  ),
  ...mutantsOf(
    "packages/cli/src/fleet/FleetJobs.ts",
    ["packages/cli/test/FleetJobs.test.ts"],
    [
      ["view: each event once", "problem !== null || revision <= state.revision", "problem !== null"],
      ["view: no event after a doubt", "problem !== null || revision <= state.revision", "revision <= state.revision"],
      ["view: no gap", "if (revision !== state.revision + 1)", "if (false as boolean)"],
      ["view: a bounded job", 'text === "" || text.length > maxKept', 'text === ""'],
      ["view: no control character", "project: textOf(project)", "project"],
      ["view: … after which it is cut", "plain(plain(text), maxText)", "plain(text, maxText)"],
      ["view: an owner counts as alive", "watch.owner !== undefined, utc", "false as boolean, utc"]
    ]
  ),
  ...mutantsOf(
    "packages/fleet/src/FleetView.ts",
    ["packages/cli/test/FleetJobs.test.ts"],
    [
      [
        "view: any text of a host has room",
        "Schema.String.check(Schema.isMaxLength(10_000))",
        "Schema.String.check(Schema.isMaxLength(400))"
      ]
    ]
  ),
  ...mutantsOf(
    "packages/fleet/src/FleetView.ts",
    ["packages/cli/test/FleetJobs.test.ts"],
    [["view: silence is told", "host.lastSeenAgo > silentMillis\n", "(false as boolean)\n"]]
  ),
  ...mutantsOf(
    "packages/hub/src/HubMigrations.ts",
    [`${store}: a dump that is restored into another server is read whole and in order, and new events after it`],
    [
      ["hub: a restored dump is in the past", "  yield* sql`UPDATE events SET xid = '3'`\n", ""],
      ["hub: … once", "if (elsewhere.length === 0) return\n", ""]
    ]
  ),
  ...mutantsOf(
    "packages/hub/src/HubServer.ts",
    ["packages/hub/test/HubServer.test.ts"],
    [
      ["hub: a request is bounded", ", middleware: bounded }", " }"],
      [
        "hub: … that of a person more so",
        "Effect.provideService(HttpIncomingMessage.MaxBodySize, maxPersonBytes)",
        "Effect.provideService(HttpIncomingMessage.MaxBodySize, ByteSize.bytes(maxRequestBytes))"
      ],
      ["hub: … and few of a host together", "Semaphore.make(together)", "Semaphore.make(64)"],
      [
        "hub: a token that counts to the end of its request",
        "Effect.andThen(Effect.ignore(arrayBuffer), known)",
        "known"
      ]
    ]
  ),
  ...mutantsOf(
    "packages/cli/src/watching/ResumeWatch.ts",
    ["packages/cli/test/ResumeWatch.test.ts"],
    [
      [
        "resume: an owner that left watches nothing",
        "isSameProcess(left?.process, owner.process)",
        "(false as boolean)"
      ]
    ]
  ),
  ...mutantsOf(
    "packages/cli/src/commands/ResumeCommand.ts",
    ["packages/cli/test/ResumeCommand.test.ts"],
    [
      ["resume: a person moves a watch", 'if (moved) yield* personOnly("souffleur resume --moved")', ""],
      ["resume: … one of them", "if (moved && all)", "if (false as boolean)"]
    ]
  ),
  ...mutantsOf(
    "packages/domain/src/decide/WatchDecider.ts",
    ["packages/domain/test/WatchDecider.test.ts"],
    [["own: a move from the owner that was seen", "Equal.equals(watch.owner ?? watch.left, command.from)", "true"]]
  ),
  ...mutantsOf(
    "packages/embed/src/doctor/LogCheck.ts",
    ["packages/cli/test/LogCheck.test.ts"],
    [
      [
        "doctor: a watch that was left elsewhere",
        "watch.left !== undefined && isOfAnotherMachine(watch.left, claims.self)",
        "false as boolean"
      ]
    ]
  )
]
