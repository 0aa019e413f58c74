import { buildRegistry } from '../../../src/hashing/registry.ts';
import type { ParsedHash } from '../../../src/hashing/verifier.ts';
import type { JsonObject } from '../../../src/lib/json/json-object.ts';
import { acceptHash } from '../../../src/passwords/accept-hash.ts';
import { openContainer } from '../../../src/sources/containers/open-container.ts';
import {
  type ContainerName,
  isBadRecord,
  type ReadOptions,
  type SourceFile,
  type SourceRecord,
  type TableHead,
} from '../../../src/sources/containers/table.ts';
import { userReader } from '../../../src/sources/pipeline/read-users.ts';
import type { Dropped, Form, ReadContext, Settings, Source } from '../../../src/sources/source.ts';
import type { SourcePassword, SourceUser } from '../../../src/sources/source-user.ts';
import { DEFAULT_LIMITS, secretsFor } from '../../support/vectors.ts';
import { fileOf } from '../containers/read-whole.ts';

/** For tests of a single form, without files and verdicts. Whole exports are tested in ../samples.test.ts. */
export const NOW_MS = Date.UTC(2026, 3, 1);

/** A table with all of its records. */
export interface TestTable {
  head: TableHead;
  records: readonly SourceRecord[];
}

/** Description of a table. `columns` may be given as names. */
type About = Partial<Omit<TableHead, 'first' | 'columns'>> & { columns?: Iterable<string> };

export function headOf(
  records: readonly SourceRecord[],
  { columns, container = 'json', name = '', root = {}, ...about }: About = {},
): TableHead {
  const first = records.slice(0, 20);
  const names = new Set(columns ?? first.flatMap((record) => Object.keys(record)));
  return { container, name, columns: names, first, root, ...about };
}

export const tableOf = (
  container: ContainerName,
  records: readonly SourceRecord[],
  about: Omit<About, 'container'> = {},
): TestTable => ({ head: headOf(records, { ...about, container }), records });

/** Returns the tables that the containers find in a file, without unreadable records. */
export async function tablesIn(file: SourceFile, options: ReadOptions = {}): Promise<TestTable[]> {
  const { read } = await openContainer(file, options);
  const tables = new Map<string, SourceRecord[]>();
  const heads: TableHead[] = [];
  for await (const { table, records } of read((head) => heads.push(head) > 0)) {
    const found = tables.get(table.name) ?? [];
    tables.set(table.name, found);
    for (const record of records) if (!isBadRecord(record)) found.push(record);
  }
  return heads.map((head) => ({ head, records: tables.get(head.name) ?? [] }));
}

export const jsonTablesOf = (value: unknown): Promise<TestTable[]> => tablesIn(fileOf(JSON.stringify(value)));

export function formNamed({ forms }: Source, name: string): Form {
  const form = forms.find((one) => one.name === name);
  if (form === undefined) throw new Error(`there is no form ${name}`);
  return form;
}

interface Named {
  settings?: Settings;
  /** Whether `--from` names the source. */
  isNamed?: boolean;
}

const usersAmong = (
  form: Form,
  heads: readonly TableHead[],
  { settings = {}, isNamed = false }: Named = {},
) => heads.filter((head) => form.isUsers(head, settings, { tables: heads, isNamed }));

/** Returns the first form that accepts users of these tables. */
export const findForm = (
  { forms }: Source,
  tables: readonly TestTable[],
  named: Named = {},
): Form | undefined => {
  const heads = tables.map(({ head }) => head);
  return forms.find((form) => usersAmong(form, heads, named).length > 0);
};

/** Returns the context of a form, without details. */
export const contextOf = (changes: Partial<ReadContext> = {}): ReadContext => ({
  table: headOf([]),
  tables: [],
  settings: {},
  nowMs: NOW_MS,
  details: () => [],
  ruled: new Set(),
  unreadable: () => {},
  hasDetail: () => false,
  drop: () => undefined,
  ...changes,
});

interface ReadUsers {
  /** Users of the form, followed by users that only a detail has. */
  users: SourceUser[];
  dropped: Partial<Record<Dropped, number>>;
}

