import { mutantsOf } from "./Mutant.ts"

export const commandMutants = [
  ...mutantsOf(
    "packages/cli/src/Known.ts",
    ["packages/cli/test/Known.test.ts"],
    [
      ["known: a live process of another session is another Conductor", "held !== undefined && !watch", "false && !watch"],
      ["known: a session of its own is its own", " && !watch.sessions.includes(held)", ""],
      ["known: its Conductor is who it was", "!Equal.equals(identity, watch.conductor)", "identity.pid !== watch.conductor?.pid"],
      ["known: its Conductor may begin another session", "!Equal.equals(identity, watch.conductor)", "true"],
      ["known: a zombie holds nothing", 'condition !== "zombie"', 'condition !== "stopped"']
    ]
  ),
  ...mutantsOf(
    "packages/cli/src/commands/Watch.ts",
    ["test/cli/Standby.test.ts"],
    [["watch: goes on in its own folder", "Option.isSome(known) ? yield* realProject(known.value.watch.project) : here", "here"]]
  )
]
