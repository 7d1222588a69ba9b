import type { EventLog, Signal, Watch } from "@souffleur/domain"
import type { Beats, Offspring, Cursor } from "@souffleur/eventlog"
import type { LaunchRoom } from "./LaunchRoom.ts"
import type { SimProcess } from "./ProcessTable.ts"

/** The contents of one state folder, and the listener to the acts of its souffleurs. */
export interface StateFolder {
  readonly id: string
  readonly ledger: { readonly watch: Watch; readonly log: EventLog["Service"] }
  readonly beats: Beats["Service"]
  readonly offspring: Offspring["Service"]
  readonly cursor: Cursor["Service"]
  readonly room: LaunchRoom
  readonly heard: (by: SimProcess, disturbed: number) => void
  readonly wrongsOf: (process: SimProcess, self: SimProcess) => ReadonlyArray<string>
  readonly signalled: (process: SimProcess, signal: Signal, wrongs: ReadonlyArray<string>) => void
  /** Hears that a souffleur of this folder wrote its state to comms. */
  readonly wroteRow: () => void
}
