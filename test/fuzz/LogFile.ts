import { Store } from "@souffleur/eventlog"
import { join } from "node:path"
import { mkdirSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import type { Seed } from "../simulation/Seed.ts"
import { alike, bent, mangled, run, today, tree } from "./Hostile.ts"

export interface Row {
  readonly stream: string
  readonly revision: number
  readonly tag: string
  readonly version: number
  readonly at: number
  readonly data: string
}

type Example = { readonly _tag: string; readonly at: number }

const fieldsOf = ({ at: _at, _tag, ...fields }: Example): Readonly<Record<string, unknown>> => fields
const version = 1

/**
 * Makes a stream as a stranger who writes into the log would make it. Its events are of every kind, most in their
 * proper form.
 */
export const streamOf = (
  seed: Seed,
  stream: string,
  first: Example,
  examples: ReadonlyArray<Example>,
  most: number
): ReadonlyArray<Row> => {
  const rows: Array<Row> = []
  const put = (event: Example, usual: boolean) => {
    const fields = fieldsOf(event)
    const odd = seed.chance(usual ? 0 : 0.08)
    const data = odd
      ? seed.pick<() => string>([
          () => JSON.stringify(bent(seed, fields)),
          () => JSON.stringify(tree(seed)),
          () => mangled(seed, JSON.stringify(fields)),
          () => run(seed)
        ])()
      : JSON.stringify(alike(seed, fields, usual ? 0.1 : 0.25))
    rows.push({
      stream,
      revision: rows.length + 1 + (seed.chance(0.01) ? 1 : 0),
      tag: odd ? seed.pick([event._tag, "", "__proto__", "FutureThing"]) : event._tag,
      version: odd ? seed.pick([version, 0, -1, 99]) : version,
      at: seed.chance(0.9) ? today + rows.length : seed.pick([0, -1, 8.64e15, 8.7e15, -9e15, Number.MAX_SAFE_INTEGER]),
      data
    })
  }
  put(first, true)
  for (let left = seed.between(0, most); left > 0; left--) put(seed.pick(examples), false)
  return rows
}

/** Writes a log in souffleur's own form with these rows, as far as it takes them. */
export const writeLog = (state: string, rows: ReadonlyArray<Row>): void => {
  mkdirSync(state, { recursive: true, mode: 0o700 })
  const file = new DatabaseSync(join(state, "souffleur.db"))
  file.exec(`PRAGMA application_id = ${Store.applicationId}; PRAGMA synchronous = OFF`)
  for (const statement of Store.migrations.flat()) file.exec(statement)
  file.exec(`PRAGMA user_version = ${Store.migrations.length}`)
  const insert = file.prepare(
    "INSERT OR IGNORE INTO events (stream, revision, tag, version, at, data) VALUES (?, ?, ?, ?, ?, ?)"
  )
  for (const { at, data, revision, stream, tag, version } of rows) insert.run(stream, revision, tag, version, at, data)
  file.close()
}
