import type { TableHead } from '../containers/table.ts';
import { ALL_REALMS, REALM } from '../fields/realms.ts';
import { shownCell } from '../fields/shown-name.ts';
import { baseName } from '../fields/tables.ts';
import type { Advice, FormRealms } from '../source.ts';
import type { Plan, TableUse } from './plan.ts';

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
  const isLeftOut = (table: string) =>
    settings.realm !== undefined && schemas.has(schemaOf(table)) && schemaOf(table) !== settings.realm;
  return {
    ...plan,
    source: { ...source, settings: { ...source.settings, ...REALM } },
    forms: forms.map((form) => ({ ...form, realms: SCHEMAS })),
    uses: uses.map(
      (of) =>
        new Map([...of].flatMap(([table, use]) => useOf(use, isLeftOut(table)).map((one) => [table, one]))),
    ),
    advice: settings.realm === ALL_REALMS ? [...advice, idsOverlap(schemas)] : advice,
  };
}

/** Users of a schema that is left out are still read and counted, but not their details. */
function useOf(use: TableUse, isLeftOut: boolean): TableUse[] {
  const form = { ...use.form, realms: SCHEMAS };
  if (!isLeftOut) return [{ ...use, form }];
  return use.as === 'users' ? [{ form, as: 'users' }] : [];
}

const SCHEMAS: FormRealms = {
  title: 'schemas or databases',
  place: 'schema of the table of users',
  of: ({ table }) => schemaOf(table.name),
};

const schemaOf = (table: string) => table.slice(0, Math.max(0, table.lastIndexOf('.')));

/** Schemas that have a table of users with the same name as one in another schema. */
function schemasOfUsers({ surveys, uses }: Plan): Set<string> {
  const byName = new Map<string, Set<string>>();
  const isUsers = (table: TableHead, index: number) => uses[index]?.get(table.name)?.as === 'users';
  for (const [index, { tables }] of surveys.entries()) {
    for (const table of tables) {
      const schema = schemaOf(table.name);
      if (table.container !== 'sql' || schema === '' || !isUsers(table, index)) continue;
      byName.set(baseName(table), (byName.get(baseName(table)) ?? new Set()).add(schema));
    }
  }
  return new Set([...byName.values()].filter(({ size }) => size > 1).flatMap((names) => [...names]));
}

const listed = (schemas: ReadonlySet<string>) => [...schemas].map(shownCell).join(', ');

const severalSchemas = (schemas: ReadonlySet<string>): Advice => ({
  level: 'stop',
  text: `Several schemas or databases have the table of users: ${listed(schemas)}. Their users may share ids and addresses. Dump only one of them: pg_dump -n SCHEMA, or mysqldump DATABASE.`,
});

const idsOverlap = (schemas: ReadonlySet<string>): Advice => ({
  level: 'stop',
  text: `Users of several schemas or databases cannot be imported at once, because different users may have the same id: ${listed(schemas)}. Choose one: --set realm=NAME`,
});
