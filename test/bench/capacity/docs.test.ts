import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { CAPACITY_TABLES } from '../../support/capacity-docs.ts';
import { withTables } from '../../support/doc-tables.ts';

const PATH = 'docs/capacity.md';

it('docs/capacity.md has the costs of the code, and examples exactly as the command prints them', async () => {
  const text = withTables(PATH, CAPACITY_TABLES);
  expect(text.match(/<!-- begin: /g)).toHaveLength(Object.keys(CAPACITY_TABLES).length);
  await expect(text).toMatchFileSnapshot(`../../../${PATH}`);
});

it.each(['README.md', 'docs/scaling.md'])('docs/capacity.md is linked from %s', (path) => {
  expect(readFileSync(path, 'utf8')).toMatch(/\]\((?:docs\/)?capacity\.md\)/);
});
