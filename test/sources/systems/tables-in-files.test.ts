import { describe, expect, it } from 'vitest';
import type { ContainerName, TableHead } from '../../../src/sources/containers/table.ts';
import type { Form } from '../../../src/sources/source.ts';
import { SOURCES } from '../../../src/sources/sources.ts';
import { readSamples } from '../samples.ts';
import { findForm, headOf, readUsers, type TestTable, tablesIn } from './read-users.ts';

const SAMPLES = readSamples().flatMap(({ system, files, from, options }) =>
  files.flatMap((file) =>
    /\.sql$/.test(file.name) ? [{ system, file, options, isNamed: from !== undefined }] : [],
  ),
);

const inFile = ({ head, records }: TestTable, container: ContainerName): TestTable => ({
  head: headOf(records, { container, columns: head.columns }),
  records,
});

const detailOf = (form: Form | undefined, head: TableHead) =>
  Object.entries(form?.details ?? {}).find(([, { fits }]) => fits(head))?.[0];

describe.each(SAMPLES.map((sample) => [`${sample.system}/${sample.file.name}`, sample] as const))(
  '%s',
  (_, { system, file, options, isNamed }) => {
    it('is read alike if each table is exported to a file of CSV or JSON', async () => {
      const source = SOURCES.find(({ name }) => name === system);
      if (source === undefined) throw new Error(`there is no system ${system}`);
      const tables = await tablesIn(file);
      const heads = tables.map(({ head }) => head);
      const form = findForm(source, tables, { settings: options, isNamed });
      // The users are in a file of another kind.
      if (form === undefined) return;
      const used = tables.filter(
        ({ head }) =>
          form?.isUsers(head, options, { tables: heads, isNamed }) ||
          Object.values(form?.details ?? {}).some((detail) => detail.fits(head)),
      );
      const { users, dropped } = readUsers(source, used, { settings: options, isNamed });
      for (const container of ['csv', 'json'] as const) {
        const files = used.map((table) => inFile(table, container));
        // A table is the first detail that fits.
        expect(files.map(({ head }) => detailOf(form, head))).toEqual(
          used.map(({ head }) => detailOf(form, head)),
        );
        const read = readUsers(source, files, { settings: options, isNamed });
        expect({ container, users: read.users, dropped: read.dropped }).toEqual({
          container,
          users,
          dropped,
        });
      }
    });
  },
);
