import { readdirSync } from 'node:fs';
import type { Meaning } from '../../../src/sources/fields/states.ts';
import type { Detail, Form, Source } from '../../../src/sources/source.ts';
import { GENERIC, SOURCES } from '../../../src/sources/sources.ts';
import {
  type DeclaredForm,
  type Join,
  named,
  type Users,
  words,
} from '../../../src/sources/systems/declare.ts';
import { code, table } from './doc-tables.ts';
import { readText, urlOf } from './read-text.ts';

/** Systems with an export of their own: neither rows of an earlier import nor tables of any system. */
export const SYSTEMS = SOURCES.filter((source) => !source.isOwnFormat && source !== GENERIC);

type Row = [label: string, text: string];

const isDeclared = (form: Form): form is DeclaredForm => 'declaration' in form;

/** Returns the declaration of a form, or undefined if its code is its own. */
export const declarationOf = (form: Form) => (isDeclared(form) ? form.declaration : undefined);

/** Returns names as code. Some systems write them in upper case, too: the first of such names stands for all. */
function codes(names: readonly string[]): string {
  const once = new Map<string, string>();
  for (const name of names) if (!once.has(name.toLowerCase())) once.set(name.toLowerCase(), code(name));
  return [...once.values()].join(', ');
}

/** Returns what is in which column of a table of users. Functions of the declaration use the last ones. */
function usesOf(of: Users): string {
  const byUse: Readonly<Record<string, unknown>> = {
    id: of.id,
    address: of.email,
    'user name': of.username,
    verified: of.verified,
    joined: of.joined,
    hash: of.hash,
    phone: of.phone,
    accounts: typeof of.identities === 'object' ? Object.keys(of.identities).join(' ') : undefined,
    metadata: of.metadata,
  };
  const uses = Object.entries(byUse).map(([use, names]) => [use, named(names)] as const);
  const reads = typeof of.reads === 'function' ? of.reads({}) : of.reads;
  const told = new Set([...uses.flatMap(([, names]) => names), ...Object.keys(of.states ?? {})]);
  const others = named([of.has, of.proof, reads].join(' ')).filter((name) => !told.has(name));
  return [...uses, ['also read', others] as const]
    .filter(([, names]) => names.length > 0)
    .map(([use, names]) => `${use} ${codes(names)}`)
    .join('; ');
}

const FLAGS = {
  active: 'yes',
  disabled: 'no or empty',
  deleted: 'no or empty, else `DELETED`',
  anonymous: 'no or empty, else `ANONYMOUS`',
  'disabled until': 'no, empty or in the past',
  'banned until': 'in the past',
  'active until': 'empty or in the future',
} as const satisfies Record<Extract<Meaning, string>, string>;

/** Returns what a column must say of users who may sign in. */
function meaningOf(meaning: Meaning): string {
  if (typeof meaning === 'string') return FLAGS[meaning];
  const lists = new Map<string, string[]>();
  for (const [word, state] of Object.entries(meaning))
    lists.set(state, [...(lists.get(state) ?? []), word === '' ? 'empty' : code(word)]);
  const active = lists.get('ACTIVE') ?? [];
  const out = [...lists].flatMap(([state, list]) =>
    state === 'ACTIVE' ? [] : `${code(state)} with ${list.join(', ')}`,
  );
  return [...(active.length > 0 ? [active.join(', ')] : []), ...out].join('; ');
}

function statesOf({
  states = {},
  state,
  lockedUntil,
}: Pick<Users, 'states' | 'state' | 'lockedUntil'>): string {
  const columns = new Map<string, string[]>();
  for (const [name, meaning] of Object.entries(states)) {
    const text = meaningOf(meaning);
    columns.set(text, [...(columns.get(text) ?? []), name]);
  }
  if (lockedUntil !== undefined) columns.set('empty or less than 30 days ahead', [lockedUntil]);
  const told = [...columns].map(([text, names]) => `${codes(names)}: ${text}`);
  return [...told, ...(state === undefined ? [] : ['See the states above'])].join('. ');
}

/** Beginning of a sentence that says what to do. The command is in the section already. */
const INSTRUCTION = /^(?:Add|Ask|Dump|Export|If|Make|Name|Take)\b/;

/** Returns what the absence of a table means that decides nothing. */
const lossOf = (missing: string) =>
  missing
    .split(/(?<=\.) (?=[A-Z])/)
    .filter((sentence) => !INSTRUCTION.test(sentence))
    .join(' ');

function joinOf(name: string, { isOfEveryUser, decides, keys, missing }: Detail, join?: Join): string {
  const loss = decides === undefined && missing !== undefined ? lossOf(missing) : '';
  return [
    ...(decides === 'states' ? [`says who may sign in; without it: ${code(`--without-table ${name}`)}`] : []),
    ...(decides === 'factors' ? ['has second factors; without it: `--mfa none`'] : []),
    ...(isOfEveryUser ? ['users without a row are `DETAIL_MISSING`'] : []),
    ...(keys === undefined ? [] : [`further keys are columns: ${code(`${name}.KEY`)}`]),
    ...(join?.states === undefined ? [] : [`may sign in: ${statesOf(join)}`]),
    ...(loss === '' ? [] : [loss]),
  ].join('; ');
}

