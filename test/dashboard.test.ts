import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { parse } from 'yaml';
import { Metrics } from '../src/lib/metrics.ts';
import { scratch } from './cli/command-line.ts';
import { createTestApp, type TestApp } from './support/app.ts';
import { promtool } from './support/promtool.ts';

interface Panel {
  id: number;
  type: string;
  title: string;
  gridPos: { x: number; y: number; w: number; h: number };
  targets?: { expr: string; legendFormat: string }[];
}

const read = (name: string) => readFileSync(new URL(`../docker/${name}`, import.meta.url), 'utf8');
const dashboard = JSON.parse(read('grafana-dashboard.json'));
const panels: Panel[] = dashboard.panels;
const targets = panels.flatMap((panel) => panel.targets ?? []);
const alerts: string[] = parse(read('prometheus-alerts.yaml')).groups.flatMap(
  ({ rules }: { rules: { expr: string }[] }) => rules.map(({ expr }) => expr),
);

/** Labels of the metrics of a service, by name. Prometheus adds those of the target. */
const declared = new Map<string, readonly string[]>();
const OF_TARGETS = ['job', 'instance'];
const HISTOGRAM = ['_bucket', '_count', '_sum'];
let service: TestApp;

beforeAll(async () => {
  const counters = vi.spyOn(Metrics.prototype, 'counter');
  const histograms = vi.spyOn(Metrics.prototype, 'histogram');
  const read = vi.spyOn(Metrics.prototype, 'read');
  service = await createTestApp({
    config: {
      upstream_core_uri: 'http://127.0.0.1:9',
      hand_over_secret: 'x'.repeat(32),
      legacy_signin_for: 'waiting',
      legacy_signin_url: 'http://127.0.0.1:9',
      legacy_signin_secret: `whsec_${Buffer.alloc(32).toString('base64')}`,
    },
  });
  for (const [name, , labels] of counters.mock.calls) declared.set(name, [...labels, ...OF_TARGETS]);
  for (const [name, , labels] of histograms.mock.calls)
    for (const end of HISTOGRAM) declared.set(`${name}${end}`, [...labels, 'le', ...OF_TARGETS]);
  for (const [metric] of read.mock.calls) {
    const [name = '', ...labels] = metric.match(/\w+/g) ?? [];
    declared.set(name, [...labels, ...OF_TARGETS]);
  }
});
afterAll(async () => {
  await service.close();
  vi.restoreAllMocks();
});

const METRIC = /\b(?:user_import|process|nodejs)_\w+/g;

/** Returns the metrics and labels of an expression that no service has. */
function unknownIn(expr: string): string[] {
  const found: string[] = [];
  const used: string[] = [];
  for (const [, name = '', , selectors = ''] of expr.matchAll(
    /\b((?:user_import|process|nodejs)_\w+)(\{([^}]*)\})?/g,
  )) {
    const labels = declared.get(name);
    if (labels === undefined) found.push(name);
    else used.push(...labels);
    for (const [, label = ''] of selectors.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g))
      if (!labels?.includes(label)) found.push(`${name}{${label}}`);
  }
  for (const [, list = ''] of expr.matchAll(/\b(?:by|on|group_left) \(([^)]*)\)/g))
    for (const label of list.split(/,\s*/)) if (!used.includes(label)) found.push(`by (${label})`);
  return found;
}

it('alerts and the dashboard ask for metrics and labels that a service has', () => {
  const expressions = [...targets.map(({ expr }) => expr), ...alerts].filter((expr) => !/^up\b/.test(expr));
  expect(expressions.flatMap(unknownIn)).toEqual([]);
  expect(unknownIn('sum by (typo) (user_import_waitin) + user_import_waiting{state="x"}')).toEqual([
    'user_import_waitin',
    'user_import_waiting{state}',
    'by (typo)',
  ]);
  for (const { expr, legendFormat } of targets)
    for (const [, label = ''] of legendFormat.matchAll(/\{\{(\w+)\}\}/g))
      expect(expr, legendFormat).toMatch(new RegExp(`(?:by|on|group_left) \\([^)]*\\b${label}\\b`));
});

it('the dashboard shows every metric', () => {
  const shown = new Set(targets.flatMap(({ expr }) => expr.match(METRIC) ?? []));
  const isShown = (name: string) =>
    shown.has(name) || (/_(?:count|sum)$/.test(name) && shown.has(name.replace(/_[a-z]+$/, '_bucket')));
  expect([...declared.keys()].filter((name) => !isShown(name))).toEqual([]);
});

it('every query is valid, for promtool', (context) => {
  const rules = targets.map(({ expr }, index) => ({
    record: `query:${index}`,
    expr: expr.replaceAll('$__rate_interval', '5m').replaceAll('$instance', '.+'),
  }));
  const file = join(scratch(), 'rules.json');
  writeFileSync(file, JSON.stringify({ groups: [{ name: 'dashboard', rules }] }));
  expect(promtool(context, ['check', 'rules', file])).toMatch(/^0 [\s\S]*SUCCESS/);
});

it('panels have an id each, a name, and places that do not overlap', () => {
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  expect(new Set(panels.map(({ title }) => title)).size).toBe(panels.length);
  const places = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_, at) => `${x + (at % w)} ${y + Math.floor(at / w)}`),
  );
  expect(new Set(places).size).toBe(places.length);
  expect(Math.max(...panels.map(({ gridPos: { x, w } }) => x + w))).toBe(24);
});
