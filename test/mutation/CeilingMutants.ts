import { mutantsOf } from "./Mutant.ts"

const src = "packages/domain/src"

/** Mutants of the rules that hold the ceiling and the programs where a person has put them. */
export const ceilingMutants = [
  ...mutantsOf(
    `${src}/settings/AgentEnvironment.ts`,
    ["packages/process/test/ReadSettings.test.ts"],
    [
      [
        "agent environment: nothing that changes what is launched",
        "return refused === undefined\n",
        "return refused !== null\n"
      ],
      ["agent environment: no mark of a session", "marks.has(name) || ", ""],
      ["agent environment: names alone", "!names.every(isName)", "false"],
      ["agent environment: so many", "names.length > maxNames ||", ""],
      ["agent environment: no loader", "/^(?:LD_|DYLD_|SOUFFLEUR_)/u", "/^(?:SOUFFLEUR_)/u"],
      ["agent environment: nothing of ours", "/^(?:LD_|DYLD_|SOUFFLEUR_)/u", "/^(?:LD_|DYLD_)/u"]
    ]
  ),
  ...mutantsOf(
    `${src}/settings/Pin.ts`,
    ["packages/domain/test/Pin.test.ts"],
    [
      [
        "pin: a higher ceiling asks for more",
        "lower(said.ceiling, held.ceiling) === said.ceiling ? [] :",
        "true ? [] :"
      ],
      ["pin: another program asks for more", "said.programs[key] !== held.programs[key]", "false as boolean"],
      [
        "pin: the file's ceiling where it is lower",
        "if (lower(wordOf(file).ceiling, held.ceiling) !== wordOf(file).ceiling) set",
        "set"
      ],
      [
        "pin: not the file's higher ceiling",
        "if (lower(wordOf(file).ceiling, held.ceiling) !== wordOf(file).ceiling) set",
        "if (false as boolean) set"
      ],
      [
        "pin: none of the file's programs",
        "for (const key of programKeys) set(key, held.programs[key])",
        "for (const key of [] as typeof programKeys[number][]) set(key, held.programs[key])"
      ]
    ]
  ),
  ...mutantsOf(
    `${src}/decide/PinDecider.ts`,
    ["packages/domain/test/Pin.test.ts"],
    [
      ["pin: a person's word alone", 'if (command.by._tag !== "Operator")', "if (false as boolean)"],
      ["pin: what holds is no event", "Equal.equals(pin, command.pin) ? [] :", "false ? [] :"],
      [
        "pin: told once",
        "Equal.equals(overreach?.said.programs, said.programs) && Equal.equals(overreach?.keys, keys)",
        "false as boolean"
      ],
      ["pin: another program is told too", "Equal.equals(overreach?.said.programs, said.programs) && ", ""],
      ["pin: told when it is over", "overreach === undefined ? [] : [ConfigWithdrawn.make({ at })]", "[]"],
      ["pin: no launch above it", "lower(effective, pin.ceiling) === effective\n", "true\n"],
      [
        "pin: what is allowed is asked for no more",
        "overreach === undefined || keys.length === 0 ? undefined :",
        "overreach === undefined ? undefined :"
      ]
    ]
  ),
  ...mutantsOf(
    `${src}/evidence/Ceiling.ts`,
    ["packages/recovery/test/LaunchCeiling.test.ts"],
    [
      [
        "ceiling: the file where it is lower",
        "return lower(pin.ceiling, ceiling)",
        "return lower(pin.ceiling, pin.ceiling)"
      ],
      ["ceiling: what is pinned", "return lower(pin.ceiling, ceiling)", "return lower(ceiling, ceiling)"]
    ]
  ),
  ...mutantsOf(
    `${src}/decide/RetryDecider.ts`,
    ["packages/domain/test/Pin.test.ts"],
    [
      [
        "retry: a ceiling by a person alone",
        'if (permission !== undefined && by._tag !== "Operator")',
        "if (false as boolean)"
      ]
    ]
  ),
  ...mutantsOf(
    "packages/embed/src/world/ConfigTrust.ts",
    ["packages/cli/test/ConfigTrust.test.ts"],
    [
      [
        "trust: another program is refused",
        "if (changed.length > 0)\n",
        "if (false as boolean)\n",
        "packages/embed/test/SouffleurSetup.test.ts"
      ],
      [
        "trust: the first file is kept",
        "yield* keepTrust(settings.stateDir, project, says, said.programs)\n    const news",
        "const news"
      ],
      ["trust: the first file is told", "if (news.length > 0)\n", "if (false as boolean)\n"],
      [
        "trust: no higher ceiling is pinned",
        "ceiling: lower(says.ceiling, trusted.value.ceiling)",
        "ceiling: says.ceiling"
      ],
      ["trust: what holds, in place of the file", ", { ceiling: pin.ceiling, programs: held }", ""],
      ["trust: what is lost is refused", "if (lost.length > 0)\n", "if (false as boolean)\n"],
      [
        "trust: the environment outranks it",
        "const keys = overreachOf(says, pin).filter((key) => !overridden(key, variables))",
        "const keys = overreachOf(says, pin)"
      ]
    ]
  ),
  ...mutantsOf(
    "packages/embed/src/world/TrustStore.ts",
    ["packages/cli/test/ConfigTrust.test.ts"],
    [
      ["trust: its user's alone", 'others: "nothing", ', ""],
      [
        "trust: a record that is damaged is no first time",
        "missing ? Effect.succeed(Option.none<Pin>()) :",
        "true ? Effect.succeed(Option.none<Pin>()) :"
      ],
      ["trust: a program by its digest", "(yield* digestOf(text.value)) === digest ?", "true ?"]
    ]
  ),
  ...mutantsOf(
    "packages/cli/src/watching/PersonOnly.ts",
    ["packages/cli/test/ConfigTrust.test.ts"],
    [
      [
        "person: no mark of an agent",
        "const mark = agentKind.identity(variables).mark ??",
        "const mark = agentKind.identity({}).mark ??"
      ],
      ["person: no Conductor among the ancestors", "const holder = here[0]?.pid ??", "const holder = here[-1]?.pid ??"]
    ]
  ),
  ...mutantsOf(
    "packages/cli/src/commands/RetryCommand.ts",
    ["packages/cli/test/ConfigTrust.test.ts"],
    [["retry: a ceiling is a person's word", 'if (permission !== undefined) yield* personOnly("a ceiling")', ""]]
  )
]
