import { mutantsOf } from "./Mutant.ts"

const tests = "packages/page/test"
const [gate, watch, html] = [`${tests}/PageGate.test.ts`, `${tests}/WatchPage.test.ts`, `${tests}/Html.test.ts`]
const [list, run, report] = [`${tests}/ListPage.test.ts`, `${tests}/RunPage.test.ts`, `${tests}/ReportPage.test.ts`]
const [fleet, fleetJob] = [`${tests}/FleetPages.test.ts`, `${tests}/FleetJobPages.test.ts`]

/** Mutants that take away single defences of the page: at its gate, in its forms and in its HTML. */
export const pageMutants = [
  ...mutantsOf(
    "packages/page/src/PageGate.ts",
    [gate],
    [
      ["page gate: this host alone", 'hosts.includes(request.headers["host"] ?? "")', "true"],
      ["page gate: the address that its user set", "pageUrl === null ? [] : [pageUrl]", "pageUrl === null ? [] : []"],
      [
        "page gate: the cookie",
        'isSameSecret(gate.secrets.cookie, request.cookies["souffleur"])',
        'request.cookies["souffleur"] !== undefined'
      ],
      ["page gate: the token", "isSameSecret(gate.secrets.token, given) ?", "given !== undefined ?"],
      ["page gate: no foreign code", "default-src 'none'; ", "default-src *; "],
      ["page gate: the cookie is for no script", "httpOnly: true", "httpOnly: false"],
      ["page gate: a cookie of https goes over https", "secure: isFromElsewhere(gate, request) &&", "secure: false &&"],
      ["page gate: no secure cookie on this machine", "secure: isFromElsewhere(gate, request) &&", "secure: true ||"],
      [
        "page gate: asks again where another page leads here alone",
        'headers["sec-fetch-site"] === "cross-site" && headers["sec-fetch-mode"] === "navigate"',
        "true"
      ],
      ["page gate: a form is not sent again", '"navigate" && method === "GET"', '"navigate"'],
      ["page gate: asks again with the cookie", "wasLed(request) &&", "false &&"],
      ["page gate: the token of a collector", "isSameSecret(secrets.metrics, token)", "token !== undefined"],
      [
        "page gate: the numbers take no token of a person",
        "isSameSecret(secrets.metrics, token)",
        "isSameSecret(secrets.metrics, token) || isSameSecret(secrets.token, token)"
      ]
    ]
  ),
  ...mutantsOf(
    "packages/page/src/PageGate.ts",
    [watch],
    [
      ["page form: of this origin", 'if (!originsOf(gate).includes(request.headers["origin"] ?? ""))', "if (false)"],
      ["page form: its secret", 'isSameSecret(secrets.form, field("secret"))', "true"],
      ["page form: none of an agent's page", "acts\n      ?", "acts || true\n      ?"]
    ]
  ),
  ...mutantsOf(
    "packages/page/src/LiveFeed.ts",
    [fleet],
    [["page: one person leaves feeds for the others", ">= maxFeedsOfOne", ">= maxFeeds"]]
  ),
  ...mutantsOf(
    "packages/page/src/fleet/FleetPages.ts",
    [fleet],
    [
      [
        "fleet page: the cookie",
        'const word = request.cookies["souffleur"] ?? ""',
        'const word = request.cookies["souffleur"] ?? "2".repeat(64)'
      ],
      [
        "fleet page: … of its path alone",
        "request.url.startsWith(`${path}/`) ? yield* found : Option.none()",
        "yield* found"
      ],
      ["fleet page: a token of the hub", "if (Option.isNone(word)) return door(false, true)", ""],
      ["fleet page: its part alone", "from: (page - 1) * jobsOnPage,", "from: 0,"],
      [
        "fleet page: a form of this origin",
        "const enter = formed(gate)(",
        "const enter = formed({ ...gate, pageUrl: null })("
      ],
      ["fleet page: this host alone", "const guarded = hardened(gate)", "const guarded = <A>(answer: A) => answer"],
      [
        "fleet page: a feed ends with its token",
        "Stream.takeWhileEffect(events, () => Effect.map(found, Option.isSome))",
        "events"
      ],
      [
        "fleet page: a store that is out ends no page",
        'error._tag === "StoreOut" ? feed(Stream.empty)',
        'error._tag === "StoreOut" ? Effect.succeed(door(false))'
      ]
    ]
  ),
  ...mutantsOf(
    "packages/page/src/fleet/FleetListPage.ts",
    [fleet],
    [
      ["fleet page: a job by its log", "jobsUnder(`${links.list}${job.log}`)", "jobsUnder(links.list)", fleetJob],
      ["fleet page: no command of a host", "isOwnCommand(job.need.next) ?", "job.need.next.length > 0 ?"],
      ["fleet page: silence is told", "silence === undefined ? words : `last known: ${words}`", "words"]
    ]
  ),
  ...mutantsOf(
    "packages/fleet/src/FleetView.ts",
    [fleet],
    [
      [
        "fleet page: the log that speaks",
        "log.lastSeenAgo < newest.lastSeenAgo",
        "log.lastSeenAgo > newest.lastSeenAgo"
      ],
      ["fleet page: no revoked host", "hosts.filter(({ revoked }) => !revoked)", "hosts.slice(0)"]
    ]
  ),
  ...mutantsOf(
    "packages/page/src/view/ListPage.ts",
    ["packages/page/test/ListPage.test.ts"],
    [["page list: the agent of a watch", "by !== null && html`", 'by === "plan" && html`']]
  ),
  ...mutantsOf(
    "packages/page/src/view/Facts.ts",
    [fleetJob],
    [["page watch: the agent by its name", "`${agent}, ${process}`", "process"]]
  ),
  ...mutantsOf(
    "packages/page/src/fleet/FleetJobPages.ts",
    [fleetJob],
    [
      [
        "fleet form: of this origin",
        "formed(gate)((field)",
        'formed({ ...gate, pageUrl: "https://attacker.example" })((field)'
      ],
      ["fleet form: its secret", '!isSameSecret(secret, field("secret"))', "(false as boolean)"],
      [
        "fleet form: a revision",
        "if (seen === undefined) return",
        "if (seen === undefined && (false as boolean)) return"
      ],
      ["fleet form: of an operator", 'if (guest.role !== "operator")', "if (false as boolean)"],
      [
        "fleet form: to a watch of the hub",
        "const { id } = yield* copy.watchJob(yield* idInPath)",
        "const id = yield* idInPath"
      ],
      ["fleet form: its end", "(yield* sight.now) + wordLasts", "(yield* sight.now) + 10 * wordLasts"],
      ["fleet form: the revision that was shown", "seen: String(watch.revision)", "seen: String(watch.revision + 1)"],
      ["fleet job: no form of a run", "secret: null }, links, now)", "secret }, links, now)"],
      ["fleet job: an end waits for the answer to a word", "&& !(yield* sight.toWatch(log, id)).some(isOpen)", ""]
    ]
  ),
  ...mutantsOf(
    "packages/page/src/fleet/FleetCopy.ts",
    [fleetJob],
    [
      ["fleet job: no gap", "revision !== after + known.length + 1 || ", ""],
      ["fleet job: of its kind", "Option.isSome(job) && job.value.kind === kind ?", "Option.isSome(job) ?"],
      ["fleet job: the name of a log", "isLog(log) && isStream(stream) ?", "isStream(stream) ?"],
      ["fleet job: the name of a stream", "isLog(log) && isStream(stream) ?", "isLog(log) ?"],
      ["fleet job: no page without events", "newest.last === 0 ?", "newest.last < 0 ?"]
    ]
  ),
  ...mutantsOf(
    "packages/page/src/fleet/FleetJobParts.ts",
    [fleetJob],
    [
      ["fleet job: no command of a host", "isOwnCommand(job.need.next) &&", ""],
      ["fleet job: silence is told", "silence === undefined ? words : `last known: ${words}`", "words"],
      ["fleet job: a viewer has no button", 'role === "viewer" || ', ""],
      ["fleet job: a host that takes no words", "if (job.takesWords)", "if (true as boolean)"],
      ["fleet job: a refusal with its reason", "return `refused: ${reason}`", 'return "refused"'],
      ["fleet job: no answer before its end", "if (left > 0)", "if (true as boolean)"]
    ]
  ),
  ...mutantsOf(
    "packages/page/src/view/DoorPage.ts",
    [gate],
    [["page door: how to go on without JavaScript", "<noscript>", "<template>"]]
  ),
  ...mutantsOf(
    "packages/page/src/PageSecrets.ts",
    [gate],
    [["page secret: kept", "yield* keepPageToken(stateDir, token)", ""]]
  ),
  ...mutantsOf(
    "packages/process/src/notice/PageFile.ts",
    [gate],
    [["page secret: read by this user alone", '    others: "nothing",\n', ""]]
  ),
  ...mutantsOf(
    "packages/process/src/notice/ServedPages.ts",
    [gate],
    [
      ["page served: by a process that runs", "(one) => !isOver(one)", "() => true"],
      ["page served: kept by a process that ended it", "{ ...page, endedAt }", "page"],
      ["page served: a gap ends its secrets", "now < endedAt + restartMillis", "true"],
      ["page served: an end that is to come is none", "endedAt <= now", "true"],
      ["page served: a kill ends its secrets", "endedAt !== null && endedAt <= now &&", "endedAt === null ||"],
      ["page served: at its own port", "page.origin === origin)", "true)"],
      ["page served: beside another one", "other.origin !== origin", "false"],
      ["page served: a restart keeps its secrets", "? before.number : fresh", "? fresh : fresh"]
    ]
  ),
  ...mutantsOf(
    "packages/process/src/notice/PageAddress.ts",
    [gate],
    [
      ["page secret: whole", "form.test(token) ? token : undefined", "token"],
      [
        "page link: the address that is set comes first",
        "pageUrl === null ? pageServedNow(stateDir)",
        "true ? pageServedNow(stateDir)"
      ],
      ["page link: a name is one part of it", "encodeURIComponent(run)", "run"]
    ]
  ),
  ...mutantsOf(
    "packages/page/src/Html.ts",
    [html],
    [
      ["page html: escaped", "replaceAll(/[&<>\"']/gu, ", "replaceAll(/[&]/gu, "],
      ["page html: the order of a text", "plain(text).replaceAll", "text.replaceAll"],
      ["page html: values in quotes", "if (parts.some((_, n) => isBare(", "if (parts.some((_, n) => n < 0 && isBare("]
    ]
  ),
  ...mutantsOf(
    "packages/page/src/JobPages.ts",
    [list],
    [
      ["page list: what lives comes first", "[...found, ...last]", "[...last, ...found]"],
      ["page list: its page alone", ".slice((page - 1) * jobsOnPage, ", ".slice(0, "],
      ["page list: what was searched", 'search === "" ? undefined : isFound(search)', "undefined"],
      ["page list: no more than the page", "Math.max(0, page * jobsOnPage - found.length)", "100_000"],
      ["page list: a search hides no end from the counts", "(yield* souffleur.endedJobs(0)).count", "count"]
    ]
  ),
  ...mutantsOf(
    "packages/page/src/PageWorld.ts",
    [watch],
    [["page feed: goes on after the last event", 'numberOf(headers["last-event-id"] ?? "") ?? ', ""]]
  ),
  ...mutantsOf(
    "packages/page/src/WatchPages.ts",
    [watch],
    [
      ["page feed: the number of all events", "return [rows, head, ...parts", "return [rows, ...parts"],
      ["page watch: an export of this user alone", '{ own: true, others: "nothing" }', "{ own: true }"]
    ]
  ),
  ...mutantsOf(
    "packages/page/src/view/WatchPage.ts",
    [watch],
    [
      ["page watch: the evidence", "new Map(reasonsOf(events, before).map(", "new Map(reasonsOf([]).map("],
      [
        "page watch: the words of its commands",
        "describeFor(event, { comms, kind }, zone)",
        "describeEvent(event, zone)"
      ],
      ["page watch: a part leads to the one before", ": first > 1 ? first : null", ": null"],
      [
        "page watch: the part that is drawn",
        "watchTimeline(events, seen.now, before)",
        "watchTimeline(events, seen.now)"
      ]
    ]
  ),
  ...mutantsOf(
    "packages/page/src/view/WatchDrawing.ts",
    [`${tests}/WatchDrawing.test.ts`],
    [
      ["page drawing: no name without room", "end - begin >= named.screen &&", "true &&"],
      ["page drawing: no name beyond its bar on a telephone", '? "name roomy" : "name"', '? "name" : "name"'],
      ["page drawing: an end in words", "capital(endInWords(one.ended))", "capital(one.ended)"],
      ["page drawing: a death in words", "${endInWords(one.cause)}", "${one.cause}"],
      ["page drawing: many deaths are small", "died.length > manyDeaths ? 0.6 : 1", "1"]
    ]
  ),
  ...mutantsOf(
    "packages/page/src/history/Excerpt.ts",
    [watch],
    [["page watch: the state of that revision", "revision <= at)", "revision < at)"]]
  ),
  ...mutantsOf(
    "packages/embed/src/explain/WatchReason.ts",
    ["packages/embed/test/WatchReason.test.ts"],
    [["page watch: evidence in the words of its commands", "...personalReason(reason, { comms, kind })", ""]]
  ),
  ...mutantsOf(
    "packages/page/src/history/Excerpts.ts",
    [`${tests}/Excerpts.test.ts`],
    [
      ["page excerpt: nothing twice", "came.filter(({ revision }) => revision > known.now.revision)", "came"],
      ["page excerpt: outside a recovery", "since >= every && now.recovery === undefined", "since >= every"],
      ["page excerpt: an endless recovery is cut", "since >= 2 * every || ", ""],
      ["page excerpt: keeps the newest alone", "next.newest.filter(({ revision }) => revision > from)", "next.newest"],
      [
        "page excerpt: reads a piece at a time",
        "readBetween(revision, revision + every)",
        "readBetween(revision, Infinity)"
      ],
      ["page excerpt: what came before a revision", "mark.revision <= revision - every", "mark.revision <= revision"]
    ]
  ),
  ...mutantsOf(
    "packages/page/src/history/Histories.ts",
    [`${tests}/Histories.test.ts`],
    [
      ["page history: what is new alone", "{ after: before.length }", "{ after: 0 }"],
      ["page history: nothing twice", "fresh.filter(({ revision }) => revision > now.length)", "fresh"]
    ]
  ),
  ...mutantsOf(
    "packages/page/src/RunPages.ts",
    [run],
    [
      ["page run: its answer", "      yield* world.souffleur.answer(id, said)\n", ""],
      ["page run: the last event of a feed", "      id: String(fresh.at(-1)!.revision),", '      id: "",']
    ]
  ),
  ...mutantsOf(
    "packages/page/src/view/RunPage.ts",
    [run],
    [
      ["page run: the agents of a task", "${agentList(task.agents, seen)}", ""],
      ["page run: what its agent does", "doing === null ? null : [", "true ? null : ["],
      ["page run: the output of its agent", "output === null ? null : [", "true ? null : ["]
    ]
  ),
  ...mutantsOf(
    "packages/embed/src/conducting/RunStatus.ts",
    [run],
    [
      [
        "page run: a living agent alone",
        "assignment !== null && agent !== null && !isOver(agent)",
        "assignment !== null"
      ]
    ]
  ),
  ...mutantsOf(
    "packages/domain/src/describe/DescribeTurn.ts",
    ["packages/domain/test/DescribeTurn.test.ts"],
    [["turn: since its record", "now - turn.at", "now"]]
  ),
  ...mutantsOf(
    "packages/page/src/ReportFile.ts",
    [report],
    [["page report: its own style alone", "${yield* sourceOf(pageStyle)}", "'unsafe-inline'"]]
  ),
  ...mutantsOf(
    "packages/page/src/ReportPages.ts",
    [report],
    [["page report: the hours of its address", "Number(count) * units", "0 * units"]]
  ),
  ...mutantsOf(
    "packages/cli/src/commands/ReportCommand.ts",
    ["packages/cli/test/ReportCommand.test.ts"],
    [["report: its format", 'flags.format === "html"', "false"]]
  )
]
