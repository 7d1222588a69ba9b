import { mutantsOf } from "./Mutant.ts"

const hosts = "test/cli/HostStatus.test.ts"

/** Mutants that take away the defences of what is seen of other hosts. */
export const fleetMutants = [
  ...mutantsOf(
    "packages/cli/src/hosts/HostStatus.ts",
    [hosts],
    [
      ["hosts: a name is no flag", "/^\\w[\\w.:%@-]{0,252}$/u", "/^[\\w.:%@-]{0,253}$/u"],
      ["hosts: … and no words of a shell", "/^\\w[\\w.:%@-]{0,252}$/u", "/^\\w.{0,252}$/u"],
      ["hosts: not too many", "if (hosts.length > maxHosts)", "if (false as boolean)"],
      [
        "hosts: each once",
        '[...new Set(text.split(",").map((host) => host.trim()))]',
        'text.split(",").map((host) => host.trim())'
      ],
      ["hosts: nothing is asked by ssh", '"-o", "BatchMode=yes", ', ""],
      ["hosts: a program of an absolute folder", "command: ssh,", 'command: "ssh",'],
      ["hosts: a bounded answer", "atMost: 16_000_000", "atMost: 160_000_000"],
      [
        "hosts: an answer by its schema",
        'onNone: () => ({ host, problem: "its answer is no status that this version reads", watches: [] })',
        "onNone: () => ({ host, problem: null, watches: [] })"
      ],
      [
        "hosts: a failure is a row",
        'Effect.catchTag("ProgramFailed", ({ message }) =>',
        'Effect.catchTag("ProgramFailed", ({ message }) => message.length > 0 ? new BadUsage({ message }) :'
      ],
      [
        "hosts: who needs a person comes first",
        "urgentFirst(found, ({ watch }) => ({ state: watch.state, at: epochOf(watch.last_event_at) ?? 0 }))",
        "found"
      ],
      ["hosts: all else that a host says", ",\n  [Schema.Record(Schema.String, Schema.Json)]", ",\n  []"]
    ]
  )
]
