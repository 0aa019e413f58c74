import { shellWord } from '../../lib/text/shell-word.ts';
import type { SourceRecord, TableHead } from '../containers/table.ts';
import { hashText } from '../fields/hashes.ts';
import { looksLikeHash } from '../fields/looks-like-hash.ts';
import { knownThirdPartyId } from '../fields/providers.ts';
import { shownName } from '../fields/shown-name.ts';
import { bareName, QUERY_TABLE } from '../fields/tables.ts';
import { flagOf, objectOf, textOf } from '../fields/values.ts';
import type { Advice, Settings } from '../source.ts';
import type { SourcePassword } from '../source-user.ts';
import { type Column, columnOf, keptColumns, lacksColumn, listedNames } from './column.ts';
import { type Field, guessColumns, isField, providerOf } from './fields.ts';
import { templateRenderer } from './hash-template.ts';
import { type Mapping, type MappingProblem, readMapping } from './mapping.ts';

/** The use of each column of a table of an unknown system: e-mail, hash, metadata, …. */
export interface ColumnPlan {
  fields: ReadonlyMap<Field, PlannedColumn>;
  identities: readonly { provider: string; column: Column }[];
  template: readonly Column[];
  passwordOf: (record: SourceRecord) => SourcePassword | undefined;
  /** Columns that decide who may sign in. */
  active: readonly Column[];
  /** Columns that the operator excluded by an empty name (`id=` in `--map`). */
  leftOut: readonly string[];
  /** Columns with a use, and columns that the operator excluded. */
  used: ReadonlySet<string>;
}

/** `isMapped`: the operator named the column for its field. Otherwise, the column was guessed from its name. */
export type PlannedColumn = Column & { isMapped: boolean };

export function planColumns(table: TableHead, mapping: Mapping): ColumnPlan {
  const column = (name: string) => columnOf(table, name);
  const named: ReadonlyMap<string, string> = guessColumns(table.columns);
  const cellOf = (name: string) =>
    column(mapping.columns.get(name) ?? (table.columns.has(name) ? name : (named.get(name) ?? name)));
  const template = (mapping.template?.parts ?? []).filter((part) => typeof part !== 'string');
  const inTemplate = template.map(({ name }) => cellOf(name));
  const mapped = [...mapping.columns.values()].filter((name) => name !== null);
  const taken = new Set([...mapped, ...inTemplate.map((one) => one.column)]);
  const fields = new Map<Field, PlannedColumn>();
  const isWanted = (field: Field) => field !== 'hash' || mapping.template === undefined;
  for (const [field, name] of guessColumns(table.columns, taken)) {
    if (isWanted(field) && !mapping.columns.has(field))
      fields.set(field, { ...column(name), isMapped: false });
  }
  // A query returns a column `algorithm` on purpose. In another table, a column of this name may mean anything.
  if (table.name === QUERY_TABLE && table.columns.has('algorithm') && !mapping.columns.has('algorithm'))
    fields.set('algorithm', { ...column('algorithm'), isMapped: false });
  const identities: { provider: string; column: Column }[] = [];
  const active = (mapping.active ?? []).map((rule) => column(rule.column));
  for (const [key, name] of mapping.columns) {
    const provider = providerOf(key);
    if (name === null) continue;
    if (provider !== undefined) identities.push({ provider, column: column(name) });
    else if (isField(key) && isWanted(key)) fields.set(key, { ...column(name), isMapped: true });
  }
  const leftOut = [...guessColumns(table.columns, taken)].flatMap(([field, name]) =>
    mapping.columns.get(field) === null ? [name] : [],
  );
  const all = [...fields.values(), ...active, ...mapped.map(column), ...inTemplate];
  return {
    fields,
    identities,
    active,
    template: inTemplate,
    passwordOf: passwordReader(mapping, fields, cellOf),
    leftOut,
    used: new Set([...all.map(({ member }) => member), ...leftOut]),
  };
}

/** Returns the column with the ids of users, as `--map` or its name says. */
export function idColumn(table: TableHead, settings: Settings): string | undefined {
  const mapping = readMapping(settings);
  return 'problem' in mapping ? undefined : planColumns(table, mapping).fields.get('id')?.column;
}