const KINDS: Readonly<Record<string, string>> = { sql: 'SQL', csv: 'CSV', json: 'JSON', ldif: 'LDIF' };

/** Returns the name of a table of users, and of the kinds of files that have it. */
function labelOf(form: Form, isOnly: boolean): string {
  const of = declarationOf(form);
  if (of === undefined) return code(form.name);
  const kinds = Object.keys(of.forms).map((kind) => KINDS[kind] ?? kind);
  if (of.table !== undefined) return `${codes(words(of.table))} (${kinds.join(', ')})`;
  return isOnly ? kinds.join(', ') : codes(Object.values(of.forms));
}

/** Returns the name of a joined table in flags, and those of the system if they differ. */
function joinLabel(name: string, { names = [] }: Detail): string {
  const others = names.includes(name) || names.length === 0 ? '' : ` (${codes(names)})`;
  return `+ ${code(name)}${others}`;
}

/** Joins the labels of rows with the same text. */
function merged(rows: readonly Row[]): Row[] {
  const labels = new Map<string, string[]>();
  for (const [label, text] of rows) labels.set(text, [...new Set([...(labels.get(text) ?? []), label])]);
  return [...labels].map(([text, all]) => [all.join(', '), text]);
}

/** Files of systems, by the names that they declare. */
const FILES = new Map(
  readdirSync(urlOf('src/sources/systems')).flatMap((file) => {
    const path = `src/sources/systems/${file}`;
    const names = readText(path).matchAll(/\b(?:system\(\s*|name: )'([a-z0-9-]+)'/g);
    return [...names].map(([, name]) => [name, path] as const);
  }),
);

/** Returns the table of a system: its tables and columns, who may sign in, joined tables, realms and settings. */
function blockOf({ name, forms, settings = {} }: Source): string {
  // Kinds of exports with one declaration differ in nothing else.
  const kinds = [...new Map(forms.map((form) => [declarationOf(form) ?? form, form])).values()];
  const labelled = kinds.map((form) => ({ form, label: labelOf(form, kinds.length === 1) }));
  const all = [...new Set(labelled.map(({ label }) => label))].join(', ');
  const tables = labelled.map(({ form, label }): Row => {
    const of = declarationOf(form);
    return [label, of === undefined ? 'see the code' : usesOf(of)];
  });
  const states = merged(
    labelled.flatMap(({ form, label }): Row[] => {
      const of = declarationOf(form);
      const text = of === undefined ? '' : statesOf(of);
      return text === '' ? [] : [[label, text]];
    }),
  ).map(([label, text]): Row => [label === all ? 'may sign in' : `may sign in: ${label}`, text]);
  const joins = kinds.flatMap((form) =>
    Object.entries(form.details ?? {}).map(([key, detail]): Row => {
      const join = declarationOf(form)?.joins?.[key];
      return [joinLabel(key, detail), joinOf(key, detail, join) || 'joined if it is there'];
    }),
  );
  const realms = kinds.flatMap(({ realms: of }): Row[] =>
    of === undefined ? [] : [[`[${of.title}](#several-realms)`, `${of.place}: \`--set realm=NAME\``]],
  );
  return table(
    [code(`--from ${name}`), `[code](../${FILES.get(name)})`],
    [
      ...merged(tables),
      ...states,
      ...merged(joins),
      ...new Map(realms.map((row) => [row.join(), row])).values(),
      ...Object.entries(settings)
        .filter(([setting]) => setting !== 'realm')
        .map(([setting, text]): Row => [code(`--set ${setting}=`), text]),
    ],
  );
}

/** Generators of the tables of the systems in docs/imports.md, by the name of the system. */
export const SYSTEM_BLOCKS: Readonly<Record<string, () => string>> = Object.fromEntries(
  SYSTEMS.map((source) => [source.name, () => blockOf(source)]),
);

const anchorOf = (title: string) =>
  title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-');

/** Returns the number of systems, and links to their sections in lines of at most 110 characters. */
export function systemIndex(): string {
  const lines = [''];
  for (const [index, { name, title }] of SYSTEMS.entries()) {
    // Sections may have long titles: `LDIF (OpenLDAP, …)`.
    const link = `[${title.replace(/ \(.*\)$/, '')}](#${anchorOf(title)}) ${code(name)}${index + 1 < SYSTEMS.length ? ',' : ''}`;
    const line = `${lines.at(-1)} ${link}`.trim();
    if (line.length > 110 && lines.at(-1) !== '') lines.push(link);
    else lines[lines.length - 1] = line;
  }
  return `${SYSTEMS.length} systems, with their names for \`--from\`:\n\n${lines.join('\n')}`;
}

/** Returns the whole file of a system. */
export const declarationCode = (name: string) =>
  `\`\`\`ts\n${readText(`src/sources/systems/${name}.ts`)}\`\`\``;
