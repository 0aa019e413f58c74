import { expect, it } from 'vitest';
import type { TableHead } from '../../src/sources/containers/table.ts';
import { surveyFile } from '../../src/sources/pipeline/survey-file.ts';
import { GENERIC, SOURCES } from '../../src/sources/sources.ts';
import { readSamples } from './samples.ts';
import { headOf } from './systems/read-users.ts';

const SURE = SOURCES.filter((source) => source !== GENERIC);

/** Each file alone, and files that belong together. */
const SETS = await Promise.all(
  readSamples().flatMap(({ system, files, read }) =>
    [files, ...(files.length > 1 ? files.map((file) => [file]) : [])].map(async (some) => ({
      system,
      names: some.map(({ name }) => name).join(' + '),
      tables: (await Promise.all(some.map((file) => surveyFile(file, read)))).flatMap(({ tables }) => tables),
    })),
  ),
);

const takes = (source: (typeof SURE)[number], tables: readonly TableHead[]) =>
  source.forms.some((form) => tables.some((table) => form.isUsers(table, {}, { tables, isNamed: false })));

it('every source except the generic one has samples', () => {
  const systems = new Set(SETS.map(({ system }) => system));
  expect(SURE.map(({ name }) => name).filter((name) => !systems.has(name))).toEqual(['rejects']);
});

it.each(SURE)('$name accepts no table of another source', (source) => {
  const taken = SETS.filter(({ system, tables }) => system !== source.name && takes(source, tables));
  expect(taken.map(({ system, names }) => `${system}/${names}`)).toEqual([]);
});

it('tables of Metabase and Zulip are not those of Django, whose columns they have', () => {
  const django = SURE.find(({ name }) => name === 'django');
  const columns = ['id', 'email', 'password', 'last_login', 'is_superuser', 'date_joined', 'is_active'];
  const tableWith = (...more: string[]) => headOf([], { container: 'csv', columns: [...columns, ...more] });
  expect(django && takes(django, [tableWith()])).toBe(true);
  for (const column of ['password_salt', 'delivery_email'])
    expect(django && takes(django, [tableWith(column)])).toBe(false);
});