function passwordReader(
  { template, algorithm, algorithmOf }: Mapping,
  fields: ReadonlyMap<Field, Column>,
  cellOf: (name: string) => Column,
): ColumnPlan['passwordOf'] {
  const scheme = fields.get('algorithm');
  const familyOf = (record: SourceRecord) => {
    const word = scheme && textOf(scheme.valueOf(record));
    return word === undefined ? undefined : (algorithmOf?.get(word) ?? word);
  };
  if (template !== undefined) return templateRenderer(template, { cellOf, algorithm, familyOf });
  const hash = fields.get('hash');
  if (hash === undefined) return () => undefined;
  return (record) => {
    const encoded = hashText(hash.valueOf(record));
    if (encoded === undefined) return undefined;
    const family = familyOf(record);
    return family === undefined ? { encoded, algorithmIfUntold: algorithm } : { encoded, algorithm: family };
  };
}

/** Columns with ids at providers: `googleId`, `google_user_id`, `github_uid`, `facebookOauthId`. */
const ID_COLUMN =
  /^(google|facebook|github|gitlab|twitter|apple|linkedin|microsoft|azure|discord|bitbucket|okta)(?:oauth2?|auth|user|account|profile)?(?:id|uid|sub|subject)$/;

export interface IdentityColumn {
  provider: string;
  /** Column as written in `--map identity.<provider>=COLUMN`. */
  column: string;
}

/** Returns columns that may contain ids at a provider. In JSON, also an object with an id: `google.id`. */
function identityColumnsOf({ container, columns, first }: TableHead): IdentityColumn[] {
  return [...columns].flatMap((column) => {
    const [, provider] = ID_COLUMN.exec(bareName(column)) ?? [];
    if (provider !== undefined) return { provider: knownThirdPartyId(provider) ?? provider, column };
    const nested = knownThirdPartyId(column);
    if (container !== 'json' || nested === undefined) return [];
    const hasId = first.some((record) => textOf(objectOf(record[column])?.id) !== undefined);
    return hasId ? { provider: nested, column: `${column}.id` } : [];
  });
}

export interface ColumnUse {
  column: string;
  /** A field (fields.ts), `identity.<provider>`, `template` or `metadata`. Undefined: not imported. */
  use: string | undefined;
  why: 'by --map or --hash' | 'by --active' | 'by its name' | 'by --keep' | 'not kept' | 'not wanted';
}

/** Returns the use of each column of an unknown system, so that the operator can check guesses before the import. */
export function explainColumns(table: TableHead, settings: Settings): readonly ColumnUse[] | MappingProblem {
  const mapping = readMapping(settings);
  if ('problem' in mapping) return mapping;
  const plan = planColumns(table, mapping);
  const uses: ColumnUse[] = [];
  for (const [field, { column, isMapped }] of plan.fields)
    uses.push({ column, use: field, why: isMapped ? 'by --map or --hash' : 'by its name' });
  for (const { column } of plan.active) uses.push({ column, use: 'active', why: 'by --active' });
  for (const { provider, column } of plan.identities)
    uses.push({ column: column.column, use: `identity.${provider}`, why: 'by --map or --hash' });
  for (const column of new Set(plan.template.map((one) => one.column)))
    uses.push({ column, use: 'template', why: 'by --map or --hash' });
  const kept = [...keptColumns(settings)];
  for (const [name, column] of kept)
    uses.push({ column, use: name === column ? 'metadata' : `metadata.${name}`, why: 'by --keep' });
  for (const column of plan.leftOut) uses.push({ column, use: undefined, why: 'not wanted' });
  const told = new Set([...plan.used, ...kept.map(([, column]) => column.split('.', 1)[0])]);
  for (const column of table.columns)
    if (!told.has(column)) uses.push({ column, use: undefined, why: 'not kept' });
  return uses;
}

const MAX_SHOWN = 50;

function shownColumns({ columns }: TableHead): string {
  const names = [...columns].slice(0, MAX_SHOWN).map(shownName).join(', ');
  return columns.size > MAX_SHOWN ? `${names}, …` : names;
}

