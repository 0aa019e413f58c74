import type { SourceRecord, TableHead } from '../containers/table.ts';
import { ALL_REALMS, NO_REALM, REALM } from '../fields/realms.ts';
import { shownCell } from '../fields/shown-name.ts';
import { baseName } from '../fields/tables.ts';
import type { Advice, Form, FormRealms, ReadContext, Realm, Settings } from '../source.ts';
import { ask } from './advice.ts';
import { type Plan, type TableUse, usersOf } from './plan.ts';
import { countIn, countName, OTHERS } from './tally.ts';

const MAX_SHOWN = 20;

/** Counts a user of a realm (tenant, organisation, site) of the export. */
export function countRealm(counts: Map<string, number>, realm: string, { realm: wanted }: Settings): void {
  if (realm === wanted) countIn(counts, realm);
  else countName(counts, realm);
}

export const isWantedRealm = (realm: Realm, { realm: wanted }: Settings): boolean =>
  wanted === undefined || wanted === ALL_REALMS || realm === undefined || realm === wanted;

export function realmReader(
  { realms }: Pick<Form, 'realms'>,
  context: Pick<ReadContext, 'table' | 'details'>,
): ((record: SourceRecord) => Realm) | undefined {
  const realm = realms?.of(context);
  return typeof realm === 'string' ? () => realm : realm;
}

/**
 * Stops if the export has several realms and the operator has chosen none, or if no user belongs to the
 * chosen realm. Warns if all realms of the system usually have the same people.
 */
export function adviceOnRealms(
  { forms, settings }: Plan,
  counts: ReadonlyMap<string, number>,
): Advice | undefined {
  const { realm: wanted } = settings;
  const isSettled = wanted === undefined ? counts.size < 2 : wanted === ALL_REALMS || counts.has(wanted);
  if (isSettled) return undefined;
  const [{ title, place, areOneSet = false } = WITHOUT_REALMS] = forms.flatMap((form) => form.realms ?? []);
  const list = `${listed(counts, title)}.`;
  if (wanted !== undefined) {
    const isNamed = [...counts.keys()].some((name) => name !== NO_REALM);
    const known = isNamed
      ? `There are: ${list} Choose one: ${example(counts)}.`
      : 'The files name it for no user: leave the setting out.';
    const text = `--set realm=${shownRealm(wanted)}: no user belongs to it (${title}: ${place}). ${known}`;
    return { level: 'stop', text };
  }
  const several = `The export has users of several ${title} (${place}): ${list}`;
  if (areOneSet) {
    const text = `${several}\nUsers of all ${title} are imported, except those who share an address (--shared-address). To import one of the ${title} only: ${example(counts)}.`;
    return { level: 'warn', text };
  }
  return ask('SEVERAL_REALMS', '--set realm', [
    several,
    'An address may belong to a different person in each of them, so nobody is imported.',
    `Choose one: ${example(counts)}. To import all of them as one set of users: --set "realm=${ALL_REALMS}". That is safe only if an address belongs to the same person in each of them.`,
  ]);
}

/** Returns realms with their numbers of users, the largest first. */
const sorted = (counts: ReadonlyMap<string, number>) => [...counts].sort(([, a], [, b]) => b - a);

function listed(counts: ReadonlyMap<string, number>, title: string): string {
  const shown = sorted(counts)
    .slice(0, MAX_SHOWN)
    .map(([name, count]) => `${shownRealm(name)} ${count}`);
  const more = counts.size - MAX_SHOWN;
  return [...shown, ...(more > 0 ? [`and ${more} more ${title}`] : [])].join(', ');
}

/** Words for a message about an export that does not say which realm a user belongs to. */
const WITHOUT_REALMS: Pick<FormRealms, 'title' | 'place' | 'areOneSet'> = {
  title: 'realms',
  place: 'not in exports of this form',
};

/** Names that are shown in full, because many systems use UUIDs as ids of realms. */
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

function shownRealm(name: string): string {
  if (name === NO_REALM) return '(none)';
  return UUID.test(name) ? name : shownCell(name);
}

/** Names of realms that a shell leaves unchanged within double quotes, so that the operator can paste them. */
const QUOTABLE = /^[^"$`\\!%]+$/;

/** Example for a message: the realm with the most users whose name can be shown and typed. */
function example(counts: ReadonlyMap<string, number>): string {
  const isTyped = (name: string) => name !== OTHERS && shownRealm(name) === name && QUOTABLE.test(name);
  const found = sorted(counts).find(([name]) => isTyped(name))?.[0];
  if (found === undefined) return '--set realm=NAME';
  return /^[\w.:-]+$/.test(found) ? `--set realm=${found}` : `--set "realm=${found}"`;
}

/**
 * Makes each database schema a realm, if a dump has the same table of users in several schemas. Apps with a
 * schema for each tenant have such dumps (django-tenants, Apartment), and so do servers with several sites.
 * Ids are unique only within a schema. Details are therefore read only from the chosen schema, and the users
 * of all schemas cannot be imported at once.
 */
export function withSchemasAsRealms(plan: Plan): Plan {
  const schemas = schemasOfUsers(plan);
  if (schemas.size < 2) return plan;
  const { source, forms, uses, settings, advice } = plan;
  if (forms.some(({ realms }) => realms !== undefined))
    return { ...plan, advice: [...advice, severalSchemas(schemas)] };
  const isLeftOut = (schema: string) =>
    settings.realm !== undefined && schemas.has(schema) && schema !== settings.realm;
  return {
    ...plan,
    source: { ...source, settings: { ...source.settings, ...REALM } },
    forms: forms.map((form) => ({ ...form, realms: SCHEMAS })),
    uses: new Map(
      [...uses].flatMap(([table, use]): [TableHead, TableUse][] => {
        const form = { ...use.form, realms: SCHEMAS };
        if (!isLeftOut(schemaOf(table.name))) return [[table, { ...use, form }]];
        // Users of a schema that is left out are still read and counted, but not their details.
        return use.as === 'users' ? [[table, { form, as: 'users' }]] : [];
      }),
    ),
    advice: settings.realm === ALL_REALMS ? [...advice, idsOverlap(schemas)] : advice,
  };
}

const SCHEMAS: FormRealms = {
  title: 'schemas or databases',
  place: 'schema of the table of users',
  of: ({ table }) => schemaOf(table.name),
};

const schemaOf = (table: string) => table.slice(0, Math.max(0, table.lastIndexOf('.')));

/** Returns the schemas with a table of users that has the same name as one in another schema. */
function schemasOfUsers(plan: Plan): Set<string> {
  const byName = new Map<string, Set<string>>();
  for (const { table } of usersOf(plan)) {
    const schema = schemaOf(table.name);
    if (table.container !== 'sql' || schema === '') continue;
    byName.set(baseName(table), (byName.get(baseName(table)) ?? new Set()).add(schema));
  }
  return new Set([...byName.values()].filter(({ size }) => size > 1).flatMap((names) => [...names]));
}

const namesOf = (schemas: ReadonlySet<string>) => [...schemas].map(shownCell).join(', ');

const severalSchemas = (schemas: ReadonlySet<string>): Advice => ({
  level: 'stop',
  text: `Several schemas or databases have the table of users: ${namesOf(schemas)}. Their users may share ids and addresses. Dump only one of them: pg_dump -n SCHEMA, or mysqldump DATABASE.`,
});

const idsOverlap = (schemas: ReadonlySet<string>): Advice => ({
  level: 'stop',
  text: `Users of several schemas or databases cannot be imported at once, because different users may have the same id: ${namesOf(schemas)}. Choose one: --set realm=NAME`,
});
