import { plain } from "@souffleur/domain"

/** Text that is HTML already. {@link html} makes it, so no word of others reaches a page unescaped. */
class Markup {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}
/** A finished piece of markup, in which each value is escaped. */
export type Html = Markup

/** A part of a template. `null` and `false` are left out, so that a part can be optional. */
export type HtmlPart = Html | string | number | false | null | ReadonlyArray<HtmlPart>

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;"
}

/** Writes a text for an element or for a value in quotes. Characters that change the order of a text are shown. */
const escaped = (text: string): string => plain(text).replaceAll(/[&<>"']/gu, (character) => entities[character]!)

const textOf = (part: HtmlPart): string => {
  if (part instanceof Markup) return part.text
  if (part === null || part === false) return ""
  return typeof part === "object" ? part.map(textOf).join("") : escaped(String(part))
}

/** Returns whether a text ends within a tag, behind the `=` of a value without quotes. */
const isBare = (text: string): boolean => {
  const tag = text.slice(text.lastIndexOf("<"))
  return /=\s*$/u.test(tag) && !tag.includes(">") && tag.split('"').length % 2 === 1
}

/** Templates whose values are in quotes. A list has one template for all of its items. */
const checked = new WeakSet<TemplateStringsArray>()

/**
 * Makes HTML of a template. Its parts are escaped, unless they are HTML themselves. A value of an attribute must be in
 * quotes, because a space would begin another attribute. A template without them throws.
 */
export const html = (template: TemplateStringsArray, ...parts: ReadonlyArray<HtmlPart>): Html => {
  if (!checked.has(template)) {
    if (parts.some((_, n) => isBare(template.slice(0, n + 1).join(""))))
      throw new Error("a value of an attribute has no quotes")
    checked.add(template)
  }
  return new Markup(template.reduce((text, next, n) => `${text}${textOf(parts[n - 1] ?? null)}${next}`))
}

/** Takes a text of our own as it is, such as a style. It must hold no word of others. */
export const unescaped = (text: string): Html => new Markup(text)

/** Returns the text of HTML, for a response. */
export const written = (one: Html): string => one.text
