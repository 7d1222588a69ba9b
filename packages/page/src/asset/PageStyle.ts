/** The style of the page, light and dark. Colour only repeats what a word or a sign says. */
export const pageStyle = `:root {
  color-scheme: light dark;
  --ground: light-dark(#f7f6f3, #141412);
  --sheet: light-dark(#ffffff, #1d1d1a);
  --ink: light-dark(#1d1c1a, #eceae5);
  --quiet: light-dark(#615d56, #aaa59c);
  --line: light-dark(#dfdcd5, #37352f);
  --accent: light-dark(#1f5a92, #8cbcf0);
  --bad: light-dark(#ad2118, #ff8d82);
  --work: light-dark(#805000, #eeb04c);
  --good: light-dark(#1c6a3b, #74cf99);
  --mono: ui-monospace, "SF Mono", "Cascadia Code", "JetBrains Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace;
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", sans-serif;
}
*, ::before, ::after { box-sizing: border-box }
body { margin: 0; background: var(--ground); color: var(--ink); overflow-wrap: anywhere }
a { color: var(--accent); text-underline-offset: .2em; text-decoration-thickness: 1px }
a:hover { text-decoration-thickness: 2px }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; border-radius: 4px }
main:focus { outline: none }
h1, h2, h3, h4, p, ul, ol, dl, dd, figure { margin: 0; padding: 0 }
h1 { font-size: 1.5rem; line-height: 1.25; letter-spacing: -.01em }
h2 { font-size: 1.0625rem; line-height: 1.4 }
code, time, .number { font-variant-numeric: tabular-nums }
code { font-family: var(--mono); font-size: .875em; background: color-mix(in srgb, var(--ink) 7%, transparent); padding: .1em .35em; border-radius: 4px }
.top, main { max-width: clamp(70rem, 62vw, 100rem); margin-inline: auto; padding-inline: clamp(1rem, 4vw, 2rem) }
.top { display: flex; align-items: center; justify-content: space-between; gap: 1rem; padding-block: 1rem }
.top nav { display: flex; align-items: baseline; gap: 1.25rem }
.brand { font-weight: 700; letter-spacing: -.01em; color: var(--ink); text-decoration: none }
main { padding-block: .5rem 4rem; display: grid; gap: 1.5rem; grid-template-columns: minmax(0, 1fr) }
.skip { position: absolute; left: -100vw }
.skip:focus { left: 1rem; top: .5rem; background: var(--sheet); padding: .5rem 1rem; z-index: 1 }
#link { font-size: .875rem; color: var(--quiet); display: flex; align-items: center; gap: .5rem }
#link::before { content: ""; width: .5rem; height: .5rem; border-radius: 50%; border: 2px solid currentColor }
#link[data-state=live]::before { background: var(--good); border-color: var(--good) }
#link[data-state=away]::before { border-color: var(--bad) }
.head { display: flex; flex-wrap: wrap; gap: 1rem 2rem; align-items: end; justify-content: space-between }
.quiet, .kind, .summary { color: var(--quiet) }
label, .hint { font-size: .875rem }
label { display: block; color: var(--quiet); margin-bottom: .25rem }
.field, .search { display: flex; gap: .5rem } .search { flex-wrap: wrap; align-items: end; gap: .75rem } .sought { flex: 1 1 18rem }
input, textarea, button, select { font: inherit; color: inherit; border-radius: 8px; border: 1px solid color-mix(in srgb, var(--ink) 45%, transparent); background: var(--sheet); padding: .4rem .75rem; min-height: 2.5rem }
input:is([type=search], [type=password]), textarea { width: 100%; min-width: 0 }
button { cursor: pointer; font-weight: 600; white-space: nowrap }
button:hover { border-color: var(--ink) }
.badge { display: inline-flex; align-items: center; gap: .4em; font-size: .8125rem; font-weight: 600; line-height: 1; padding: .35em .65em .35em .5em; border-radius: 99px; white-space: nowrap; color: var(--tone, var(--quiet)); background: color-mix(in srgb, var(--tone, var(--quiet)) 13%, transparent) }
.sign { font-family: var(--mono); min-width: 1ch; text-align: center }
[data-state="needs you"], [data-state=failed] { --tone: var(--bad) }
[data-state=idle] { --tone: var(--accent) }
[data-state=recovering] { --tone: var(--work) }
[data-state=working] { --tone: var(--good) }
[data-tone=accent] { --tone: var(--accent) } [data-tone=bad] { --tone: var(--bad) } [data-tone=good] { --tone: var(--good) } [data-tone=work] { --tone: var(--work) }
.summary { margin-bottom: .75rem }
.jobs, .jobs :is(thead, tbody, td, th) { display: block; padding: 0; text-align: start; font-weight: inherit }
.jobs { background: var(--sheet); border: 1px solid var(--line); border-radius: 12px; overflow: clip }
.jobs .job-head { display: flex; flex-wrap: wrap; gap: .25rem 1rem; padding: .5rem 1rem; font-size: .8125rem; color: var(--quiet); border-bottom: 1px solid var(--line) }
.only { margin-bottom: .75rem }
.job-head a { color: inherit; text-decoration: none } .job-head a:hover { text-decoration: underline } .job-head [aria-sort] { color: var(--ink); font-weight: 600 }
.job { display: grid; gap: .125rem 1rem; padding: .625rem 1rem; grid-template: "state when" auto "name agent" auto "host host" auto "where where" auto "standing standing" auto / minmax(0, 1fr) auto }
.job + .job { border-top: 1px solid var(--line) }
.job[data-state="needs you"] { box-shadow: inset 3px 0 var(--tone) }
.job-state { grid-area: state } .job-name { grid-area: name; min-width: 0 } .job-agent { grid-area: agent; justify-self: end } .job-standing { grid-area: standing; min-width: 0 } .job-next { font-size: .875rem; margin-top: .125rem } .job-title { display: block; font-size: .875rem; color: var(--quiet) }
.jobs .job-where { grid-area: where; min-width: 0; overflow: hidden; text-overflow: ellipsis; white-space: nowrap } .job-where a { color: inherit; text-decoration: none } .job-where a:hover { text-decoration: underline } .jobs .job-when { grid-area: when; text-align: end; white-space: nowrap }
.job-host { grid-area: host; font-weight: 600; font-size: .875rem } .trouble { color: var(--work) }
.troubled { list-style: none; font-size: .875rem; display: flex; flex-wrap: wrap; gap: .125rem 1.25rem; margin-bottom: .75rem }
.job-where, .job-when { font-size: .8125rem; color: var(--quiet) }
.kind { border: 1px solid var(--line); border-radius: 4px; padding: 0 .35em; font-size: .75rem }
.job-name a { font-weight: 600 }
.empty { background: var(--sheet); border: 1px dashed var(--line); border-radius: 12px; padding: 2rem 1rem; text-align: center }
.pages { display: flex; gap: 1.5rem; justify-content: center; padding-top: 1rem }
.crumb { font-size: .875rem; margin-bottom: .25rem }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%) }
.panel { background: var(--sheet); border: 1px solid var(--line); border-radius: 12px; padding: 1rem clamp(1rem, 2vw, 1.25rem); display: grid; gap: .875rem; grid-template-columns: minmax(0, 1fr) }
.panel[data-state="needs you"] { box-shadow: inset 4px 0 var(--tone) }
.panel > .head { align-items: baseline }
.standing { font-size: 1.0625rem; display: flex; flex-wrap: wrap; gap: .25rem .75rem; align-items: baseline }
.next { font-size: .9375rem }
.facts { display: grid; gap: .75rem 1.5rem; grid-template-columns: repeat(auto-fill, minmax(min(100%, 13rem), 1fr)) }
.facts div { min-width: 0 }
dt { font-size: .8125rem; color: var(--quiet) }
dd { font-variant-numeric: tabular-nums } dd > code:only-child { display: block; width: fit-content; max-width: 100%; overflow: hidden; text-overflow: ellipsis; white-space: nowrap }
.tasks { list-style: none; display: grid; margin-inline: calc(-1 * clamp(1rem, 2vw, 1.25rem)) }
.task { border-top: 1px solid var(--line); padding: .75rem clamp(1rem, 2vw, 1.25rem); display: grid; gap: .5rem; grid-template-columns: minmax(0, 1fr); scroll-margin-top: 1rem } .task:last-child { padding-bottom: 0 }
.task-head { display: flex; flex-wrap: wrap; gap: .25rem .75rem; align-items: baseline } .task-head h3 { flex: 1 1 16rem; min-width: 0 } .task-head p { font-size: .875rem; display: flex; flex-wrap: wrap; gap: .25rem 1rem }
h3 { font-size: 1rem; line-height: 1.4 } .task-head h3 span { font-weight: 400 }
.steps-of { list-style: none; display: grid; gap: .5rem; border-inline-start: 2px solid var(--line); padding-inline-start: .875rem }
.step { display: grid; gap: .25rem; grid-template-columns: minmax(0, 1fr); font-size: .9375rem; scroll-margin-top: 1rem } .step-head { display: flex; flex-wrap: wrap; gap: .25rem .625rem; align-items: baseline } .step .badge { min-width: 6.75rem }
.step > :not(.step-head) { max-width: 48rem } .step-head > a { order: 1 }
.findings { padding-inline-start: 1.25rem } .why h4 { margin: .5rem 0 .125rem; font-size: .8125rem; color: var(--quiet); font-weight: 600 } .why h4:first-child { margin-top: 0 }
.answer { display: grid; gap: .5rem; max-width: 32rem; margin-top: .5rem } .words { display: flex; flex-wrap: wrap; gap: .5rem }
meter { display: block; width: 100%; max-width: 13rem; height: .75rem }
.button { display: inline-flex; align-items: center; min-height: 2.5rem; border: 1px solid color-mix(in srgb, var(--ink) 45%, transparent); border-radius: 8px; padding: .4rem .75rem; color: var(--ink); text-decoration: none; font-weight: 600; background: var(--sheet) }
.acts { display: flex; flex-wrap: wrap; gap: .75rem; align-items: start } .acts details { border: 1px solid color-mix(in srgb, var(--ink) 45%, transparent); border-radius: 8px; background: var(--sheet) } .acts summary { padding: calc((2.5rem - 2px - 1.5em) / 2) .75rem; font-weight: 600; list-style: none } .acts summary::-webkit-details-marker { display: none } .acts details > :not(summary) { margin: 0 .75rem .75rem; max-width: 32rem }
.tabs { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; border-bottom: 1px solid var(--line); margin-top: -.5rem } .tabs a { padding: .375rem 0; color: var(--quiet); text-decoration: none; border-bottom: 2px solid transparent; margin-bottom: -1px } .tabs a:hover { color: var(--ink) } .tabs [aria-current] { color: var(--ink); font-weight: 600; border-color: var(--accent) }
.saids { list-style: none; display: grid; gap: .625rem; grid-template-columns: minmax(0, 1fr) }
.said { scroll-margin-top: 1rem } .said .who { display: flex; justify-content: space-between; gap: .75rem } .said summary .who { display: inline } .said time { font-size: .8125rem; font-weight: 400; color: var(--quiet); white-space: nowrap }
.said[data-who=person] { background: color-mix(in srgb, var(--accent) 9%, transparent); border-radius: 8px; padding: .5rem .75rem }
.said:is([data-who=tool], [data-who=result], [data-who=failed], [data-who=souffleur]) { font-size: .875rem; padding-inline-start: .75rem; border-inline-start: 2px solid var(--line) }
.said + .said:is([data-who=tool], [data-who=result], [data-who=failed]) { margin-top: -.25rem }
.who { font-size: .8125rem; font-weight: 600; color: var(--quiet) } .who.failed { color: var(--bad) }
.words-of { white-space: pre-wrap; max-width: 48rem } .cut { color: var(--quiet); font-style: italic }
.said summary { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; list-style-position: inside } .brief { color: var(--quiet) }
pre { margin: .375rem 0; padding: .625rem .75rem; font: .8125rem/1.5 var(--mono); background: color-mix(in srgb, var(--ink) 5%, transparent); border-radius: 8px; white-space: pre-wrap; max-height: 24rem; overflow: auto }
.files { list-style: none; display: grid } .files li { padding-block: .375rem } .files li + li { border-top: 1px solid var(--line) }
.counts { white-space: nowrap; font-variant-numeric: tabular-nums; font-size: .875rem } .plus { color: var(--good) } .minus { color: var(--bad) } .hunk { color: var(--quiet) } .diff span { display: block; min-height: 1.5em } .diff :is(.plus, .minus) { background: color-mix(in srgb, currentColor 9%, transparent) }
.boundary { display: flex; align-items: center; gap: .75rem; font-size: .8125rem; color: var(--quiet); text-align: center; margin-block: .375rem } .boundary::before, .boundary::after { content: ""; flex: 1; min-width: 1rem; border-top: 1px solid var(--line) }
.timeline svg { display: block; overflow: visible }
.lane { fill: color-mix(in srgb, var(--ink) 6%, transparent) } .life { fill: color-mix(in srgb, var(--good) 38%, var(--sheet)) } .mend { fill: var(--work) } .wait { fill: color-mix(in srgb, var(--accent) 55%, var(--sheet)) }
.tick { stroke: var(--line) } .tick-at { fill: var(--quiet); font-size: 11px; text-anchor: middle; font-variant-numeric: tabular-nums }
.quiet-stretch { fill: color-mix(in srgb, var(--sheet) 75%, transparent); stroke: var(--quiet); stroke-dasharray: 3 3 } .name { fill: var(--ink); font-size: 12px; font-weight: 600 }
.death circle { fill: var(--bad) } .death path { stroke: var(--sheet); stroke-width: 2; stroke-linecap: round } .cursor { stroke: var(--ink); stroke-width: 2 }
.ends, .key { display: flex; justify-content: space-between; font-size: .8125rem; color: var(--quiet) }
.key { justify-content: start; flex-wrap: wrap; gap: .25rem 1rem; margin-top: .375rem } .key span::before { content: ""; display: inline-block; width: .75em; height: .75em; margin-inline-end: .4em; border-radius: 2px; background: var(--tone) }
.key-life { --tone: color-mix(in srgb, var(--good) 38%, var(--sheet)) } .key-death { --tone: var(--bad) } .key .key-death::before { border-radius: 50% } .key-mend { --tone: var(--work) } .key-wait { --tone: color-mix(in srgb, var(--accent) 55%, var(--sheet)) } .key .key-quiet::before { border: 1px dashed var(--quiet) }
.use svg { display: block } .context { fill: none; stroke: var(--accent); stroke-width: 2; stroke-linejoin: round } .window { stroke: var(--quiet); stroke-dasharray: 4 4 } .used { fill: color-mix(in srgb, var(--work) 70%, var(--sheet)) }
.key-context { --tone: var(--accent) } .key-used { --tone: color-mix(in srgb, var(--work) 70%, var(--sheet)) } .key .key-window::before { height: 0; border-top: 1px dashed var(--quiet); border-radius: 0; vertical-align: middle }
.todos { list-style: none; display: grid; gap: .375rem } .todos li { display: grid; grid-template-columns: 5.25rem minmax(0, 1fr); gap: .625rem; align-items: baseline } .todos .badge { justify-self: start } .todos [data-state=todo-done] bdi { color: var(--quiet) }
.slider input { appearance: none; width: 100%; padding: 0; border: 0; display: block; min-height: 2rem; background: none; cursor: pointer }
.slider input::-webkit-slider-runnable-track { height: 2px; background: color-mix(in srgb, var(--ink) 45%, transparent) } .slider input::-moz-range-track { height: 2px; background: color-mix(in srgb, var(--ink) 45%, transparent) }
.slider input::-webkit-slider-thumb { appearance: none; width: 1.25rem; height: 1.25rem; margin-top: calc(1px - .625rem); border-radius: 50%; background: var(--accent); border: 3px solid var(--sheet); box-shadow: 0 0 0 1px var(--accent) } .slider input::-moz-range-thumb { box-sizing: border-box; width: 1.25rem; height: 1.25rem; border-radius: 50%; background: var(--accent); border: 3px solid var(--sheet); box-shadow: 0 0 0 1px var(--accent) }
@media (scripting: enabled) { .slider button { display: none } }
.slider output { color: var(--ink); font-weight: 600; font-variant-numeric: tabular-nums }
.steps { display: flex; flex-wrap: wrap; gap: .5rem 1.25rem; align-items: center }
.steps button { margin-inline-start: auto }
#then-state:empty { display: none } #then-state { display: grid; gap: .75rem } #then { display: grid; gap: .75rem }
.events { list-style: none; margin-inline: calc(-1 * clamp(1rem, 2vw, 1.25rem)); border-top: 1px solid var(--line) }
.event { display: grid; grid-template: "mark time rev" auto "mark what what" auto / 1rem 1fr auto; gap: 0 .625rem; padding: .5rem clamp(1rem, 2vw, 1.25rem); align-items: baseline; scroll-margin-top: 1rem }
.event + .event { border-top: 1px solid var(--line) }
.event:target { background: color-mix(in srgb, var(--accent) 10%, transparent) }
.event[data-severity=error] { --tone: var(--bad) } .event[data-severity=warning] { --tone: var(--work) } .event[data-severity=success] { --tone: var(--good) }
.mark { grid-area: mark; font-family: var(--mono); font-weight: 700; color: var(--tone, var(--quiet)); text-align: center }
.event time { grid-area: time; font-size: .875rem; color: var(--quiet); white-space: nowrap }
.event > p, .event > details { grid-area: what; min-width: 0 }
.event[data-severity=error] > :is(p, details) { font-weight: 600 } .event .why { font-weight: 400 }
.rev { font-size: .8125rem; color: var(--quiet); font-variant-numeric: tabular-nums } a.rev { grid-area: rev; min-width: 2rem; text-align: end }
summary { cursor: pointer } summary::marker { color: var(--quiet) }
.why { border-inline-start: 3px solid var(--line); padding-inline-start: 1rem; margin-block: .5rem; font-size: .9375rem }
.why h3 { margin: .5rem 0 .125rem; font-size: .8125rem; color: var(--quiet); font-weight: 600 } .why h3:first-child { margin-top: 0 }
.why ul { list-style: none }
@media (max-width: 47.99rem) { .roomy { display: none } }
@media (min-width: 48rem) {
  .step > :not(.step-head) { margin-inline-start: 7.375rem } .step-head > a { margin-inline-start: auto }
  .event { grid-template: "mark time what rev" auto / 1rem 8rem minmax(0, 1fr) auto }
}
@media (min-width: 60rem) {
  .jobs .job, .jobs .job-head { display: grid; grid-template: "state name agent where standing when" auto / 7.5rem minmax(0, 3fr) minmax(0, 1.25fr) minmax(0, 2.5fr) minmax(0, 4fr) 6rem; align-items: baseline }
  .hosted .job, .hosted .job-head { grid-template: "state name host agent where standing when" auto / 7.5rem minmax(0, 3fr) minmax(0, 1.5fr) minmax(0, 1.25fr) minmax(0, 2fr) minmax(0, 4fr) 6rem }
  .jobs:not(.hosted) .job-where { white-space: normal } .job-agent { justify-self: start } .jobs .job-head :last-child { text-align: end }
}
.needs, .marks { list-style: none; display: grid; gap: .5rem } .needs .next { margin-top: .125rem }
.marks li { display: grid; grid-template-columns: 9.5rem minmax(0, 1fr); gap: 0 .625rem } .marks time { color: var(--quiet); font-size: .875rem }
@media (max-width: 30rem) { .marks li { grid-template-columns: minmax(0, 1fr) } }
@media print {
  :root { color-scheme: light; font-size: 12px }
  * { print-color-adjust: exact }
  .panel { break-inside: avoid } .skip, #link, .acts, .slider, .search, .pages { display: none }
}
@media (prefers-reduced-motion: no-preference) { a, button { transition: border-color .12s } }
@media (forced-colors: active) { .badge { border: 1px solid } }
`
