import { mutantsOf } from "./Mutant.ts"

const [recovery, claude] = ["packages/recovery", "packages/claude"]

/** How a conversation becomes an export, and what that is measured by. */
export const exportMutants = [
  ...mutantsOf(
    `${recovery}/src/export/Characters.ts`,
    [`${recovery}/test/Estimate.test.ts`],
    [
      ["estimate: code points, not bytes", "countCharacters(decoder.decode(bytes))", "bytes.length"],
      ["estimate: code points, not UTF-16", "text.length - (text.match(", "text.length - 0 * (text.match("],
      [
        "estimate: invalid bytes are replaced",
        "countCharacters(decoder.decode(bytes))",
        "bytes.filter((byte) => !isContinuation(byte)).length"
      ]
    ]
  ),
  ...mutantsOf(
    `${recovery}/src/export/Estimate.ts`,
    [`${recovery}/test/Estimate.test.ts`],
    [
      ["estimate: our own markers by their nonce", 'header._tag === "Own" ? ownMarkers(header.nonce) :', ""],
      ["estimate: a damaged header", 'damaged = header._tag === "Damaged"', "damaged = false"],
      [
        "estimate: what cannot be read has none",
        'Effect.catchTag(estimated, "PlatformError", (error) => unreadable(error, path))',
        "Effect.orDie(estimated)"
      ],
      [
        "estimate: what is no file has none",
        'if ((yield* fs.stat(path)).type !== "File") return',
        "if (false as boolean) return"
      ]
    ]
  ),
  ...mutantsOf(
    `${recovery}/src/export/CompactMarkers.ts`,
    [`${recovery}/test/Estimate.test.ts`],
    [
      [
        "estimate: from the end of the latest marker",
        "Math.max(last, lookAtMarker(window, at, text))",
        "[last, lookAtMarker(window, at, text)].find((end) => end >= 0) ?? -1"
      ],
      ["markers: each of the five", "|\\[lethe summary\\]|", "|"],
      ["markers: in any case", "~{3,})/giu", "~{3,})/gu"],
      ["markers: ours are whole lines", 'if (end < window.length && window[end] !== "\\n") continue', ""],
      ["markers: none in a fence", "if (quoted || fence !== undefined) return -1", "if (quoted) return -1"],
      ["markers: quoted alone they are in doubt", "return count > 0 && plain === 0\n", "return (false as boolean)\n"],
      ["markers: ours without our header are in doubt", "if (strays > 0) return", "if (false as boolean) return"]
    ]
  ),
  ...mutantsOf(
    `${recovery}/src/export/Trim.ts`,
    [`${recovery}/test/Trim.test.ts`],
    [
      ["trim: header and summary stay", 'const top = framed ? wholeTop : ""', 'const top = ""'],
      ["trim: no more than the limit", "if (characters <= limit) return", "if (characters <= 2 * limit) return"]
    ]
  ),
  ...mutantsOf(
    `${recovery}/src/steps/LaunchPrompt.ts`,
    [`${recovery}/test/LaunchPrompt.test.ts`],
    [
      [
        "prompt: a planned hand-off is no crash",
        'case "handoff":\n      return "The previous',
        'case "" as never:\n      return "The previous'
      ]
    ]
  ),
  ...mutantsOf(
    "packages/session/src/export/TranscriptReading.ts",
    ["test/fuzz/NewestExport.test.ts"],
    [
      [
        "export: a window begins with a line",
        "position += BigInt(newline === -1 ? read : newline + 1)",
        "position += 1n"
      ]
    ]
  ),
  ...mutantsOf(
    "packages/recovery/src/steps/ExportConversation.ts",
    ["packages/recovery/test/ExportProvider.test.ts"],
    [
      [
        "export: no more than the trim keeps",
        "agent.exportSession(sessionId, out, newest)",
        "agent.exportSession(sessionId, out)"
      ]
    ]
  ),
  ...mutantsOf(
    "packages/session/src/export/TranscriptExport.ts",
    [`${claude}/test/TranscriptExport.test.ts`, "test/fuzz/NewestExport.test.ts"],
    [
      [
        "export: a session file that stays the same",
        "if (after.some((seen) => seen !== stateOf(before)))",
        "if (false as boolean)"
      ],
      [
        "export: what cannot be written is a failure of the export",
        "PlatformError: (error) => Effect.fail(failed(error)) })",
        "PlatformError: (error) => Effect.die(error) })"
      ],
      ["export: as many characters as the trim keeps", "characters >= newest + maxHeading", "characters >= 0"],
      ["export: a window that doubles", "windowed((window *= 2))", "windowed(Infinity)"],
      ["export: the header says what was left unread", "...(unread === 0", "...(unread >= 0"],
      ["export: the list of files says what was left unread", "files.section(unread === 0)", "files.section(true)"],
      ["export: a window in place of the one before", "          yield* body.file.truncate(0)\n", ""],
      ["export: its agent's version", "${dialect.agent} ${counts.version}", "${dialect.agent}"]
    ]
  ),
  ...mutantsOf(
    "packages/session/src/export/Conversation.ts",
    [`${claude}/test/TranscriptExport.test.ts`],
    [["export: a mark of each compaction", "return `${boundary}\\n\\n`", 'return ""']]
  ),
  ...mutantsOf(
    `${claude}/src/export/ClaudeConversation.ts`,
    [`${claude}/test/TranscriptExport.test.ts`],
    [["export: what the agent said", 'return message(record, "Assistant")', 'return ""']]
  )
]
