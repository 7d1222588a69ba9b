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
      ["terminal: a sequence in pieces", "found.length <= maxSequence ? found", "false ? found"],
      ["terminal: in bounded memory", "found.length <= maxSequence ? found", "true ? found"],
      ["terminal: no overwritten line", '.replaceAll(/\\r\\n?/gu, "\\n")', ""],
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
    [
      "last words: of the session",
      'printed.length > 0 || kind === "command" ? printed : lastLines(yield* agent.lastAnswer(sessionId))',
      "printed"
    ]
  ]),
  ...mutantsOf("packages/claude/src/command/OutputReader.ts", reader, [
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
  )
]
