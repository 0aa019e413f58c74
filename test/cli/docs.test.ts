import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { COMMANDS } from '../../src/cli/commands.ts';
import { FLAG_NAMES, flagOf, SOURCE_FLAGS } from '../../src/cli/options/flags.ts';

import { FIELDS } from '../../src/sources/mapping/fields.ts';
import { parseTemplate, STEPS } from '../../src/sources/mapping/hash-template.ts';
import { readMapping } from '../../src/sources/mapping/mapping.ts';

const manual = readFileSync(new URL('../../docs/user-import.md', import.meta.url), 'utf8');
const section = (title: string) => manual.split(/^## /m).find((text) => text.startsWith(`${title}\n`)) ?? '';
/** Returns the first cells of table rows, in the order of the manual. */
const cellsOf = (text: string) =>
  [...text.matchAll(/^\| `([^`]+)`(?:, `-(\w)`)? \|/gm)].map(([, cell = '', short]) => ({
    words: cell.replaceAll('\\|', '|').split(' '),
    short,
  }));

it('the manual documents exactly the flags that exist', () => {
  const flags = cellsOf(section('Flags')).map(({ words: [name, ...value], short }) => [
    name,
    value.join(' '),
    short,
  ]);
  expect(flags.sort()).toEqual(
    FLAG_NAMES.map((name) => {
      const { value = '', short } = flagOf(name);
      return [`--${name}`, value, short];
    }).sort(),
  );
});

it('the manual documents exactly the commands that exist', () => {
  const commands = cellsOf(section('Commands')).map(({ words }) => words[0]);
  expect(commands).toEqual(Object.keys(COMMANDS));
});

it('the manual documents every field and step, and its templates and mapping are valid', () => {
  const text = section('A table of your own');
  const named = new Set([...text.matchAll(/`([\w-]+)`/g)].map(([, name]) => name));
  expect([...FIELDS, ...STEPS.keys()].filter((name) => name !== 'base64url' && !named.has(name))).toEqual([]);
  const templates = [...text.matchAll(/--hash '([^']+)'/g)].map(([, template = '']) =>
    parseTemplate(template),
  );
  expect(templates).toEqual(Array.from({ length: 3 }, () => ({ parts: expect.arrayContaining([]) })));
  const [, mapping = ''] = /```json\n(.*?)```/s.exec(text) ?? [];
  const { map, hash } = JSON.parse(mapping);
  expect(readMapping({ map, hash })).not.toHaveProperty('problem');
  expect(
    Object.keys(JSON.parse(mapping)).filter((name) => !SOURCE_FLAGS.some((flag) => flag === name)),
  ).toEqual([]);
});
