/** Every text has a contrast of at least 4.5 to its background, in the light and the dark color scheme. */
export const STYLE = `:root {
  color-scheme: light dark;
  --back: light-dark(#ffffff, #14171b);
  --raised: light-dark(#f6f8fa, #1f242a);
  --text: light-dark(#1b1f24, #e6e8ea);
  --muted: light-dark(#57606a, #a3abb4);
  --line: light-dark(#d0d7de, #343b43);
  --edge: light-dark(#767e87, #818a94);
  --accent: light-dark(#0b57d0, #8ab4f8);
  --on-accent: light-dark(#ffffff, #10151c);
  --good: light-dark(#1a7f37, #5bb974);
  --new: light-dark(#0b57d0, #8ab4f8);
  --warn: light-dark(#8a5a00, #dba94a);
  --bad: light-dark(#b3261e, #f28b82);
  --on-bad: light-dark(#ffffff, #1c100f);
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--back); color: var(--text); font: 16px/1.5 system-ui, sans-serif; }
header { display: flex; flex-wrap: wrap; gap: 0.5rem 1rem; align-items: center; padding: 0.5rem 1rem; background: var(--raised); border-bottom: 1px solid var(--line); }
header nav { display: flex; gap: 1rem; margin-right: auto; }
header nav a { padding: 0.25rem 0; }
header nav a[aria-current] { color: var(--text); font-weight: 600; text-decoration: none; border-bottom: 3px solid var(--accent); }
main { max-width: 60rem; margin: 0 auto; padding: 1rem; }
main.login { max-width: 26rem; padding-top: 10vh; }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0.5rem 0 1rem; overflow-wrap: anywhere; }
h2 { font-size: 1.125rem; margin: 1.5rem 0 0.5rem; }
p, ul, dl { margin: 0.5rem 0; }
a { color: var(--accent); }
code { font-family: ui-monospace, monospace; }
code, .line a { overflow-wrap: anywhere; }
.muted { color: var(--muted); }
.problem { color: var(--bad); }
.problem:empty { margin: 0; }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
[tabindex='-1']:focus { outline: none; }

button, input, select { font: inherit; color: inherit; background: var(--back); border: 1px solid var(--edge); border-radius: 6px; padding: 0.375rem 0.75rem; min-height: 2.5rem; max-width: 100%; }
button { cursor: pointer; background: var(--raised); }
button:disabled, button[aria-disabled='true'] { color: var(--muted); border-color: var(--line); cursor: default; }
button.primary { background: var(--accent); border-color: var(--accent); color: var(--on-accent); }
button.danger { background: var(--bad); border-color: var(--bad); color: var(--on-bad); }
button.danger[aria-disabled='true'], button.primary[aria-disabled='true'] { background: var(--raised); color: var(--muted); border-color: var(--line); }
label { font-weight: 600; }
form:not(.row) label, form:not(.row) input { display: block; }
form:not(.row) input { width: 100%; margin: 0.25rem 0 0.5rem; }
input[aria-invalid='true'] { border-color: var(--bad); }
.row { display: flex; flex-wrap: wrap; gap: 0.5rem; align-items: center; margin: 0.75rem 0; }
.field { display: flex; flex: 0 1 auto; gap: 0.5rem; align-items: center; }
.field:first-child { flex: 1 1 18rem; }
.field input { flex: 1 1 10rem; min-width: 0; }
.row p { flex-basis: 100%; margin: 0; }
.line { display: flex; flex-wrap: wrap; gap: 0.25rem 0.5rem; align-items: baseline; }
.badge { border: 1px solid currentColor; border-radius: 1rem; padding: 0 0.5rem; font-size: 0.875rem; }
.badge.bad { background: var(--bad); border-color: var(--bad); color: var(--on-bad); }
.good { color: var(--good); }
.new { color: var(--new); }
.warn { color: var(--warn); }
.bad { color: var(--bad); }
pre { padding: 0.75rem 1rem; overflow-x: auto; background: var(--raised); border: 1px solid var(--line); border-radius: 6px; }

.imports, .codes, .examples, .legend { list-style: none; padding: 0; }
.imports > li, .codes > li { border-top: 1px solid var(--line); padding: 0.75rem 0; }
.codes > li { padding: 0.25rem 0; }
.pages { display: flex; gap: 0.5rem; }
.bar { display: block; width: 100%; height: 14px; margin: 0.5rem 0 0.25rem; background: var(--line); border-radius: 4px; }
.legend { display: flex; flex-wrap: wrap; gap: 0.125rem 1rem; margin: 0; font-size: 0.875rem; }
.swatch { display: inline-block; width: 0.75rem; height: 0.75rem; border-radius: 2px; margin-right: 0.375rem; background: currentColor; }
.bar rect { fill: currentColor; }
rect + rect { stroke: var(--back); stroke-width: 1px; }

summary { cursor: pointer; padding: 0.375rem 0; }
summary code { font-weight: 600; }
.examples { margin: 0 0 0.5rem 1rem; }
.examples li { margin: 0.25rem 0; }
.message { overflow-wrap: anywhere; }
dl > div { display: grid; grid-template-columns: 10rem 1fr; gap: 0 1rem; padding: 0.125rem 0; }
dt { color: var(--muted); }
dd { margin: 0; overflow-wrap: anywhere; }
table { width: 100%; border-collapse: collapse; margin: 1.5rem 0; }
caption { text-align: left; font-weight: 600; padding-bottom: 0.25rem; }
th, td { text-align: left; font-weight: normal; padding: 0.375rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
thead th { color: var(--muted); }
tbody th { width: 100%; overflow-wrap: anywhere; }
th.number, td.number { padding-left: 1.25rem; text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
dialog { width: min(32rem, calc(100vw - 2rem)); padding: 1.25rem; background: var(--back); color: var(--text); border: 1px solid var(--edge); border-radius: 10px; }
dialog h2 { margin-top: 0; }
dialog::backdrop { background: rgb(0 0 0 / 50%); }
@media (max-width: 32rem) {
  header, header nav { gap: 0.5rem 0.75rem; }
  dl > div { grid-template-columns: 1fr; padding: 0.25rem 0; }
}
@media (prefers-reduced-motion: no-preference) {
  .bar rect { transition: width 0.4s, x 0.4s; }
}
`;
