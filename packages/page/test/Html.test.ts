import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { html, written } from "../src/Html.ts"

const Words = Schema.Array(Schema.String)

describe("command-line#page", () => {
  it("a hostile text stays text, in an element and in a value", () => {
    const words = `"><script>alert(1)</script>' onload='x' &amp; \u202e\u0000`
    assert.strictEqual(
      written(html`<p title="${words}">${words}</p>`),
      (({ shown }) => `<p title="${shown}">${shown}</p>`)({
        shown: "&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;&#39; onload=&#39;x&#39; &amp;amp; \\u202e\\u0000"
      })
    )
  })
  it.prop("a word brings no sign of HTML into a page, and none is lost", [Words], ([words]) => {
    const text = written(
      html`<ul>
        ${words.map((word) => html`<li title="${word}">${word}</li>`)}
      </ul>`
    )
    const rest = text.replaceAll(/<ul>|<\/ul>|<li title="|">|<\/li>/gu, "\n")
    assert.notMatch(rest, /[<>"']|&(?!(?:amp|lt|gt|quot|#39);)/u)
    assert.strictEqual(text.split("<li ").length - 1, words.length)
  })
  it("parts that are left out leave nothing, and HTML within HTML stays as it is", () => {
    assert.strictEqual(written(html`${null}${false}${[html`<b>${1}</b>`, "<"]}`), "<b>1</b>&lt;")
  })
  it("a template whose value has no quotes is a defect", () => {
    assert.throws(() => html`<a href=${"x onclick=y"}>`, "no quotes")
  })
})
