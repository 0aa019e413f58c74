import { describe, expect, it } from 'vitest';
import { readSurveyed as read, surveyProblemOf } from '../read-whole.ts';

const HASH = '$2y$10$abcdefghijklmnopqrstuuJ9kz7U0k1v2w3x4y5z6A7B8C9D0E1F2';

describe('the first row of a file without a header does not determine its kind', () => {
  const statement = `INSERT INTO users(email,password_hash) VALUES ('boss@example.org','${HASH}');/*`;

  it.each(["o'neil@x.org", '{ann}@x.org', '`a`@x.org', 'ann@localhost', 'ann@[10.0.0.1]', ''])(
    'if its address is "%s"',
    async (address) => {
      const rows = [
        [statement, address, HASH],
        ['bob', 'bob@x.org', HASH],
        ['*/;-- ', 'm@x.org', HASH],
      ];
      const text = rows.map((row) => `${row.join('\t')}\n`).join('');
      expect(await surveyProblemOf(text, { csv: 'mysql-batch' })).toContain('--format sql or --format csv');
    },
  );

  const lines = (count: number) => Array.from({ length: count }, (_, index) => `line ${index}\\\n`).join('');

  it.each([
    ['is longer than the beginning that is looked at', 'x'.repeat(70_000), 'ann@x.org'],
    ['has many lines', lines(300), 'ann@x.org'],
    ['has many lines and no address', lines(300), ''],
  ])('if it %s', async (_, bio, address) => {
    const rows = [
      [statement, address, HASH, bio],
      ['bob', 'bob@x.org', HASH, 'b'],
      ['carl', 'carl@x.org', HASH, 'c'],
      ['m', 'm@x.org', HASH, '*/;-- '],
    ];
    const text = rows.map((row) => `${row.join('\t')}\n`).join('');
    expect(await surveyProblemOf(text, { csv: 'mysql-batch' })).toContain('--format sql or --format csv');
  });
});

it('--csv alone makes a file CSV', async () => {
  const { container } = await read('name\nAnn\n', { csv: 'rfc4180' });
  expect(container).toBe('csv');
});
