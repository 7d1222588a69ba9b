import { answer } from "@souffleur/comms/errand"
import { runErrands } from "@souffleur/node/errand"

// A program of its own, which alone touches the comms database: `node errand.ts`.
await runErrands(answer)
