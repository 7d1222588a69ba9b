import { mutantsOf } from "./Mutant.ts"

/** Mutants of the ownership of files: each line by which a file is not used. */
export const fileMutants = [
  ...mutantsOf(
    "packages/domain/src/settings/Trust.ts",
    ["packages/domain/test/Trust.test.ts", "packages/node/test/HostTrustedFiles.test.ts"],
    [
      ["trust: a file of another kind", 'seen.kind !== (folder === true ? "folder" : "file")', "false as boolean"],
      ["trust: another user's", "seen.uid !== uid && (own === true || seen.uid !== 0)", "false as boolean"],
      ["trust: root's where we are to write", "own === true || seen.uid !== 0", "seen.uid !== 0"],
      ["trust: what its group may write", "read: 0o022,", "read: 0o002,"],
      ["trust: what everybody may write", "(seen.mode & mayWrite[others]) !== 0", "false as boolean"],
      ["trust: what others may look into", 'others === "nothing" && (seen.mode & 0o077) !== 0', "false as boolean"],
      [
        "trust: what is too large",
        'atMost !== undefined && seen.kind === "file" && seen.size > atMost',
        "false as boolean"
      ]
    ]
  ),
  ...mutantsOf(
    "packages/node/src/files/TrustedFile.ts",
    ["packages/node/test/HostTrustedFiles.test.ts", "packages/claude/test/SessionFile.test.ts"],
    [
      ["opening: a link is not followed", "O_RDONLY | O_NOFOLLOW |", "O_RDONLY |"],
      ["opening: a pipe is not waited for", "O_NOFOLLOW | O_NONBLOCK |", "O_NOFOLLOW |"],
      [
        "opening: what is refused is closed",
        "  fs.closeSync(file)\n  return { problem, missing: false }",
        "  return { problem, missing: false }"
      ]
    ]
  ),
  ...mutantsOf(
    "packages/process/src/settings/FindConfig.ts",
    ["packages/process/test/ConfigFile.test.ts"],
    [
      ["config: who writes the folder writes the file", "  yield* lookTrusted(folder, { folder: true })\n", ""],
      ["config: a refused one is not its parent's", "if (text.failure.missing) continue", "continue"]
    ]
  ),
  ...mutantsOf(
    "packages/node/src/files/Folder.ts",
    ["packages/node/test/HostTrustedFiles.test.ts", "packages/embed/test/StateFolderCheck.test.ts"],
    [
      ["state folder: a home of another user", "if (strange !== undefined) return strange", ""],
      [
        "state folder: ours, and nobody else's to write",
        "return refusalAt(path, { folder: true, own: true })",
        "return undefined"
      ]
    ]
  ),
  ...mutantsOf(
    "packages/cli/src/commands/ExportCommand.ts",
    ["packages/cli/test/ExportCommand.test.ts", "test/nights/Files.test.ts"],
    [
      ["export: what is there is looked at", "    yield* replaceable(out, flags.force)\n", ""],
      [
        "export: a device or a link is not replaced",
        "return file.failure.missing ? undefined : yield* file.failure",
        "return"
      ],
      [
        "export: nor what is no export",
        'if (force || readHeader(new TextDecoder().decode(start))._tag !== "Foreign") return',
        "if (!(false as boolean)) return"
      ]
    ]
  ),
  ...mutantsOf(
    "packages/supervisor/src/solo/Commits.ts",
    ["packages/supervisor/test/Commits.test.ts"],
    [
      [
        "git: a repository hides what is above it, trusted or not",
        "if (!named.failure.missing) {",
        "if (false as boolean) {"
      ]
    ]
  ),
  ...mutantsOf(
    "packages/node/src/own/Detached.ts",
    ["packages/node/test/HostLauncher.test.ts"],
    [["output: no link is followed", "O_CREAT | O_NOFOLLOW |", "O_CREAT |"]]
  ),
  ...mutantsOf(
    "packages/embed/src/doctor/LeftoversCheck.ts",
    ["packages/embed/test/StateFolderCheck.test.ts"],
    [
      ["doctor: an environment that is needed", "!unfinished.some((beginning) => name.startsWith(beginning))", "true"],
      ["doctor: a draft that was left", " || isDraft(name)", ""]
    ]
  ),
  ...mutantsOf(
    "packages/claude/src/session/SessionFile.ts",
    ["packages/claude/test/SessionFile.test.ts"],
    [["session file: one that is not used is told", "if (!refused.missing) notUsed.push(refused.message)", ""]]
  ),
  ...mutantsOf(
    "packages/node/src/own/CompileCache.ts",
    ["test/cli/CompileCache.test.ts"],
    [
      ["compiled: no folder of others", "ownFolder(folder) !== undefined || ", ""],
      ["compiled: no folder of others within", " || ownFolder(own) !== undefined", ""],
      ["compiled: bounded", "dated.slice(keptFolders)", "dated.slice(dated.length)"],
      ["compiled: the oldest go", "b.at - a.at", "a.at - b.at"],
      ["compiled: where the user says", "XDG_CACHE_HOME && isAbsolute(XDG_CACHE_HOME)", "false as boolean"],
      ["compiled: in the folder that the user has chosen", "chosen !== undefined", "false as boolean"]
    ]
  ),
  ...mutantsOf(
    "packages/node/src/files/KeptScript.ts",
    ["packages/node/test/KeptScript.test.ts"],
    [
      ["compiled: of this text", "found?.changed === changed", "found !== undefined"],
      ["compiled: of these flags", " || script.cachedDataRejected", ""],
      ["compiled: with the functions of each word", "!words.includes(word)", "words.length === 0"],
      ["compiled: a dry run writes none", "if (word !== undefined && !words", "if (!words"],
      ["compiled: nothing of a failure", "code === 0 && take()", "take()"],
      ["compiled: of these scripts alone", "!scripts.includes(dirname(path))", "basename(path) !== path"],
      ["compiled: no draft of a killed start", "  removeDrafts(path)\n", ""],
      ["compiled: no draft that fails", "fs.rmSync(draft, { force: true })", ""]
    ]
  )
]
