import { mutantsOf } from "./Mutant.ts"

const lastWords = ["packages/process/test/LastWords.test.ts"]
const reader = ["packages/claude/test/OutputReader.test.ts"]

/** Mutants that take away single defences of what a person sees of an agent's words. */
export const screenMutants = [
  ...mutantsOf(
    "packages/domain/src/TerminalText.ts",
    ["packages/domain/test/TerminalText.test.ts"],
    [
      ["terminal: no sequence", 'return parameters === undefined ? "" : `\\u001B[${parameters}m`', "return part"],
      ["terminal: colours alone", "${introducer}([\\\\d;:]*)m$", "${introducer}([\\\\d;:]*)[mJH]$"],
      ["terminal: no concealing", 'Number(one.split(":")[0]) !== 8', "true"],
      ["terminal: an index of 8 is a colour", '["5", 2],', '["5", 0],'],
      ["terminal: the parts of a colour", '["2", 4]', '["2", 0]'],
      ["terminal: no broken colour", "more === undefined || rest.length <= more", "false"],
      ["terminal: a sequence in pieces", "found.length <= maxSequence ? found", "false ? found"],
      ["terminal: in bounded memory", "found.length <= maxSequence ? found", "true ? found"],
      ["terminal: no overwritten line", '.replaceAll(/\\r\\n?/gu, "\\n")', ""],
      ["terminal: no sign for a shift", "\\\\u0007\\\\u000E\\\\u000F", ""],
      ["terminal: other controls", "(words) => plain(words)", "(words) => words"]
    ]
  ),
  ...mutantsOf("packages/process/src/notice/LastWords.ts", lastWords, [
    ["last words: control nothing", "bare(text)", "text"],
    ["last words: five", ".slice(-maxLines)", ""],
    ["last words: bounded", "plain(line, maxLine)", "plain(line)"],
    ["last words: of the end alone", "Math.max(0, Number(size) - lookedAt)", "0"],
    ["last words: no torn line", "offset === 0 ? lines : lines.slice(1)", "lines"],
    ["last words: as a person reads them", "Option.getOrElse(read(line), () => line)", "line"],
    ["last words: of the session", "return lastLines(yield* agent.lastAnswer(sessionId))", "return printed"],
    ["last words: not of a later one", " || isOverwritten", ""]
  ]),
  ...mutantsOf("packages/session/src/agent/StreamJson.ts", reader, [
    ["output: nothing twice", "(failed === true || !answered)", "true"],
    ["output: errors", "(failed === true || !answered)", "!answered"],
    ["output: no words of a subagent", 'if (Predicate.isString(record["parent_tool_use_id"])) return ""', ""],
    ["output: a tool in a line", "`: ${plain(argument, maxArgument)}`", "`: ${argument}`"],
    ["output: only its own records", 'types.has(String(record["type"])) && ', ""]
  ]),
  ...mutantsOf("packages/claude/src/session/LastAnswer.ts", reader, [
    ["answer: of the main conversation", "record !== undefined && isMain(record)", "record !== undefined"],
    ["answer: the newest", 'found === "" ? "more" : "enough"', '"more"']
  ]),
  ...mutantsOf(
    "packages/supervisor/src/Notifier.ts",
    ["packages/supervisor/test/Notifier.test.ts"],
    [
      ["notice: the newest last words", "all.slice(1 - maxWords)", "all.slice(0, maxWords)"],
      ["notice: last words of a death and the end", "&& ends.has(notice.kind)", ""]
    ]
  ),
  ...mutantsOf(
    "packages/cli/src/watching/AgentOutput.ts",
    ["packages/cli/test/AgentOutput.test.ts"],
    [
      ["screen: no forged line", 'text.replaceAll(ourMark, "▹")', "text"],
      ["screen: bytes that are no text", '.toString("latin1"),\n', ".toString(),\n"],
      ["screen: text as it comes", '!inText && rest.startsWith("{") && end === 0', "!inText && end === 0"],
      ["screen: a record is whole", " && rest.length <= maxRecord) {", " && false) {"],
      ["screen: a record in bounded memory", "&& rest.length <= maxRecord", ""],
      ["screen: the torn last line", "const last = text(held)", 'const last = ""']
    ]
  ),
  ...mutantsOf(
    "packages/cli/src/watching/FollowOutput.ts",
    ["packages/cli/test/WatchScreen.test.ts", "packages/cli/test/FollowOutput.test.ts"],
    [
      ["screen: a pipe gets the bytes", "if (terminal) return onTerminal()", "return onTerminal()"],
      [
        "screen: a pipe gets a command's records",
        'watch.kind === "agent" ? outputReader("pipe")',
        'true ? outputReader("pipe")'
      ],
      ["screen: no torn record in a pipe", '(terminal || watch.kind === "agent")', "terminal"],
      ["screen: each byte of a command in a pipe", ' && (terminal || watch.kind === "agent")', ""],
      [
        "screen: a pipe asks for no words of the user's own format",
        'outputReader("pipe") : ',
        'outputReader("terminal") : '
      ],
      ["screen: our line begins a line", "terminal && inLine ?", "false ?"],
      [
        "screen: no colour of others before our line",
        "if (!terminal || !coloured) return Effect.void",
        "if (terminal) return Effect.void"
      ],
      ["screen: no colour after the output", "Effect.andThen(close, plainAgain)", "close"],
      ["screen: the end of the earlier output", 'first && earlier === "end" ?', "false ?"],
      ["screen: from a whole line on", "torn = at > 0n", "torn = false"],
      ["screen: a window has its own", "hidden = terminal && apart &&", "hidden = false &&"],
      ["screen: a pipe gets a window's too", "hidden = terminal && apart &&", "hidden = apart &&"]
    ]
  ),
  ...mutantsOf(
    "packages/cli/src/watching/WatchSession.ts",
    ["packages/cli/test/LastLines.test.ts"],
    [
      [
        "screen: no end waits for a reader",
        "Effect.timeoutOption(Fiber.await(narrator), readTimeout)",
        "Effect.asSome(Fiber.await(narrator))"
      ],
      ["screen: lines without a reader are told", "yield* yield* Unread", ""]
    ]
  ),
  ...mutantsOf(
    "packages/cli/src/watching/WatchScreen.ts",
    ["packages/cli/test/WatchScreen.test.ts"],
    [
      ["screen: the output before its event", "yield* output\n", ""],
      ["screen: where it runs", "(yield* launcher.inWindow(launchId)) ?", "false ?"],
      ["screen: quiet", 'const shows = words && how !== "json"', 'const shows = how !== "json"'],
      ["screen: as it comes", "follow: shows ?", "follow: false ?"],
      ["screen: the last words", "if (printer.silent())", "if (false)"],
      ["screen: each event", 'how === "all" ?', "false ?"],
      ["screen: the date", "date === undefined ? lines : [date, ...lines]", "lines"]
    ]
  ),
  ...mutantsOf(
    "packages/cli/src/explain/ScreenLine.ts",
    ["packages/cli/test/ScreenLine.test.ts"],
    [
      ["screen: nothing of the routine", "notice !== undefined || shown.has(event._tag) ?", "true ?"],
      ["screen: what a person acts upon", "notice !== undefined || shown.has(event._tag) ?", "false ?"],
      [
        "screen: no word of the inside",
        'text.replaceAll(/\\b([Tt]he (?:agent|command|Conductor)) \\(S\\d+\\)/gu, "$1")',
        "text"
      ],
      [
        "screen: a capital after a full stop",
        '"$1")\n\n/**\n * Returns',
        '"$1").replaceAll("The ", "the ")\n\n/**\n * Returns'
      ],
      ["screen: a terminal is told", "event.pty || notice !== undefined", "notice !== undefined"],
      ["screen: the way back", "ways[event.provider] ?? `by ${event.provider}`", "`by ${event.provider}`"],
      ["screen: has read it", "readers.has(provider)", "true"]
    ]
  ),
  ...mutantsOf(
    "packages/domain/src/Time.ts",
    ["packages/domain/test/Time.test.ts"],
    [["since: the last such time", "today !== undefined && today > now ?", "false ?"]]
  ),
  ...mutantsOf(
    "packages/cli/src/service/ServiceManager.ts",
    ["packages/cli/test/ServiceManager.test.ts"],
    [
      ["service: no file that nothing took", "(changed ? asBefore : Effect.void)", "Effect.void"],
      [
        "service: the file of an enabled one stays",
        "Effect.tapError(runAll(manager.enable), () => (changed ? asBefore : Effect.void))\n  if (start) yield* runAll([manager.start])",
        "Effect.tapError(runAll([...manager.enable, ...(start ? [manager.start] : [])]), () => (changed ? asBefore : Effect.void))"
      ],
      ["service: the words of its manager", "heard: true", "heard: false"]
    ]
  ),
  ...mutantsOf(
    "packages/cli/src/world/OwnWarnings.ts",
    ["packages/cli/test/OwnWarnings.test.ts"],
    [["own log: a remark", 'Warn: "warning"', 'Warn: "WARN"']]
  ),
  ...mutantsOf(
    "packages/embed/src/setup/InstalledAgents.ts",
    ["packages/cli/test/HereCommand.test.ts"],
    [["here: the agent of the settings", "onSuccess: ({ program }) => program", "onSuccess: () => agent.program"]]
  ),
  ...mutantsOf(
    "packages/cli/src/commands/UninstallCommand.ts",
    ["packages/cli/test/SetupCommand.test.ts"],
    [
      [
        "uninstall: a dry run lists the log",
        '...kept.map(({ path }) => ({ path, message: "--state removes it too" })),',
        ""
      ]
    ]
  ),
  ...mutantsOf(
    "packages/domain/src/describe/ForPerson.ts",
    ["packages/domain/test/ForPerson.test.ts"],
    [
      ["screen: the agent", 'comms !== null ? "Conductor" : kind', "kind"],
      ["screen: the command", 'kind === "command" ? "command" : "agent"', '"agent"'],
      ["person: an agent", '&& article.length === 1 ? "n" : ""', '&& article.length === 9 ? "n" : ""'],
      ["person: a command is restarted", '"souffleur starts the command again" :', '"A recovery starts" :'],
      [
        "person: comms keeps its words",
        "known.comms === null ? personal(event, known)",
        "true ? personal(event, known)"
      ]
    ]
  ),
  ...mutantsOf(
    "packages/cli/src/Wrapped.ts",
    ["packages/cli/test/Wrapped.test.ts"],
    [
      [
        "wrap: a terminal alone",
        "columns === undefined || columns < leastColumns || textColumns(text) <= columns",
        "columns === undefined"
      ],
      ["wrap: a row in its columns", "row === null ? indentOf(text) : row[0].length", "indentOf(text)"],
      ["wrap: at spaces", "space > before.length ? space : most", "most"],
      ["wrap: no wider", 'rest.lastIndexOf(" ", most)', 'rest.lastIndexOf(" ", most + 9)']
    ]
  ),
  ...mutantsOf(
    "packages/domain/src/Time.ts",
    ["packages/domain/test/Time.test.ts"],
    [
      ["time: of the zone", "return iso(shown + zone(shown))", "return iso(shown)"],
      ["time: of the host", "-60_000 * new Date(at).getTimezoneOffset()", "0 * at"],
      ["time: the date of another day", "day(at, zone) === day(from, zone) ?", "true ?"],
      ["time: the provided zone", "onSome: zoneFrom }", "onSome: () => hostZone }"],
      ["time: a date where it changes", "if (now === last) return undefined", "return undefined"]
    ]
  )
]
