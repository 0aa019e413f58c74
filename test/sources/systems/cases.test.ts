import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ContainerName, SourceRecord, TableHead } from '../../../src/sources/containers/table.ts';
import type { Settings, Source } from '../../../src/sources/source.ts';
import type { SourcePassword } from '../../../src/sources/source-user.ts';
import { SOURCES } from '../../../src/sources/sources.ts';
import { SAMPLES } from '../samples.ts';
import {
  acceptedHash,
  familyOf,
  findForm,
  formNamed,
  headOf,
  readTables,
  type TestTable,
  verifies,
} from './read-users.ts';

/** Tables as a container has them. Columns that are not given are those of the records. */
interface Table extends Partial<Omit<TableHead, 'columns'>> {
  container?: ContainerName;
  columns?: string[];
  records?: SourceRecord[];
}

interface Expected {
  /** Kind of export that the tables are. Null: none of this system. */
  form?: string | null;
  /** All users, whole but for members without a value. */
  users?: JsonUser[];
  dropped?: Record<string, number>;
  /** A part of each piece of advice. */
  advice?: string[];
}

/** One difference from the tables of a case, and what it changes in the expectation. */
interface Change extends Expected {
  it?: string;
  settings?: Settings;
  /** Table whose first record is changed, by its name or place. Without: the first table. */
  in?: string | number;
  record?: SourceRecord;
  /** Members that the record lacks. */
  without?: string[];
  /** Changed members of the first user. Null: the user has none. */
  user?: JsonUser;
}

/** A case of `samples/SYSTEM/cases.json`. */
interface Case extends Expected {
  it: string;
  settings?: Settings;
  /** The operator names the system. */
  isNamed?: boolean;
  /** Kind of export by which the tables are read, although they alone do not show it. */
  of?: string;
  tables: Table[];
  changes?: Change[];
}

interface JsonPassword {
  encoded?: string;
  /** Family as which the service accepts the hash. */
  family?: string;
  /** Family that a made-up hash resembles, which the service refuses. */
  resembles?: string;
  /** A password with which the user signs in. */
  matches?: string;
}

type JsonUser = Record<string, unknown> & { password?: JsonPassword };

const tableOf = ({ columns, first, records = [], ...about }: Table): TestTable => ({
  head: headOf(first ?? records, { ...about, ...(columns !== undefined && { columns }) }),
  records,
});

function changed({ tables, changes: _, ...others }: Case, change: Change): Case {
  const { in: place = 0, record, without = [], user, it: _title, ...expected } = change;
  const at = typeof place === 'number' ? place : tables.findIndex(({ name }) => name === place);
  const [first, ...rest] = others.users ?? [];
  return {
    ...others,
    ...(user !== undefined && { users: [present({ ...first, ...user }), ...rest] }),
    ...expected,
    tables: tables.map((table, index) => {
      if (index !== at) return table;
      const [old, ...more] = table.records ?? [];
      const kept = Object.entries({ ...old, ...record }).filter(([name]) => !without.includes(name));
      return { ...table, records: [Object.fromEntries(kept), ...more] };
    }),
  };
}

/** Leaves out members that say nothing. */
const present = (user: object): JsonUser =>
  Object.fromEntries(
    Object.entries(user).filter(
      ([name, value]) =>
        value != null &&
        !['[]', '{}'].includes(JSON.stringify(value)) &&
        !(value === false && name.startsWith('has')),
    ),
  );

/** Returns the password as the cases describe it. */
function passwordOf(password: SourcePassword | undefined, told: JsonPassword | undefined): unknown {
  if (password === undefined) return undefined;
  if ('problem' in password) return { problem: password.problem };
  if (!('encoded' in password)) return password;
  const { encoded, algorithmIfUntold, signerKey } = password;
  const taken = told?.family !== undefined && { family: acceptedHash(password, signerKey).algorithm };
  return {
    encoded,
    algorithmIfUntold,
    matches: told?.matches,
    ...(taken || { resembles: familyOf(password) }),
  };
}

async function check(source: Source, expected: Case): Promise<void> {
  const { settings = {}, isNamed = false, of, form = null, users = [], dropped = {}, advice = [] } = expected;
  const tables = expected.tables.map(tableOf);
  const named = { settings, isNamed };
  const found = findForm(source, tables, named);
  if (of === undefined) expect(found?.name ?? null).toBe(form);
  const by = of === undefined ? found : formNamed(source, of);
  if (by === undefined) return;
  const read = readTables(by, tables, named);
  const seen = read.users.map((user, index) =>
    present({ ...user, password: passwordOf(user.password, users[index]?.password) }),
  );
  expect(JSON.parse(JSON.stringify(seen))).toEqual(users.map(present));
  expect(read.dropped).toEqual(dropped);
  const given = by.advice?.({ tables: tables.map(({ head }) => head), settings }) ?? [];
  const texts = given.map(({ level, text }) => `${level}: ${text}`);
  expect(texts).toEqual(advice.map((part) => expect.stringContaining(part)));
  for (const [index, { password }] of users.entries()) {
    if (password?.matches === undefined) continue;
    expect(await verifies(read.users[index]?.password, password.matches)).toBe(true);
  }
}

/** Returns a case and those of its changes, each with its title. A change without one has that of the case before it. */
function withChanges(base: Case): [string, Case][] {
  let title = base.it;
  const changes = (base.changes ?? []).map((change): [string, Case] => {
    title = change.it ?? title;
    const { it: _, user: __, users: ___, ...difference } = change;
    return [`${title}: ${JSON.stringify(difference)}`, changed(base, change)];
  });
  return [[base.it, base], ...changes];
}

const pathOf = ({ name }: Source) => join(SAMPLES, name, 'cases.json');
const WITH_CASES = SOURCES.filter((source) => existsSync(pathOf(source)));

describe.each(WITH_CASES)('$name', (source) => {
  const cases: Case[] = JSON.parse(readFileSync(pathOf(source), 'utf8'));
  it.each(cases.flatMap(withChanges))('%s', (_, expected) => check(source, expected));
});
