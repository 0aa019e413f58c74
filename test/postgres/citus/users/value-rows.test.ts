import { expect, it } from 'vitest';
import { valueRows } from '../../../../src/postgres/citus/users/citus-queries.ts';

it('numbers the parameters of each row after those before the list', () => {
  const row = ([email, id]: string[]) => `(${email}, ${id}, ${id}, $1)`;
  expect(valueRows(2, { after: 1, columns: 2 }, row)).toBe('($2, $3, $3, $1), ($4, $5, $5, $1)');
});
