/**
 * All that runs in the browser. Finished HTML takes the place of its older form, and new rows come first. A form in
 * which a person writes stays, and what a person has opened stays open. A form that was opened says its word for what
 * its person saw then. `EventSource` connects again by itself, with the last id that it got.
 */
export const pageScript = `const link = document.getElementById("link")
const show = (state, words) => Object.assign(link, { textContent: words }).setAttribute("data-state", state)
const parsed = (data) => {
  const template = document.createElement("template")
  template.innerHTML = data
  return [...template.content.children]
}
const [icon, title] = [document.querySelector("link[rel=icon]"), document.title.replace(/^\\(\\d+\\) /, "")]
const told = () => {
  const list = document.getElementById("jobs")
  const needed = '#state[data-state="needs you"], #state [data-state="needs you"]'
  const count = list ? Number(list.dataset.needs) : document.querySelector(needed) ? 1 : 0
  document.title = (count > 0 ? "(" + count + ") " : "") + title
  icon.href = count > 0 ? "/needed.svg" : "/page.svg"
}
const reachable = "a, button, input, textarea, summary"
const replace = (part) => {
  const old = document.getElementById(part.id)
  if (old === null) return
  const opened = new Map([...old.querySelectorAll("details[id][open]")].map((one) => [one.id, one]))
  for (const one of part.querySelectorAll("details"))
    if (opened.has(one.id))
      one.querySelector("form") === null ? (one.open = true) : one.replaceWith(opened.get(one.id).cloneNode(true))
  if (old.outerHTML === part.outerHTML) return
  if ([...old.querySelectorAll("input, textarea")].some((one) => one.value !== one.defaultValue)) return
  const at = [...old.querySelectorAll(reachable)].indexOf(document.activeElement)
  old.replaceWith(part)
  if (at >= 0) part.querySelectorAll(reachable)[at]?.focus({ preventScroll: true })
}
const prepend = (row) => {
  const rows = document.getElementById("events")
  if (rows === null || document.getElementById(row.id) !== null) return
  rows.prepend(row)
  while (rows.children.length > 500) rows.lastElementChild.remove()
}
const append = (row) => {
  const rows = document.getElementById("said")
  if (rows === null || document.getElementById(row.id) !== null) return
  const root = document.documentElement
  const atEnd = root.scrollHeight - root.scrollTop - root.clientHeight < 160
  rows.append(row)
  while (rows.children.length > 500) rows.firstElementChild.remove()
  if (atEnd) root.scrollTop = root.scrollHeight
}
const sliderOf = ({ target }) => target.closest?.("form.slider")
const states = new Map()
const statesOf = ({ dataset: { states: address } }) => {
  if (!states.has(address)) {
    const known = { at: new Map(), texts: [] }
    // Each new event has another address.
    states.clear()
    states.set(address, known)
    fetch(address).then((answer) => answer.json()).then(({ at, texts }) =>
      Object.assign(known, { texts, at: new Map(at.map((one) => [String(one.revision), one])) })
    ).catch(() => states.delete(address))
  }
  return states.get(address)
}
const prepare = (event) => { const slider = sliderOf(event); if (slider) statesOf(slider) }
document.addEventListener("pointerover", prepare)
document.addEventListener("focusin", prepare)
document.addEventListener("input", async (event) => {
  const slider = sliderOf(event)
  if (!slider) return
  const { value } = event.target
  slider.querySelector("output").textContent = value
  const { at, texts } = statesOf(slider)
  const one = at.get(value)
  if (one) {
    event.target.setAttribute("aria-valuetext", one.said)
    const state = document.getElementById("then-state")
    const [said, facts] = [one.state, one.facts].map((all) => all.map((n) => texts[n]).join(""))
    state.replaceChildren(...parsed('<p class="standing" role="status">' + said + '</p><dl class="facts">' + facts + "</dl>"))
    const cursor = document.querySelector("#then .cursor")
    for (const [name, where] of [["x1", one.x], ["x2", one.x], ["visibility", "visible"]]) cursor.setAttribute(name, where)
    return
  }
  const answer = await fetch(slider.dataset.then + "&at=" + value)
  if (answer.ok && slider.elements.at.value === value) parsed(await answer.text()).forEach(replace)
})
const lengthOf = (millis) => {
  const minutes = Math.floor(millis / 60000)
  if (minutes < 1) return null
  return minutes < 60 ? minutes + " min" : minutes < 2880 ? Math.floor(minutes / 60) + " h" : Math.floor(minutes / 1440) + " d"
}
setInterval(() => {
  for (const time of document.querySelectorAll("time[data-ago], time[data-until]")) {
    const [ago, away] = ["ago" in time.dataset, Date.now() - Date.parse(time.dateTime)]
    const length = lengthOf(ago ? away : -away)
    const words = ago ? (length === null ? "just now" : length + " ago") : length === null ? "soon" : "in " + length
    if (time.textContent !== words) time.textContent = words
  }
}, 15000)
if (link?.dataset.live) {
  const source = new EventSource(link.dataset.live)
  source.onopen = () => show("live", "Live")
  source.onerror = () =>
    source.readyState === EventSource.CLOSED ? show("away", "Not connected: reload") : show("away", "Away, trying again")
  source.addEventListener("part", ({ data }) => (parsed(data).forEach(replace), told()))
  source.addEventListener("rows", ({ data }) => parsed(data).forEach(prepend))
  source.addEventListener("said", ({ data }) => parsed(data).forEach(append))
  source.addEventListener("over", () => (source.close(), show("over", "Ended")))
}
// A link without the secret path is led on by the door. A browser may forbid the storage, so this comes last.
localStorage.setItem("souffleur", document.querySelector(".brand").getAttribute("href"))
`
