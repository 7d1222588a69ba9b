import { readFileSync, readdirSync } from "node:fs"
import { join } from "node:path"
import type { Plugin } from "rolldown"

/** The file of a notice. */
export const noticeFile = "LICENSES.txt"

const line = "-".repeat(80)

/** Joins licences to one notice. Each begins with a line that names its package and version. */
export const noticeOf = (licences: ReadonlyArray<string>): string => licences.join(`\n${line}\n\n`)

/** The folder of the installed package that has a module; `undefined` for a module of the workspace. */
const installedOf = (module: string): string | undefined =>
  /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//u.exec(module.replaceAll("\\", "/"))?.[1]

/** Reads the licence of an installed package. Throws where it has no file of it. */
const licenceOf = (folder: string): string => {
  const { name, version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Record<string, string>
  const file = readdirSync(folder).find((one) => /^licen[cs]e/iu.test(one))
  if (file === undefined) throw new Error(`${name} ${version} is bundled, and has no file with its licence`)
  return `${name} ${version}\n\n${readFileSync(join(folder, file), "utf8").trim()}\n`
}

/** Writes `LICENSES.txt` beside a bundle: the licence of each installed package that is in it. */
export const licences: Plugin = {
  name: "licences",
  generateBundle(_, bundle) {
    const modules = Object.values(bundle).flatMap((one) => (one.type === "chunk" ? Object.keys(one.modules) : []))
    const folders = new Set(modules.map(installedOf).filter((folder) => folder !== undefined))
    this.emitFile({ type: "asset", fileName: noticeFile, source: noticeOf([...folders].map(licenceOf).toSorted()) })
  }
}

/** Lists the installed packages in bundles, by the comment that rolldown writes before each module. */
const bundledIn = (code: string) =>
  [...code.matchAll(/^\/\/ \S*node_modules\/((?:@[^/\s]+\/)?[^/\s]+)\/\S+$/gmu)].map(([, name]) => name!)

/** Lists the packages that a notice names, each with some words of its licence. */
const licensedIn = (notice: string) =>
  notice.split(`${line}\n\n`).flatMap((one) => /^(\S+) v?\d+\.\S+\n\n[^]*\S/u.exec(one)?.[1] ?? [])

/** Says which packages are bundled without their licence, and which licences are of no bundled package. */
export const wrongLicences = (codes: ReadonlyArray<string>, notices: ReadonlyArray<string>): ReadonlyArray<string> => {
  const [bundled, licensed] = [new Set(codes.flatMap(bundledIn)), new Set(notices.flatMap(licensedIn))]
  return [
    ...[...bundled.difference(licensed)].map((name) => `${name} is bundled without its licence`),
    ...[...licensed.difference(bundled)].map((name) => `${name} has a licence there, and is not bundled`)
  ]
}
