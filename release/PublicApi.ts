import { readdirSync, readFileSync } from "node:fs"
import { dirname, resolve } from "node:path"
import { parseSync } from "rolldown/utils"
import { workspace } from "./Package.ts"

type Program = ReturnType<typeof parseSync>["program"]
type Statement = Program["body"][number]

/** Lines of a declaration that is listed whole. A longer one is inferred from schemas, which have pages of their own. */
const maxLines = 66

/** One name that a consumer can import, with its declaration. */
interface Export {
  readonly name: string
  readonly declaration: string
}

/** A declaration file, parsed. */
interface Module {
  readonly file: string
  readonly body: Program["body"]
  /** Returns the text of a node, without comments. */
  readonly textOf: (node: { readonly start: number; readonly end: number }) => string
}

const moduleAt = (file: string): Module => {
  const source = readFileSync(file, "utf8")
  const { comments, program } = parseSync(file, source)
  return {
    file,
    body: program.body,
    textOf: ({ end, start }) =>
      comments
        .filter((one) => one.start >= start && one.end <= end)
        .reduceRight(
          (text, one) => text.slice(0, one.start - start) + text.slice(one.end - start),
          source.slice(start, end)
        )
        .replaceAll(/\n\s*(?=\n)/gu, "")
  }
}

/** The compiler leaves `.ts` in declarations. */
const fileOf = ({ file }: Module, specifier: string) => resolve(dirname(file), specifier.replace(/\.ts$/u, ".d.ts"))

/** Leaves out what says nothing to a reader: the inner fields of a long type, and the modules of names. */
const shortened = (text: string): ReadonlyArray<string> => {
  const lines = text
    .replaceAll(/^(?:export )?(?:declare )?/gmu, "")
    .replaceAll(/\bimport\("[^"]+"\)\./gu, "")
    .split("\n")
  if (lines.length <= maxLines) return lines
  return lines
    .filter((line) => !line.startsWith(" "))
    .join("\n")
    .replaceAll("{\n}", "{ … }")
    .replaceAll(/\{ … \}(?: \| \{ … \})+/gu, "{ … }")
    .split("\n")
}

/** Lists what one statement declares. A class brings the expression that it extends. */
const declared = (module: Module, statement: Statement): ReadonlyArray<Export> => {
  const inner = statement.type === "ExportNamedDeclaration" ? statement.declaration : statement
  if (inner === null) return []
  if (inner.type === "VariableDeclaration")
    return inner.declarations.flatMap((one) =>
      one.id.type === "Identifier" ? [{ name: one.id.name, declaration: `${inner.kind} ${module.textOf(one)}` }] : []
    )
  if (!("id" in inner) || inner.id?.type !== "Identifier") return []
  const text = module.textOf(statement)
  const base = `${inner.id.name}_base`
  const extended = module.body.flatMap((one) => (one.type === "VariableDeclaration" ? declared(module, one) : []))
  const from = extended.find(({ name }) => name === base)
  return [{ name: inner.id.name, declaration: from === undefined ? text : `${text}\n${from.declaration}` }]
}

const nameOf = (node: { readonly type: string; readonly name?: string; readonly value?: unknown }) =>
  node.name ?? String(node.value)

/** Lists what a declaration file exports, with what it exports of other files. */
const exportsOf = (file: string): ReadonlyArray<Export> => {
  const module = moduleAt(file)
  return module.body.flatMap((one): ReadonlyArray<Export> => {
    if (one.type === "ExportAllDeclaration") {
      const all = exportsOf(fileOf(module, one.source.value))
      const namespace = one.exported === null ? "" : `${nameOf(one.exported)}.`
      return all.map(({ declaration, name }) => ({ name: `${namespace}${name}`, declaration }))
    }
    if (one.type !== "ExportNamedDeclaration") return []
    if (one.declaration !== null) return declared(module, one)
    // The list of that package has its declaration.
    if (one.source !== null && !one.source.value.startsWith("."))
      return one.specifiers.map(({ exported }) => ({ name: nameOf(exported), declaration: `of ${one.source!.value}` }))
    const all =
      one.source === null
        ? module.body.flatMap((other) => declared(module, other))
        : exportsOf(fileOf(module, one.source.value))
    return one.specifiers.flatMap(({ exported, local }) =>
      all.filter(({ name }) => name === nameOf(local)).map((found) => ({ ...found, name: nameOf(exported) }))
    )
  })
}

interface Published {
  readonly name: string
  readonly publishConfig: { readonly exports?: Readonly<Record<string, { readonly types: string }>> }
}

/** Returns the list of a package: each entry that it publishes, and each export of it by its name. */
const listOf = (folder: string): string | undefined => {
  const { name, publishConfig } = JSON.parse(readFileSync(`${folder}/package.json`, "utf8")) as Published
  if (publishConfig.exports === undefined) return undefined
  const entries = Object.entries(publishConfig.exports).map(([entry, { types }]) => {
    const byName = Map.groupBy(exportsOf(resolve(folder, types.replace("dist", ".tsbuild"))), (one) => one.name)
    const names = [...byName.keys()].toSorted((a, b) => (a < b ? -1 : 1))
    const lines = names.map((one) =>
      [one, ...byName.get(one)!.flatMap(({ declaration }) => shortened(declaration))].join("\n    ")
    )
    return [`${name}${entry.slice(1)}`, ...lines].join("\n\n")
  })
  return `${entries.join("\n\n\n")}\n`
}

/**
 * Lists the public API: for each published library the path of its list and the text. It reads the declarations that
 * `tsc -b` wrote.
 */
export const publicApi = (): ReadonlyArray<{ readonly path: string; readonly text: string }> =>
  readdirSync(`${workspace}/packages`)
    .toSorted()
    .flatMap((name) => {
      const text = listOf(`${workspace}/packages/${name}`)
      return text === undefined ? [] : [{ path: `docs/api/${name}.txt`, text }]
    })
