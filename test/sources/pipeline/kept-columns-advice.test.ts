import { expect, it } from 'vitest';
import type { TableHead } from '../../../src/sources/containers/table.ts';
import { adviceOnKeptColumns } from '../../../src/sources/pipeline/kept-columns-advice.ts';

const table = (container: TableHead['container'], ...columns: string[]): TableHead => ({
  container,
  name: 'users',
  columns: new Set(columns),
  first: [],
  root: {},
});

it('stops at a column that no table of users has, and offers the nearest name', () => {
  const tables = [table('sql', 'id', 'email', 'plan'), table('sql', 'id', 'locale')];
  expect(adviceOnKeptColumns(tables, { keep: 'plan, locale' })).toEqual([]);
  expect(adviceOnKeptColumns(tables, { keep: 'plam,locale,zzzzzz' })).toEqual([
    {
      level: 'stop',
      text: '--keep: there is no column plam. Did you mean plan? The users have id, email, plan, locale.',
    },
    {
      level: 'stop',
      text: '--keep: there is no column zzzzzz. The users have id, email, plan, locale.',
    },
  ]);
});

it('says nothing where later records may have the column', () => {
  expect(adviceOnKeptColumns([table('json', 'id')], { keep: 'plan' })).toEqual([]);
  expect(adviceOnKeptColumns([table('sql', 'id')], {})).toEqual([]);
});
