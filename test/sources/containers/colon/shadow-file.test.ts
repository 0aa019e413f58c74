import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { COLON_FILES, colonContainer } from '../../../../src/sources/containers/colon-files.ts';
import { isBadRecord } from '../../../../src/sources/containers/table.ts';
import { outcomes, readWhole } from '../read-whole.ts';

const [shadowFile] = COLON_FILES.filter(({ name }) => name === 'shadow');
if (shadowFile === undefined) throw new Error('shadow');
const readShadow = colonContainer(shadowFile);
const SAMPLE = readFileSync(new URL('../../samples/shadow/shadow', import.meta.url));
const read = async (text: string | Buffer, size = 65_536) =>
  outcomes(await readWhole(readShadow, text, {}, size));

it('reports invalid lines', async () => {
  const lines = [
    'ada',
    'ada:$6$secret',
    'ada:$6$secret:1:2:3:4:5',
    ':$6$secret:1:2:3:4:5:6:',
    'a:b:::::::::::',
    'ok:*:::::::',
  ];
  const whole = await readWhole(readShadow, lines.join('\n'));
  expect(outcomes(whole)).toEqual([
    ...Array.from({ length: 5 }, () => 'COLUMNS_MISSING'),
    expect.objectContaining({ name: 'ok', hash: '*' }),
  ]);
  const messages = whole.records.flatMap((record) => (isBadRecord(record) ? [record.message] : []));
  expect(messages[1]).toBe('The line has 2 fields between colons, or no name; /etc/shadow has 9.');
  expect(messages.join()).not.toContain('secret');
});

it('skips an endless line, wherever the chunks are cut', async () => {
  const text = `ada:*:1::::::\n${'x'.repeat(200_000)}\n${'y'.repeat(65_537)}\ngrace:*:2::::::\n${'z'.repeat(70_000)}`;
  for (const size of [1_000, 65_536, 1_000_000]) {
    expect(await read(text, size)).toEqual([
      expect.objectContaining({ name: 'ada', lastChanged: '1' }),
      'RECORD_TOO_LONG',
      'RECORD_TOO_LONG',
      expect.objectContaining({ name: 'grace', lastChanged: '2' }),
      'RECORD_TOO_LONG',
    ]);
  }
});

it("skips blank lines, comments and NIS references, and reads the BSDs' fields", async () => {
  const text = `# vipw -s

ada:$6$salt$hash:19000:0:99999:7:14:20000:reserved\r
grace:!$y$x:19001:0:99999:7::
+::::::::
-mallory::::::::
root:$2b$x:0:0:daemon:0:0:Charlie &:/root:/bin/ksh
`;
  expect(await read(text)).toEqual([
    {
      name: 'ada',
      hash: '$6$salt$hash',
      lastChanged: '19000',
      min: '0',
      max: '99999',
      warn: '7',
      inactive: '14',
      expires: '20000',
      reserved: 'reserved',
    },
    expect.objectContaining({ name: 'grace', hash: '!$y$x', expires: '', reserved: '' }),
    {
      name: 'root',
      hash: '$2b$x',
      uid: '0',
      expiresSeconds: '0',
      gecos: 'Charlie &',
      shell: '/bin/ksh',
    },
  ]);
});

it('reads the nine rows of the sample', async () => {
  const whole = await readWhole(readShadow, SAMPLE);
  expect(whole.records).toHaveLength(9);
  expect(whole.records.filter(isBadRecord)).toEqual([]);
  expect(whole.heads).toMatchObject([{ container: 'shadow', name: '', first: whole.records }]);
  expect(whole.records[7]).toMatchObject({
    name: 'emile',
    hash: expect.stringMatching(/^!\$6\$/),
    lastChanged: '19005',
  });
});
