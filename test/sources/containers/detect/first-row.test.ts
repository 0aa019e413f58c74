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
      expect(await surveyProblemOf(text, { csvQuote: 'none' })).toContain('--format sql or --format csv');
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
    expect(await surveyProblemOf(text, { csvQuote: 'none' })).toContain('--format sql or --format csv');
  });
});

describe('the first row of a file without a header is not read as column names', () => {
  it.each([
    ['1', '"""a b""@x.org"', ''],
    ['ann', 'ann@localhost', ''],
    ['ann', 'x', HASH],
    ['ann', 'x', '{SSHA}MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5'],
    ['7', 'x', 'y'],
    ['5f1c3c1e-8e1f-4c39-9f36-0d3c3f6a9b10', 'x', 'y'],
    ['2024-01-31T10:00:00Z', 'x', 'y'],
    ['"1,024"', 'x', 'y'],
    ['ann', 'true', 'y'],
    ['ann', '', 'x'],
  ])('%s,%s,%s', async (...cells) => {
    const text = `${cells.join()},email,password_hash\n2,bob@x.org,${HASH},carl@x.org,${HASH}\n`;
    expect(await surveyProblemOf(text)).toContain('--csv-header yes or --csv-header no');
    expect((await read(text, { csvHeader: false })).records).toHaveLength(2);
    expect((await read(text, { csvHeader: true })).records).toHaveLength(1);
  });

  it.each([
    ',email,hash',
    'id,email,2fa,isEmailAddressVerifiedByTheAdministratorOfIt',
    'id,e-mail,hash,,',
    'full name,email,a|b',
  ])('column names remain column names: %s', async (header) => {
    const { records } = await read(`${header}\n${header.replace(/[^,]+/g, 'a@x.org')}\n`);
    expect(records).toHaveLength(1);
  });
});

it('--csv-delimiter alone makes a file CSV', async () => {
  const { container } = await read('name:email\nAnn:ann@example.org\n', { csvDelimiter: ':' });
  expect(container).toBe('csv');
});
