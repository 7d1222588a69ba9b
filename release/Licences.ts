import { readFileSync, readdirSync } from "node:fs"
import { join } from "node:path"
import type { Plugin } from "rolldown"

/** The folder of the installed package that has a module; `undefined` for a module of the workspace. */
const installedOf = (module: string): string | undefined =>
  /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//u.exec(module.replaceAll("\\", "/"))?.[1]

const licenceOf = (folder: string): string => {
  const { license, name, version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Record<
    string,
    string
  >
  const file = readdirSync(folder).find((one) => /^licen[cs]e/iu.test(one))
  const text = file === undefined ? `${license}` : readFileSync(join(folder, file), "utf8").trim()
  return `${name} ${version}\n\n${text}\n`
}

/** Writes `LICENSES.txt` beside a bundle: the licence of each installed package that is in it. */
export const licences: Plugin = {
  name: "licences",
  generateBundle(_, bundle) {
    const modules = Object.values(bundle).flatMap((one) => (one.type === "chunk" ? Object.keys(one.modules) : []))
    const folders = new Set(modules.map(installedOf).filter((folder) => folder !== undefined))
    const source = [...folders]
      .map(licenceOf)
      .toSorted()
      .join(`\n${"-".repeat(80)}\n\n`)
    this.emitFile({ type: "asset", fileName: "LICENSES.txt", source })
  }
}
