import { mutantsOf } from "./Mutant.ts"

const claude = "packages/claude"

/** Mutants of what souffleur reads of an agent's own files, and writes into its settings. */
export const sessionMutants = [
  ...mutantsOf(
    "packages/session/src/agent/SaidAgent.ts",
    ["test/evidence/Evidence.test.ts"],
    [
      [
        "said agent: a turn that is not told is no prompt",
        "turn === undefined) return !unclear",
        "turn === undefined) return true"
      ],
      [
        "said agent: one that mends its turn is not at its prompt",
        'turn._tag === "Failed" && !mends',
        'turn._tag === "Failed"'
      ]
    ]
  ),
  ...mutantsOf(
    "packages/claude/src/session/SessionSigns.ts",
    ["packages/claude/test/TurnState.test.ts"],
    [
      ["signs: a file that changed is read again", "known?.state === state ? known", "known !== undefined ? known"],
      ["signs: one that did not is not", "known?.state === state ? known", "known?.state === `` ? known"]
    ]
  ),
  ...mutantsOf(
    `${claude}/src/session/Context.ts`,
    [`${claude}/test/Context.test.ts`],
    [
      ["context: what went into the cache too", ', "cache_creation_input_tokens"]', "]"],
      [
        "context: what was written is not read",
        '"cache_creation_input_tokens"]',
        '"cache_creation_input_tokens", "output_tokens"]'
      ],
      ["context: a suffix asks for a larger window", 'model.endsWith("[1m]") ? 1_000_000 : ', ""],
      ["context: a window that holds it", "tokens > window ? undefined : window", "false ? undefined : window"]
    ]
  ),
  ...mutantsOf(
    "packages/session/src/lines/Since.ts",
    [`${claude}/test/CompactBoundary.test.ts`],
    [
      ["compacted: what begins at the mark", "Math.max(0, mark.offset - 1)", "mark.offset"],
      ["compacted: where a file began with it", "let begun = mark.offset === 0", "let begun = false"]
    ]
  ),
  ...mutantsOf(
    "packages/domain/src/Lines.ts",
    [`${claude}/test/CompactBoundary.test.ts`, "packages/domain/test/Lines.test.ts"],
    [["lines: one over two chunks", "    carry.set(part, carried)\n", ""]]
  ),
  ...mutantsOf(
    `${claude}/src/command/CommandFront.ts`,
    [`${claude}/test/AgentProgram.test.ts`],
    [
      ["front: what becomes the agent", "at = next\n", 'return no("becomes another")\n'],
      [
        "front: what runs a file",
        "file === undefined ? { length: next, claude: false } : {",
        "true ? { length: next, claude: false } : {"
      ]
    ]
  ),
  ...mutantsOf(
    "packages/session/src/lines/ByteString.ts",
    ["packages/session/test/ByteString.test.ts"],
    [
      [
        "export: a character of four bytes counts once",
        "text.length - (text.match(/[\\ud800-\\udbff]/g)?.length ?? 0)",
        "text.length"
      ]
    ]
  ),
  ...mutantsOf(
    "packages/session/src/lines/Follower.ts",
    ["packages/session/test/Follower.test.ts"],
    [
      ["follower: each record once", "offset: followed.offset }", "offset: 0 }"],
      ["follower: readers at once", "}, oneAtATime.withPermits(1))", "})"],
      [
        "follower: another file is read anew",
        "before !== undefined && before.file === file &&",
        "before !== undefined &&"
      ]
    ]
  ),
  ...mutantsOf(
    "packages/session/src/lines/Tail.ts",
    ["packages/session/test/Tail.test.ts"],
    [
      ["tail: a line over two blocks", "Buffer.concat(parts.toReversed())", "Buffer.concat(parts)"],
      ["tail: no further than it is asked to", 'if (finished() === "enough") return writtenAt', "finished()"]
    ]
  ),
  ...mutantsOf(
    `${claude}/src/session/ToolResults.ts`,
    [`${claude}/test/ToolResults.test.ts`],
    [
      [
        "results: who only looks gets nowhere",
        'readingTools.has(name) || name.startsWith("mcp__souffleur__")',
        'name.startsWith("mcp__souffleur__")'
      ],
      ["results: talk with the watchdog is none", ' || name.startsWith("mcp__souffleur__")', ""],
      ["results: a failure is none", ' && block["is_error"] !== true', ""],
      [
        "results: what was only asked for is none",
        'for (const block of blocksOf(record["message"])) {',
        'for (const block of blocksOf(record["message"])) {\n    counted.any = true'
      ]
    ]
  ),
  ...mutantsOf(
    `${claude}/src/command/LiteralCommand.ts`,
    [`${claude}/test/LiteralCommand.test.ts`],
    [
      ["literal command: the user's own flags stay", "kept.push(word, ...values)", ""],
      [
        "literal command: the configured agent",
        "if (configured.every((word, at) => words[at] === word)) return Result.succeed(configured.length)",
        ""
      ]
    ]
  ),
  ...mutantsOf(
    "packages/session/src/hooks/HookSettings.ts",
    ["packages/cli/test/HooksCommand.test.ts"],
    [["hooks: settings that switch them off", "found === off.value ?", "(false as boolean) ?"]]
  ),
  ...mutantsOf(
    "packages/session/src/hooks/HookSettings.ts",
    ["packages/session/test/HookSettings.test.ts", "packages/session/test/HookFile.test.ts"],
    [
      ["hooks: comments stay", "const text = withoutComments(commented)", "const text = commented"],
      ["hooks: for every event", "return form.events.reduce(", "return form.events.slice(1).reduce("],
      ["hooks: those of others stay", " && Option.isSome(hookProgram(hook.command))", ""],
      [
        "hooks: of each event a list",
        'if (text[event.value] !== "[") return refused',
        "if (false as boolean) return refused"
      ],
      [
        "hooks: settings are an object",
        'if (text[root] !== "{") return refused',
        "if (false as boolean) return refused"
      ]
    ]
  ),
  ...mutantsOf(
    "packages/session/src/hooks/HookFile.ts",
    ["packages/session/test/HookFile.test.ts"],
    [
      ["settings: what is not UTF-8", "{ fatal: true, ignoreBOM: true }", "{ ignoreBOM: true }"],
      ["settings: its mode stays", "    yield* fs.chmod(draft, before.info.mode & 0o777)\n", ""],
      [
        "settings: byte for byte as before",
        "untouched && Option.isSome(backup) ? backup.value : yield* sound(path, withoutHooks(text))",
        'text.replace("souffleur", "")'
      ],
      ["settings: what others wrote stays", "untouched && Option.isSome(backup) ?", "Option.isSome(backup) ?"],
      ["settings: what was not there is gone again", "made ? fs.remove(path) : write", "write"],
      ["settings: a link stays one", "const target = before?.target ?? path", "const target = path"]
    ]
  ),
  ...mutantsOf(
    "packages/session/src/hooks/HookCommand.ts",
    ["packages/session/test/HookCommand.test.ts", "packages/session/test/HookSettings.test.ts"],
    [
      ["hook command: one word to the shell", `word.replaceAll("'", "'\\\\''")}'`, "word}'"],
      [
        "hook command: ours are known by their form",
        "return hookCommand(found) === line ? Option.some(found) :",
        "return"
      ],
      ["hook command: never fails", " 2>/dev/null || true`", " 2>/dev/null`"],
      ["hook command: its agent is in it", 'agent === undefined ? "" : ` ${agent}`', '""']
    ]
  ),
  ...mutantsOf(
    "packages/session/src/hooks/HookInput.ts",
    ["packages/session/test/HookInput.test.ts"],
    [
      ["hook input: one word of the agent's", "word.test(kind) ?", 'kind !== "" ?'],
      ["hook input: a compaction is no other holding", 'kind === "compact" ? "goes on" : "began"', '"began"'],
      ["hook input: an end", 'if (event === "SessionEnd") return "ended"\n', ""],
      ["hook input: also where it was cut", "if (end === -1) return\n", "if (end === -1) throw new Error()\n"]
    ]
  )
]
