import { expect, it } from 'vitest';
import { withTables } from '../support/doc-tables.ts';
import { HASH_TABLES } from '../support/hash-format-docs.ts';

it.each([
  ['README.md', 1],
  ['docs/hash-formats.md', 3],
])('%s has the tables that are generated from the algorithms', async (path, tables) => {
  const text = withTables(path, HASH_TABLES);
  expect(text.match(/<!-- begin: /g)).toHaveLength(tables);
  await expect(text).toMatchFileSnapshot(`../../${path}`);
});
