import { mutantsOf } from "./Mutant.ts"

/** Mutants of the refusals that a person reads. */
export const refusalMutants = [
  ...mutantsOf(
    "packages/cli/src/Failure.ts",
    ["packages/cli/test/FullDisk.test.ts"],
    [["full disk: told apart", 'if (reason._tag === "BadArgument" || !meansFull(reason.cause)) return error', ""]]
  ),
  ...mutantsOf(
    "packages/cli/src/Cli.ts",
    ["packages/cli/test/FullDisk.test.ts"],
    [["full disk: told of any file", 'error._tag === "PlatformError" ? ofFullDisk(error) : error', "error"]]
  ),
  ...mutantsOf(
    "packages/cli/src/commands/Options.ts",
    ["packages/cli/test/Since.test.ts", "packages/cli/test/StateCommand.test.ts"],
    [
      [
        "since: an age ends at 1970",
        "Math.max(0, now - Duration.toMillis(duration))",
        "now - Duration.toMillis(duration)"
      ],
      ["state: no revision ahead", "revision > watch.revision", "false"]
    ]
  ),
  ...mutantsOf(
    "packages/cli/src/Program.ts",
    [],
    [
      [
        "full disk: below the output",
        "const full = meansFull(error)",
        "const full = false",
        "test/cli/Signals.test.ts: a command that only prints says so, with the exit code of a full disk"
      ],
      [
        "full disk: a watch goes on",
        "if (worksUnread) return",
        "if (worksUnread && !full) return",
        "test/cli/Signals.test.ts: a run goes on to its end, although its output has no room"
      ]
    ]
  ),
  ...mutantsOf(
    "packages/process/src/program/ProgramPath.ts",
    ["packages/process/test/ProgramPath.test.ts"],
    [
      ["launch: a script without its first line", 'if (!text.startsWith("#!"))', "if (false)"],
      ["launch: no relative part of PATH", "path.isAbsolute(folder))", 'folder !== "")']
    ]
  ),
  ...mutantsOf(
    "packages/node/src/launch/LaunchEntry.ts",
    ["packages/node/test/HostLauncher.test.ts"],
    [
      [
        "launch: a program that the system cannot run",
        'if (!(error instanceof Error && "syscall" in error && "code" in error)) throw error',
        "throw error"
      ]
    ]
  )
]
