import type { TableHead } from '../containers/table.ts';
import type { Advice } from '../source.ts';
import { shownCell } from './shown-name.ts';
import { textOf } from './values.ts';

/** As many records of a table are known before it is read. */
const FIRST_RECORDS = 20;

/** What says to which tenant users belong, and which of them the operator wants. */
export interface Tenants {
  /** `organisation` */
  title: string;
  /** Name of the setting: `organization`. */
  setting: string;
  /** The operator's choice. */
  wanted: string | undefined;
  /** Tables of users, and the column that names the tenant. */
  users: readonly TableHead[];
  column: string;
  /** Tables of tenants, and the column with their name. */
  tenants?: { tables: readonly TableHead[]; column: string };
}

/** Warns where users of several tenants would become one set of users, and stops where nobody is of the one that is wanted. */
export function adviceOnTenants(about: Tenants): Advice[] {
  const { title, setting, wanted, users, column, tenants } = about;
  const names = new Set(valuesOf(users, column));
  if (wanted === undefined) {
    if (names.size < 2) return [];
    const text = `There are users of several ${title}s, maybe its administrators among them. Name the one to import: --set ${setting}=NAME`;
    return [{ level: 'warn', text }];
  }
  for (const name of valuesOf(tenants?.tables ?? [], tenants?.column ?? '')) names.add(name);
  const isWhole = users.every(({ first }) => first.length < FIRST_RECORDS);
  if (names.has(wanted) || !isWhole) return [];
  const all = [...names];
  const known = all.every(isShown)
    ? `There are: ${all.join(', ')}.`
    : `The column ${column} of the users has the right ones.`;
  return [
    { level: 'stop', text: `No user has the ${title} ${wanted}. ${known} Name one: --set ${setting}=NAME` },
  ];
}

/** What is longer than names are may be data in the wrong column. */
const isShown = (name: string) => name.length <= 16 && shownCell(name) === name;

const valuesOf = (tables: readonly TableHead[], column: string) =>
  tables.flatMap(({ first }) => first.flatMap((record) => textOf(record[column]) ?? []));