/** Escapes a column name for `--map`, so that the operator can paste it. */
const escaped = (name: string) => name.replace(/[\\,="]/g, '\\$&');

const NUMBER_OR_UUID = /^(?:\d+|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i;

/** Returns the first column without a use whose values are numbers or UUIDs, all of them different. */
function likelyId({ columns, first }: TableHead, taken: ReadonlySet<string>): string | undefined {
  return [...columns].find((column) => {
    const values = first.map((record) => textOf(record[column]) ?? '');
    const isUnique = first.length > 1 && new Set(values).size === first.length;
    return !taken.has(column) && isUnique && values.every((value) => NUMBER_OR_UUID.test(value));
  });
}

/** Stops if a column without a use has hashes, because users with a hash only there would be left out. */
function unusedHashes(table: TableHead, { ignore }: Settings, taken: ReadonlySet<string>): Advice[] {
  const named = new Set([...taken, ...listedNames(ignore)]);
  const unused = [...table.columns].filter(
    (name) => !named.has(name) && table.first.some((record) => looksLikeHash(textOf(record[name]) ?? '')),
  );
  if (unused.length === 0) return [];
  const names = unused.map(shownName).join(', ');
  return [
    {
      level: 'stop',
      text: [
        `Columns that hold hashes are not used: ${names}. Users who have no other hash would be left out.`,
        `If a user has one of several columns, or a salt in another one: --query "select …, coalesce(nullif(COLUMN, ''), COLUMN) as hash from …", with --hash. Otherwise name the column of hashes: --map hash=COLUMN; and those that are none: --ignore ${shellWord(names)}`,
      ].join('\n'),
      question: { code: 'HASHES_UNUSED', flag: '--map hash=' },
    },
  ];
}

/** Returns advice about the columns of tables of an unknown system from which users are read. */
export function genericAdvice(tables: readonly TableHead[], settings: Settings): readonly Advice[] {
  const mapping = readMapping(settings);
  if ('problem' in mapping) return [{ level: 'stop', text: mapping.problem }];
  const advice: Advice[] = [];
  const warn = (text: string) => advice.push({ level: 'warn', text });
  for (const table of tables) {
    const { fields, template, identities, active, used } = planColumns(table, mapping);
    // A column of --active that no table has is asked about when all users are read, with the nearest name.
    const ofRules = active.filter((one) => tables.some((other) => !lacksColumn(other, one)));
    const told = [...fields.values(), ...identities.map((one) => one.column), ...ofRules, ...template];
    const taken = new Set([...used, ...told.map(({ column }) => column)]);
    const missing = [...new Set(told.filter((one) => lacksColumn(table, one)).map(({ column }) => column))];
    if (missing.length > 0)
      advice.push({
        level: 'stop',
        text: `--map, --hash or --active names columns that are not there: ${missing.join(', ')}. The table has ${shownColumns(table)}.`,
      });
    if (!fields.has('hash') && template.length === 0 && identities.length === 0)
      warn(
        `No column of hashes was found: everybody would need a new password. Name it: --map hash=COLUMN, or join the table that has it: --query 'select …'. The table has ${shownColumns(table)}.`,
      );
    advice.push(...unusedHashes(table, settings, taken));
    const id = fields.has('id') || mapping.columns.has('id') ? undefined : likelyId(table, taken);
    if (id !== undefined)
      warn(
        `No column is imported as the id of the users, so no later import can find them by it (--match external-id). If ${shownName(id)} has the ids, add ${shellWord(`id=${escaped(id)}`)} to --map.`,
      );
    const social = identityColumnsOf(table).filter(
      ({ column }) => !taken.has(column) && !taken.has(column.replace(/\.id$/, '')),
    );
    if (social.length > 0) {
      const pairs = social.map(({ provider, column }) => `identity.${provider}=${escaped(column)}`).join(',');
      warn(
        `Columns that may hold the ids of accounts at providers are not used as logins: ${social.map(({ column }) => column).join(', ')}. If they do, add ${shellWord(pairs)} to --map.`,
      );
    }
  }
  if (flagOf(settings.plainTextPasswords) === true)
    warn(
      'Values in the column of hashes that are not hashes are read as plain-text passwords (plainTextPasswords).',
    );
  return advice;
}
