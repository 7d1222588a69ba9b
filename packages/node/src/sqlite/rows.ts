import { Effect } from "effect"
import { runErrands } from "../own/ErrandEntry.ts"

// A program of its own for a host without comms, which alone touches the databases of agents: `node rows.ts`.
await runErrands(() => Effect.succeed("{}"))
