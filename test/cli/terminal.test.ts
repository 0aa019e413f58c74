import { describe, expect, it } from 'vitest';
import { maskEmail, maskLine } from '../../src/cli/terminal/mask.ts';
import { ProgressLine } from '../../src/cli/terminal/progress-line.ts';
import type { Terminal } from '../../src/cli/terminal/terminal.ts';
import { bytesText, columns, counted, durationText } from '../../src/cli/terminal/text.ts';
import { BCRYPT } from './command-line.ts';

it.each([
  ['ada@example.org', 'a••@e••.org'],
  ['a@b', 'a••@b••'],
  ['ada@sub.example.co.uk', 'a••@s••.uk'],
  ['"odd@name"@example.org', '"••@e••.org'],
  ['😀x@example.org', '😀••@e••.org'],
  ['no address', '••'],
  ['@example.org', '••'],
])('masks %s as %s', (email, masked) => {
  expect(maskEmail(email)).toBe(masked);
});

it('masks everything that identifies a user', () => {
  const line = {
    externalUserId: 'customer-17',
    userMetadata: { plan: 'pro', nested: { a: 1 } },
    unheardOf: 'secret',
    loginMethods: [
      {
        recipeId: 'emailpassword',
        email: 'ada@example.org',
        isVerified: true,
        passwordHash: BCRYPT,
        hashingAlgorithm: 'bcrypt',
      },
      {
        recipeId: 'emailpassword',
        email: 'b@example.org',
        plainTextPassword: 'hunter2',
        passwordHash: '5f4dcc3b5aa765d61d8327deb882cf99',
      },
      { recipeId: 'thirdparty', thirdPartyId: 'google', thirdPartyUserId: '12345' },
      { passwordHash: '{SSHA}c2VjcmV0' },
      { passwordHash: '$f_scrypt$AAAA$BBBB$m=14$r=8$s=Bw==' },
      { passwordHash: '$1$c2FsdA$hash' },
    ],
  };
  expect(maskLine(JSON.stringify(line))).toEqual({
    externalUserId: 'cust••',
    userMetadata: { plan: '••', nested: '••' },
    unheardOf: '••',
    loginMethods: [
      {
        recipeId: 'emailpassword',
        email: 'a••@e••.org',
        isVerified: true,
        passwordHash: '$2y$10$••',
        hashingAlgorithm: 'bcrypt',
      },
      { recipeId: 'emailpassword', email: 'b••@e••.org', plainTextPassword: '••', passwordHash: '••' },
      { recipeId: 'thirdparty', thirdPartyId: 'google', thirdPartyUserId: '••' },
      { passwordHash: '{SSHA}••' },
      { passwordHash: '$f_scrypt$••' },
      { passwordHash: '$1$••' },
    ],
  });
});

it.each([
  ['1', '••'],
  ['12', '1••'],
  ['c0ffee00-1234', 'c0ff••'],
])('masks the external id %s as %s', (externalUserId, masked) => {
  expect(maskLine(JSON.stringify({ externalUserId }))).toEqual({ externalUserId: masked });
});

it('formats numbers for readers', () => {
  expect([counted(1, 'row'), counted(1234567, 'row')]).toEqual(['1 row', '1,234,567 rows']);
  expect([512, 2048, 3_400_000, 5_000_000_000].map(bytesText)).toEqual([
    '512 bytes',
    '2.0 kB',
    '3.4 MB',
    '5.0 GB',
  ]);
  expect([400, 59_000, 61_000, 3_660_000].map(durationText)).toEqual([
    '0 s',
    '59 s',
    '1 min 1 s',
    '1 h 1 min',
  ]);
  expect(
    columns([['a', '1', 'x'], ['bbb', '1,000', 'yy'], ['a line that is as long as it likes']], {
      indent: '',
    }),
  ).toEqual(['a        1  x', 'bbb  1,000  yy', 'a line that is as long as it likes']);
});

describe('the progress line', () => {
  function drawing(width: number, hasScreen = true) {
    const drawn: string[] = [];
    const terminal = {
      hasScreen,
      columns: width,
      drawLine: (text: string) => void drawn.push(text),
    } as unknown as Terminal;
    let now = 0;
    const line = new ProgressLine(
      terminal,
      'importing',
      (number) => counted(number, 'row'),
      () => now,
    );
    return {
      drawn,
      at(ms: number, rows: number) {
        now = ms;
        line.update(() => ({
          amount: rows,
          share: rows / 10_000,
          others: [`imported ${rows}`, 'errors 7'],
        }));
      },
    };
  }

  it('shows the recent rate and the remaining time', () => {
    const { drawn, at } = drawing(120);
    for (let ms = 100; ms <= 2000; ms += 100) at(ms, ms);
    expect(drawn).toHaveLength(10);
    expect(drawn.at(-1)).toBe(
      'importing 2,000 rows (20%) · 1,000 rows/s · 8 s left · imported 2000 · errors 7',
    );
  });

  it.each([100, 60, 40, 20, 5])('fits into %i columns', (width) => {
    const { drawn, at } = drawing(width);
    for (let ms = 200; ms <= 1000; ms += 200) at(ms, ms);
    expect(drawn.filter((text) => text.length >= width)).toEqual([]);
  });

  it('is not drawn without a terminal', () => {
    const { drawn, at } = drawing(80, false);
    for (let ms = 200; ms <= 1000; ms += 200) at(ms, ms);
    expect(drawn).toEqual([]);
  });
});
