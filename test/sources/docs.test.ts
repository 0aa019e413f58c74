import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { RECORD_PROBLEMS } from '../../src/sources/containers/table.ts';
import { settingsOf } from '../../src/sources/mapping/id-prefix.ts';
import { USER_PROBLEMS } from '../../src/sources/pipeline/verdict.ts';
import { HASH_PROBLEMS, SKIP_REASONS } from '../../src/sources/source-user.ts';
import { SOURCES } from '../../src/sources/sources.ts';
import { declarationOf } from '../support/docs/system-blocks.ts';

const PATH = 'docs/imports.md';
const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

it('names, forms and settings of systems are unlike each other', () => {
  const forms = SOURCES.flatMap((source) => source.forms.map(({ name }) => name));
  expect(forms).toEqual([...new Set(forms)]);
  const names = SOURCES.map(({ name }) => name);
  expect(names).toEqual([...new Set(names)]);
});

it(`${PATH} has every reason, and no other`, () => {
  const [, reasons = ''] = read(PATH).split('\n## Reasons\n');
  const rows = [...reasons.matchAll(/^\| `([A-Z_]+)` \| (\w+) \| (.+) \| (.+) \|$/gm)];
  const told = rows.map(([, reason, result]) => `${reason}: ${result}`);
  const known = [
    ...SKIP_REASONS.map((reason) => `${reason}: skip`),
    ...USER_PROBLEMS.map((reason) => `${reason}: ${reason === 'DUPLICATE_EMAIL' ? 'conflict' : 'error'}`),
    ...[...HASH_PROBLEMS, ...RECORD_PROBLEMS].map((reason) => `${reason}: error`),
  ];
  expect(told.sort()).toEqual(known.sort());
});

it(`${PATH} names codes of the service that there are`, () => {
  const [, others = ''] = read(PATH).split('An error may also have');
  const [paragraph = ''] = others.split('\n##');
  const codes = [...paragraph.matchAll(/`([A-Z_]+)`/g)].map(([, name]) => name);
  const errors = read('docs/errors.md');
  expect(codes).not.toEqual([]);
  expect(
    codes.filter((name) => !errors.includes(`| \`${name}\``) && !errors.includes(`**${name}**`)),
  ).toEqual([]);
});

/** Rows of an earlier import and tables of any system have no export of their own. */
const withExports = SOURCES.filter(({ name }) => name !== 'rejects' && name !== 'generic');

it.each(withExports.map(({ title }) => title))(
  `${PATH} says how to export %s, what is lost, and one command`,
  (title) => {
    const [, section = ''] = read(PATH).split(`\n### ${title}\n`);
    const [text = ''] = section.split(/\n##/);
    expect(text).toMatch(
      /^\n- \*\*Export\*\*:\s+\S.*\n- \*\*Lost\*\*:\s+\S.*\n- \*\*Import\*\*: `user-import (?:import|inspect) \S[^\n]*`/s,
    );
  },
);

it(`${PATH} says what rules decide who may sign in, beside the columns of the table`, () => {
  const silent = withExports.filter(({ title, forms }) => {
    const [text = ''] = (read(PATH).split(`\n### ${title}\n`)[1] ?? '').split('<!-- begin');
    const hasRule = forms.some((form) => declarationOf(form)?.state !== undefined);
    return hasRule && !text.includes('**States**');
  });
  expect(silent.map(({ title }) => title)).toEqual([]);
});

it(`${PATH} names settings that the system has`, () => {
  const [, each = ''] = read(PATH).split('\n## Each system\n');
  for (const source of withExports) {
    const [text = ''] = (each.split(`\n### ${source.title}\n`)[1] ?? '').split(/\n##/);
    const told = [...text.matchAll(/--set ([A-Za-z]+)=/g)].map(([, name = '']) => name);
    expect(told.filter((name) => !Object.hasOwn(settingsOf(source), name))).toEqual([]);
  }
});

it('a missing table is named with the way to get it', () => {
  const details = SOURCES.flatMap(({ forms }) => forms).flatMap((form) => Object.values(form.details ?? {}));
  const messages = details.flatMap(({ missing }) => missing ?? []);
  expect(messages.length).toBeGreaterThan(20);
  expect(messages.filter((text) => !/(?:[Dd]ump|[Ee]xport|Name|Take|Ask|add) /.test(text))).toEqual([]);
});
