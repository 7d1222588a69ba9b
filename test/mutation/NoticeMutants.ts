import { mutantsOf } from "./Mutant.ts"

const [notify, tests] = ["packages/notify/src", "packages/notify/test"]
const [requests, delivery, channels, desktop, notifier] = [
  `${tests}/ServerRequest.test.ts`,
  `${tests}/Delivery.test.ts`,
  `${tests}/Channels.test.ts`,
  `${tests}/Desktop.test.ts`,
  "packages/supervisor/test/Notifier.test.ts"
]

/** Mutants that take away single defences of notices: what leaves the machine, to whom, and how often. */
export const noticeMutants = [
  ...mutantsOf(
    "packages/plan/src/publish/RunPublisher.ts",
    ["packages/plan/test/RunPublisher.test.ts"],
    [["lost: a run's log has it", "noticeDesk(mark, lost)", "noticeDesk(mark, warnOfLost)"]]
  ),
  ...mutantsOf(
    "packages/domain/src/settings/NotifyChannel.ts",
    ["packages/domain/test/NotifyChannel.test.ts"],
    [
      [
        "channel: http on loopback alone",
        '(url.protocol === "http:" && loopback.test(url.hostname))',
        'url.protocol === "http:"'
      ],
      ["channel: loopback is no prefix", "127(?:\\.\\d{1,3}){3}|\\[::1\\])$/u", "127(?:\\.\\d{1,3}){3}|\\[::1\\])/u"],
      ["channel: no user in an address", 'url.username !== "" || ', ""],
      [
        "channel: a topic is a word",
        "const topic = /^[-_A-Za-z0-9]{1,64}$/u",
        "const topic = /^[-_A-Za-z0-9/?.]{1,64}$/u"
      ],
      [
        "channel: a chat is a number or a name",
        '/^(?:-?\\d{1,20}|@[A-Za-z]\\w{3,31})$/u.test(target ?? "")',
        '(target ?? "") !== ""'
      ],
      [
        "channel: no URL of Slack",
        "return target === undefined ? { _tag: name, words } : undefined",
        "return { _tag: name, words }"
      ],
      ["channel: words where they are asked for", "const words = plus !== undefined", "const words = true"],
      ["channel: eight at most", "channels.length > maxChannels", "channels.length > 99"]
    ]
  ),
  ...mutantsOf(
    `${notify}/NoticeText.ts`,
    [requests],
    [
      ["notice: its state", "stateLine(state, plain(text, maxBodyUnits))", "plain(text, maxBodyUnits)"],
      ["notice: its link", "...(link === null ? [] : [link])", ""],
      ["words: withheld", "withWords && words !== null", "words !== null"],
      ["words: no path of the folder", 'project.split("/").findLast((part) => part !== "") ?? project', "project"]
    ]
  ),
  ...mutantsOf(
    `${notify}/ServerRequest.ts`,
    [requests],
    [
      ["server: Slack reads no markup", "text: slackText(`${title}\\n${text}`)", "text: `${title}\\n${text}`"],
      [
        "server: a token for its own server",
        "token !== undefined && channel.url.startsWith(`${token.server}/`)",
        "token !== undefined"
      ],
      [
        "server: the URL of Slack is checked",
        'if (url === undefined) return yield* lost("SLACK_URL is no https URL")',
        'if (url === undefined) return { url: Redacted.value(secret.value), headers: {}, body: "" }'
      ],
      [
        "server: no sound of Telegram in the quiet hours",
        'disable_notification: loudness === "quiet"',
        "disable_notification: false"
      ]
    ]
  ),
  ...mutantsOf(
    `${notify}/NoticeSecret.ts`,
    [requests],
    [
      ["secret: a file of one's own", 'others: "nothing"', 'others: "read"'],
      ["secret: a token is a word", "/^([\\w:-]+)(?:@(\\S+))?$/u", "/^([^@]+)(?:@(\\S+))?$/u"],
      [
        "secret: a server on https",
        'return url === undefined ? undefined : { value, server: url.href.replace(/\\/$/u, "") }',
        "return { value, server }"
      ]
    ]
  ),
  ...mutantsOf(
    `${notify}/Delivery.ts`,
    [delivery],
    [
      ["delivery: no redirect", '{ redirect: "manual" }', '{ redirect: "follow" }'],
      ["delivery: the address is checked again", "if (serverUrl(url) === undefined)", 'if (url === "")'],
      [
        "delivery: ten seconds for an answer",
        "Effect.timeoutOption(client.execute(request), answerTimeout)",
        "Effect.option(client.execute(request))"
      ],
      [
        "delivery: five tries",
        "const pause = delivery.once ? undefined : pauses[tries - 1]",
        'const pause = delivery.once ? undefined : (pauses[tries - 1] ?? "5 minutes")'
      ],
      [
        "delivery: a refusal is final",
        "status === 408 || status === 425 || status === 429 || status >= 500 ? after : null",
        "after"
      ],
      [
        "delivery: a longest pause",
        "Math.min(Math.max(0, millis), Duration.toMillis(maxPause))",
        "Math.max(0, millis)"
      ],
      [
        "delivery: the pause that is asked for",
        "Effect.sleep(Duration.max(Duration.fromInputUnsafe(pause), Duration.millis(later)))",
        "Effect.sleep(pause)"
      ],
      [
        "delivery: no trace of ours",
        "Effect.provideService(HttpClient.TracerPropagationEnabled, false)",
        "Effect.provideService(HttpClient.TracerPropagationEnabled, true)"
      ]
    ]
  ),
  ...mutantsOf(
    `${notify}/DesktopNotice.ts`,
    [requests],
    [
      [
        "desktop: no option",
        '`--urgency=${urgencies[loudness]}`, ...options, "--", title',
        "`--urgency=${urgencies[loudness]}`, ...options, title"
      ],
      ["desktop: no markup", '.replaceAll("<", "&lt;")', ""],
      ["desktop: no escape", 'text.replaceAll("\\\\", "\\\\\\\\").', "text."],
      ["desktop: no script", '"--", title, text] }\n    : {', '"-e", title, text] }\n    : {']
    ]
  ),
  ...mutantsOf(
    `${notify}/DesktopNotice.ts`,
    [desktop],
    [["desktop: what to install is said", ": install libnotify (libnotify-bin on Debian and Ubuntu)", ""]]
  ),
  ...mutantsOf(
    `${notify}/ClickedNotice.ts`,
    [desktop],
    [
      ["click: a closed notice runs nothing", 'if (action.trim() === "default") ', ""],
      ["click: ten minutes", "run(notice, clickTimeout)", 'run(notice, "1 hour")']
    ]
  ),
  ...mutantsOf(
    `${notify}/Channels.ts`,
    [desktop],
    [
      [
        "click: shown also without actions",
        'yield* Effect.option(shown(call("--print-id")))',
        'Option.some(yield* shown(call("--print-id")))'
      ],
      ["click: what waits has no word of the agent", "...message.notice, words: null", "...message.notice"]
    ]
  ),
  ...mutantsOf(
    "packages/process/src/program/UserProgram.ts",
    ["packages/process/test/UserProgram.test.ts"],
    [["program: a missing one is named", 'reason._tag === "NotFound"', 'reason._tag === "BadResource"']]
  ),
  ...mutantsOf(
    "packages/cli/src/commands/AttachCommand.ts",
    ["test/cli/NotifyCli.test.ts"],
    [["attach: the window of this command", "yield* goToOwn()", "Option.none<string>()"]]
  ),
  ...mutantsOf(
    `${notify}/Channels.ts`,
    [channels],
    [
      [
        "channels: a person who is needed is heard",
        'if (isPressing(notice)) return "pressing" satisfies Loudness\n',
        ""
      ],
      ["channels: quiet hours", "(yield* quietUntilNow(hours)) === null", "hours !== undefined"],
      [
        "channels: nothing of a broken answer",
        "Effect.mapError(() => new NoticeLost(",
        "Effect.mapError((error) => new NoticeLost({ tries: 0, message: String(error) }) ?? new NoticeLost("
      ]
    ]
  ),
  ...mutantsOf(
    "packages/node/src/own/NoticeProcess.ts",
    ["packages/node/test/NoticeProcess.test.ts"],
    [
      ["notice process: its own environment", "env: environment", "env: { ...process.env, ...environment }"],
      ["notice process: on standard input", "child.stdin?.end(`${order}\\n`)", "child.stdin?.end(`\\n`)"],
      ["notice process: one waits", 'process.kill(-number, "SIGTERM")', "void number"],
      ["notice process: killed in the end", 'Effect.sync(() => child.kill("SIGKILL"))', "Effect.void"]
    ]
  ),
  ...mutantsOf(
    "packages/supervisor/src/Notifier.ts",
    [notifier],
    [
      ["episode: one death", "return deathsAfter(event, deaths) === 1", "return true"],
      [
        "episode: one recovery",
        '    case "HandoffTaken":\n      return deaths < 2',
        '    case "HandoffTaken":\n      return true'
      ],
      ["episode: over by progress", "return event.retries === 0 ? 1 : deaths + 1", "return deaths + 1"],
      ["episode: over by a planned hand-off with progress", "return event.retries === 0 ? 0 : deaths", "return deaths"],
      [
        "notice: no words of the agent in its text",
        "return { kind, state, text: own, words",
        "return { kind, state, text: `${own}${words}`, words"
      ]
    ]
  )
]