export function readTables(form: Form, tables: readonly TestTable[], named: Named = {}): ReadUsers {
  const { settings = {} } = named;
  const dropped: ReadUsers['dropped'] = {};
  const kept = new Map<string, JsonObject[]>();
  const details = Object.entries(form.details ?? {}).map(([name, detail]) => ({
    name,
    detail,
    tables: tables.filter(({ head }) => detail.fits(head)),
  }));
  for (const { name, detail, tables: found } of details) {
    for (const record of found.flatMap(({ records }) => records)) {
      const one = detail.keep(record);
      const key = `${name} ${detail.keyOf(record)}`;
      // Details are stored on disk as JSON.
      if (one !== undefined) kept.set(key, [...(kept.get(key) ?? []), JSON.parse(JSON.stringify(one))]);
    }
  }
  const contextIn = ({ head }: TestTable) =>
    contextOf({
      table: head,
      tables: tables.map((one) => one.head),
      settings,
      details: (name, key) => kept.get(`${name} ${key}`) ?? [],
      unreadable: () => {},
      hasDetail: (name) => details.some((one) => one.name === name && one.tables.length > 0),
      drop: (what) => {
        dropped[what] = (dropped[what] ?? 0) + 1;
      },
    });
  const heads = tables.map(({ head }) => head);
  const ofUsers = new Set(usersAmong(form, heads, named));
  const ids = new Set<string | undefined>();
  const users = tables
    .filter(({ head }) => ofUsers.has(head))
    .flatMap((table) =>
      table.records.flatMap((record) => {
        ids.add(form.keyOf?.(record));
        return userReader(form, contextIn(table))(record) ?? [];
      }),
    );
  const others = details.flatMap(({ detail, tables: found }) =>
    found.flatMap((table) =>
      table.records
        .filter((record) => !ids.has(detail.keyOf(record)))
        .flatMap((record) => detail.readAlone?.(record, contextIn(table)) ?? []),
    ),
  );
  return { users: [...users, ...others], dropped };
}

/** Reads all users of the form that fits, with its advice as `level: text`. */
export function readUsers(
  source: Source,
  tables: readonly TestTable[],
  named: Named = {},
): ReadUsers & { form: Form; advice: string[] } {
  const form = findForm(source, tables, named);
  if (form === undefined) throw new Error(`${source.name} does not know these tables`);
  const { settings = {} } = named;
  const advice = form.advice?.({ tables: tables.map(({ head }) => head), settings }) ?? [];
  return {
    form,
    ...readTables(form, tables, named),
    advice: advice.map(({ level, text }) => `${level}: ${text}`),
  };
}

/** Reads one record alone. */
export function readOne(source: Source, table: TestTable, settings: Settings = {}): SourceUser {
  const [user] = readUsers(source, [table], { settings }).users;
  if (user === undefined) throw new Error('nobody was read');
  return user;
}

const registry = buildRegistry(DEFAULT_LIMITS);

/** The family of a hash among those that its system names. */
export function familyOf(password: SourcePassword | undefined): string | undefined {
  if (password === undefined || !('encoded' in password)) throw new Error('there is no hash');
  const { encoded, algorithm, families = [] } = password;
  return algorithm ?? families.find((name) => registry.named(name)?.resembles(encoded));
}

/**
 * Parses the hash as the service does.
 * @param signerKey of Firebase, in base64
 */
export function acceptedHash(password: SourcePassword | undefined, signerKey?: string): ParsedHash {
  if (password === undefined || !('encoded' in password)) throw new Error('there is no hash');
  const key = signerKey === undefined ? undefined : Buffer.from(signerKey, 'base64');
  const withKey = buildRegistry(DEFAULT_LIMITS, secretsFor('external_scrypt', key));
  return acceptHash(withKey, password.encoded, familyOf(password));
}

/** Returns whether the service would sign in with this password. Throws if there is no hash or it is refused. */
export const verifies = (password: SourcePassword | undefined, text: string): Promise<boolean> =>
  acceptedHash(password).verify(Buffer.from(text));
