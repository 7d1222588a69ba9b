import { mutantsOf } from "./Mutant.ts"

const tests = "packages/page/test"
const [gate, watch, html] = [`${tests}/PageGate.test.ts`, `${tests}/WatchPage.test.ts`, `${tests}/Html.test.ts`]

/** Mutants that take away single defences of the page: at its gate, in its forms and in its HTML. */
export const pageMutants = [
  ...mutantsOf(
    "packages/page/src/PageGate.ts",
    [gate],
    [
      ["page gate: this host alone", 'hostsOf(port).includes(request.headers["host"] ?? "")', "true"],
      ["page gate: the cookie", 'isSecret(secrets.cookie, cookies["souffleur"])', 'cookies["souffleur"] !== undefined'],
      ["page gate: the token", "if (!isSecret(token, given))", "if (given === undefined)"],
      ["page gate: no foreign code", "default-src 'none'; ", "default-src *; "]
    ]
  ),
  ...mutantsOf(
    "packages/page/src/PageGate.ts",
    [watch],
    [
      ["page form: of this origin", 'if (!origins.includes(request.headers["origin"] ?? ""))', "if (false)"],
      ["page form: its secret", 'isSecret(secrets.form, field("secret"))', "true"],
      ["page form: none of an agent's page", "if (!acts) return", "if (false) return"]
    ]
  ),
  ...mutantsOf(
    "packages/page/src/PageSecrets.ts",
    [gate],
    [
      ["page secret: read by this user alone", 'own: true, others: "nothing", atMost: 1024', "own: true, atMost: 1024"],
      ["page secret: whole", "if (form.test(kept)) return kept", "return kept"],
      ["page secret: kept", "yield* replaceDurably(path, `${token}\\n`)", ""]
    ]
  ),
  ...mutantsOf(
    "packages/page/src/Html.ts",
    [html],
    [
      ["page html: escaped", "replaceAll(/[&<>\"']/gu, ", "replaceAll(/[&]/gu, "],
      ["page html: the order of a text", "plain(text).replaceAll", "text.replaceAll"],
      ["page html: values in quotes", "if (parts.some((_, n) => isBare(", "if (parts.some((_, n) => n < 0 && isBare("]
    ]
  )
]
