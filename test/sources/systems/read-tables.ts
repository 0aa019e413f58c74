import type { SourceRecord, TableHead } from '../../../src/sources/containers/table.ts';
import type {
  Advice,
  Dropped,
  Form,
  FoundDetails,
  ReadContext,
  Settings,
  Source,
} from '../../../src/sources/source.ts';
import type { SourceUser } from '../../../src/sources/source-user.ts';
import { headOf, type SampleTable } from './sample-tables.ts';

export const NOW = Date.UTC(2026, 5, 1);

export interface ReadUsers {
  /** With the row that each stands in; null: in a detail alone. */
  users: { row: number | null; user: SourceUser }[];
  dropped: Partial<Record<Dropped, number>>;
}

/** Reads all users of a form with their details, as the pipeline does it. */
export function readTables(form: Form, tables: readonly SampleTable[], settings: Settings = {}): ReadUsers {
  const dropped: ReadUsers['dropped'] = {};
  const found = new Map<string, SourceRecord[]>();
  const unused = new Map<string, { record: SourceRecord; name: string; table: SampleTable }>();
  for (const [name, detail] of Object.entries(form.details ?? {})) {
    for (const table of tables.filter(({ head }) => detail.fits(head))) {
      for (const record of table.records) {
        const key = detail.keyOf(record);
        const kept = key === undefined ? undefined : detail.keep(record);
        if (key === undefined || kept === undefined) continue;
        // As it would be in a file.
        const again: SourceRecord = JSON.parse(JSON.stringify(kept));
        found.set(`${name} ${key}`, [...(found.get(`${name} ${key}`) ?? []), again]);
        unused.set(`${name} ${key}`, { record, name, table });
      }
    }
  }
  const details: FoundDetails = (name, key) => {
    unused.delete(`${name} ${key}`);
    return found.get(`${name} ${key}`) ?? [];
  };
  const contextOf = (table: SampleTable): ReadContext => ({
    ...context({ settings }),
    table: table.head,
    details,
    hasDetail: (name) => tables.some(({ head }) => form.details?.[name]?.fits(head) === true),
    drop: (what) => {
      dropped[what] = (dropped[what] ?? 0) + 1;
    },
  });
  const users: ReadUsers['users'] = [];
  for (const table of tables.filter(({ head }) => form.isUsers(head, settings))) {
    for (const [at, record] of table.records.entries()) {
      const user = form.read(record, contextOf(table));
      if (user !== undefined) users.push({ row: at + 1, user });
    }
  }
  for (const { record, name, table } of unused.values()) {
    const user = form.details?.[name]?.readAlone?.(record, contextOf(table));
    if (user !== undefined) users.push({ row: null, user });
  }
  return { users, dropped };
}

/** Without details. */
export const context = (changes: Partial<ReadContext> = {}): ReadContext => ({
  table: headOf([]),
  settings: {},
  nowMs: NOW,
  details: () => [],
  hasDetail: () => false,
  drop: () => undefined,
  ...changes,
});

export function formNamed({ forms }: Source, name: string): Form {
  const form = forms.find((one) => one.name === name);
  if (form === undefined) throw new Error(`there is no form ${name}`);
  return form;
}

/** The forms that take this table, by their names. */
export const formsOf = ({ forms }: Source, table: TableHead): string[] =>
  forms.filter((form) => form.isUsers(table, {})).map(({ name }) => name);

/** What is said about an export of this one table. */
export const adviceOf = (form: Form, table: TableHead, settings: Settings = {}): readonly Advice[] =>
  form.advice?.({ tables: [table], settings }) ?? [];
