import { parseSync, Visitor } from "rolldown/utils"

/**
 * Lists the modules that a JavaScript or declaration file names in any way. A `require` within `try` is of a package
 * that the program does without.
 */
export const importsOf = (file: string, text: string): ReadonlyArray<string> => {
  const named = new Set<string>()
  const name = (source: { readonly type: string; readonly value?: unknown } | null) => {
    if (source?.type === "Literal" && typeof source.value === "string") named.add(source.value)
  }
  let tried = 0
  new Visitor({
    TryStatement: () => void tried++,
    "TryStatement:exit": () => void tried--,
    CallExpression: ({ arguments: [first], callee }) => {
      if (tried === 0 && callee.type === "Identifier" && callee.name === "require") name(first ?? null)
    },
    ImportDeclaration: ({ source }) => name(source),
    ExportNamedDeclaration: ({ source }) => name(source),
    ExportAllDeclaration: ({ source }) => name(source),
    ImportExpression: ({ source }) => name(source),
    TSImportType: ({ source }) => name(source)
  }).visit(parseSync(file, text).program)
  return [...named]
}

/** Returns the package of a module: `effect/sql` is `effect`, `@souffleur/domain` itself. */
export const packageNamed = (specifier: string): string =>
  specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/")
