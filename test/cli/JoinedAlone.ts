import * as fs from "node:fs"
import { memberships } from "@souffleur/fleet"
import { HostServices } from "@souffleur/node"
import { Effect, Redacted } from "effect"

/** Adds the host of a state folder to a fleet whose hub is out. */
export const joinedAlone = (stateDir: string) =>
  Effect.suspend(() => {
    fs.mkdirSync(stateDir, { recursive: true, mode: 0o700 })
    return memberships.keep(stateDir, {
      version: 1,
      // No server listens on the first port of a machine.
      url: "http://127.0.0.1:1",
      token: Redacted.make("a".repeat(64)),
      log: "0b0e9a54-96b1-4a6f-9f4e-4a30a2b6f3c1",
      readOnly: true
    })
  }).pipe(Effect.provide(HostServices.layer))
