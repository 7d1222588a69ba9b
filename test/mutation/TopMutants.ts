import { mutantsOf } from "./Mutant.ts"

const cli = "test/cli/TopCli.test.ts"
const frame = "packages/cli/test/TopFrame.test.ts"
const columns = "packages/cli/test/TextColumns.test.ts"

/** Mutants of all that is shown live on a terminal: its keys, its lines, and what it gives back. */
export const topMutants = [
  ...mutantsOf(
    "packages/cli/src/top/Top.ts",
    [frame],
    [
      ["onscreen: the choice stays", "findIndex((job) => keyOf(job) === top.chosen)", "findIndex(() => true)"],
      ["onscreen: no place outside the list", "Math.max(0, Math.min(count - 1, place))", "place"],
      ["onscreen: a retry is asked for", "({ top: { ...top, asks: true } })", "({ top, wish: 'retry' })"],
      ["onscreen: y alone", 'return name === "y" ?', 'return name !== "n" ?'],
      ["onscreen: no retry of a run", 'acting(top, ofWatch("retry"),', "acting(top, () => null,"]
    ]
  ),
  ...mutantsOf(
    "packages/cli/src/top/TopFrame.ts",
    [frame],
    [
      ["onscreen: a log that is still read", "top.news === null) return [", "top.news === undefined) return ["],
      ["onscreen: the chosen one is seen", "at - Math.floor(room / 2)", "0"],
      ["onscreen: as many lines as the terminal", ".slice(-Math.max(1, seen.rows))", ""],
      ["onscreen: the need is said", "...next(top), footer(top)", "footer(top)"]
    ]
  ),
  ...mutantsOf(
    "packages/cli/src/top/TopLine.ts",
    [frame],
    [
      ["onscreen: plain words", "plain(text, 4 * columns)", "text"],
      ["onscreen: no colour where none is wanted", "tone === undefined || !colours", "tone === undefined"],
      ["onscreen: no line beyond the edge", "cut(plain(text, 4 * columns), columns)", "plain(text, 4 * columns)"]
    ]
  ),
  ...mutantsOf(
    "packages/cli/src/top/TopScreen.ts",
    [frame],
    [["onscreen: changed lines alone", "line === before[n] ? [] :", ""]]
  ),
  ...mutantsOf(
    "packages/cli/src/explain/TextColumns.ts",
    [columns],
    [
      ["columns: two for a wide one", "wide.test(character) ? 2", "wide.test(character) ? 1"],
      ["columns: none for a mark", "joined.test(character) ? 0", "joined.test(character) ? 1"],
      ["columns: whole characters", "if (used > columns) break", "if (used - 1 > columns) break"]
    ]
  ),
  ...mutantsOf(
    "packages/embed/src/jobs/JobFeed.ts",
    ["packages/embed/test/JobFeed.test.ts"],
    [["onscreen: no reading at rest", "moved ? Effect.tap(read", "true ? Effect.tap(read"]]
  ),
  ...mutantsOf(
    "packages/node/src/HostTerminal.ts",
    [`${cli}: top gives the screen back after a signal and after Ctrl-C, with their exit codes`],
    [["onscreen: the screen is given back", 'process.off("exit", leave)\n      leave()', "process.off('exit', leave)"]]
  ),
  ...mutantsOf(
    "packages/cli/src/commands/TopCommand.ts",
    [`${cli}: top prints plain lines once into a pipe, and JSON for a program`],
    [["onscreen: a pipe gets plain lines", "flags.json || !interactive", "flags.json"]]
  ),
  ...mutantsOf(
    "packages/cli/src/top/TopLoop.ts",
    [
      `${cli}: top shows a watch, its events and its last decision, follows news and a resize, and gives the screen back`
    ],
    [["onscreen: a view is read", "return { top: yield* read(top, seen) }", "return { top }"]]
  ),
  ...mutantsOf(
    "packages/cli/src/explain/Progress.ts",
    ["packages/cli/test/Progress.test.ts"],
    [
      ["progressing: a terminal alone", "if (!(yield* stderrIsTerminal)) return yield* act", ""],
      ["progressing: erased at the end", "shown ? write(erased) : Effect.void", "Effect.void"],
      ["progressing: no line of a quick act", "(shown ? write(erased)", "(true ? write(erased)"],
      ["progressing: no line after the end", "Fiber.interrupt(telling),", "Effect.void,"]
    ]
  )
]
