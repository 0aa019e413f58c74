import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { promtool } from './support/promtool.ts';

const RULES = new URL('../docker/prometheus-alerts.yaml', import.meta.url).pathname;
const CASES = new URL('./alerts.cases.yaml', import.meta.url).pathname;

interface Rules {
  groups: { rules: { alert: string }[] }[];
}
const alerts = (parse(readFileSync(RULES, 'utf8')) as Rules).groups.flatMap(({ rules }) =>
  rules.map(({ alert }) => alert),
);

it('the alert rules are valid, for promtool', (context) => {
  expect(promtool(context, ['check', 'rules', RULES])).toMatch(/^0 [\s\S]*SUCCESS/);
});

it('every alert fires when it should, and none when all is well', (context) => {
  expect(promtool(context, ['test', 'rules', CASES])).toMatch(/^0 [\s\S]*SUCCESS/);
  const cases = readFileSync(CASES, 'utf8');
  for (const alert of alerts) expect(cases, `a case of ${alert}`).toContain(`alertname: ${alert}`);
});

it('docs/operating.md says of every alert what it means', () => {
  const text = readFileSync(new URL('../docs/operating.md', import.meta.url), 'utf8');
  for (const alert of alerts) expect(text).toContain(`\`${alert}\``);
});
