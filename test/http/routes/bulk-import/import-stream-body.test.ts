import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { useTestApp } from '../../../support/app.ts';
import { removeEverything } from '../../../support/database.ts';
import { BCRYPT } from '../../../support/example-hashes.ts';
import { importLines, ndjson, type Report } from '../../../support/ndjson.ts';
import { UUID_V7 } from '../../../support/service-calls.ts';

const MAX_LINE_BYTES = 65_536;
const BOM = '\uFEFF';

const service = await useTestApp();
afterEach(() => removeEverything(service.database.db));

const send = (body: string | Buffer) => importLines(service, body);
const zipped = (body: Buffer, query = '', encoding = 'gzip') =>
  importLines(service, body, query, { 'content-encoding': encoding });

const line = (email: string) => JSON.stringify({ email, passwordHash: BCRYPT.hash });
const outcomes = ({ results }: Report) => results.map(({ line, status, code }) => [line, code ?? status]);
const stored = async () =>
  (await service.database.db.query('select email from password_logins order by email')).map(
    ({ email }) => email,
  );

/** Returns a line of exactly this many bytes. */
function lineOf(bytes: number, email: string, filling: string): string {
  const open = `${line(email).slice(0, -1)},"x":"`;
  const missing = bytes - Buffer.byteLength(`${open}"}`);
  const times = Math.floor(missing / Buffer.byteLength(filling));
  return `${open}${filling.repeat(times)}${'.'.repeat(missing - times * Buffer.byteLength(filling))}"}`;
}

describe('lines', () => {
  it('are numbered as in an editor', async () => {
    const body = `${BOM}${line('a@b.c')}\r\n\r\n \t\nx\r\n${line('b@b.c')}\n\n${line('c@b.c')}`;
    const report = await send(body);
    expect(outcomes(report)).toEqual([
      [1, 'CREATED'],
      [4, 'BODY_INVALID_JSON'],
      [5, 'CREATED'],
      [7, 'CREATED'],
    ]);
    expect(report.summary).toMatchObject({ lines: 4, created: 3, failed: 1 });
  });

  it('may have a byte order mark only at the start of the body', async () => {
    const report = await send(`\n${BOM}${line('a@b.c')}\n`);
    expect(outcomes(report)).toEqual([[2, 'BODY_INVALID_JSON']]);
  });

  it.each(['x', 'é', '😀'])('may have 65,536 bytes at most: %s', async (filling) => {
    const longest = (email: string) => lineOf(MAX_LINE_BYTES, email, filling);
    expect(Buffer.byteLength(longest('a@b.c'))).toBe(MAX_LINE_BYTES);
    const tooLong = lineOf(MAX_LINE_BYTES + 1, 'c@b.c', filling);
    const far = lineOf(10 * MAX_LINE_BYTES, 'd@b.c', filling);
    const body = `${BOM}${longest('a@b.c')}\r\n${longest('b@b.c')}\n${tooLong}\n${far}\r\n${line('e@b.c')}\n`;
    const report = await send(body + longest('f@b.c'));
    expect(outcomes(report)).toEqual([
      [1, 'CREATED'],
      [2, 'CREATED'],
      [3, 'LINE_TOO_LONG'],
      [4, 'LINE_TOO_LONG'],
      [5, 'CREATED'],
      [6, 'CREATED'],
    ]);
    expect(report.results[2]?.message).toBe(
      'The line is longer than 65536 bytes (bulk_import_max_line_bytes)',
    );
    expect(await stored()).toEqual(['a@b.c', 'b@b.c', 'e@b.c', 'f@b.c']);
  });

  it('that are not UTF-8 fail individually', async () => {
    const bad = [
      Buffer.from(line('é@b.c'), 'latin1'),
      Buffer.from([0xed, 0xa0, 0x80]),
      Buffer.from('€').subarray(0, 2),
      Buffer.from(line('a@b.c'), 'utf16le'),
    ];
    const parts = [Buffer.from(line('a@b.c')), ...bad, Buffer.from(line('é@b.c'))];
    const report = await send(Buffer.concat(parts.flatMap((part) => [part, Buffer.from('\n')])));
    expect(outcomes(report)).toEqual([
      [1, 'CREATED'],
      [2, 'BODY_INVALID_JSON'],
      [3, 'BODY_INVALID_JSON'],
      [4, 'BODY_INVALID_JSON'],
      [5, 'BODY_INVALID_JSON'],
      [6, 'CREATED'],
    ]);
    expect(await stored()).toEqual(['a@b.c', 'é@b.c']);
  });
});

describe('gzip', () => {
  const users = (from: number, to: number) =>
    ndjson(...Array.from({ length: to - from }, (_, index) => line(`user-${from + index}@b.c`)));

  it('is accepted, also with several members', async () => {
    const report = await zipped(Buffer.concat([gzipSync(users(0, 10)), gzipSync(users(10, 20))]));
    expect(report.summary).toMatchObject({ lines: 20, created: 20 });
    const loud = await zipped(gzipSync(users(20, 30)), '', 'GZip');
    expect(loud.summary).toMatchObject({ lines: 10, created: 10 });
  });

  it('may contain nothing', async () => {
    expect((await zipped(gzipSync(''))).summary).toMatchObject({ lines: 0 });
  });

  it.each([
    ['is none', Buffer.from(users(0, 10))],
    ['is of another kind', Buffer.from('PK\x03\x04 and so on')],
    ['is nothing', Buffer.alloc(0)],
    ['is cut off in its head', gzipSync(users(0, 10)).subarray(0, 5)],
    ['is cut off', gzipSync(users(0, 10)).subarray(0, -1)],
    ['does not match its checksum', flip(gzipSync(users(0, 10)), -8)],
  ])('that %s is reported in the last line', async (_what, body) => {
    const report = await zipped(body, '?importId=broken');
    expect(report).toMatchObject({
      summary: undefined,
      error: {
        code: 'REQUEST_MALFORMED',
        message: 'Request is malformed: the body is not gzip, or was cut off',
      },
      importId: 'broken',
    });
    expect(await stored()).toHaveLength(report.results.length);
    const resumed = await zipped(gzipSync(users(0, 10)), '?importId=broken');
    expect(resumed.summary).toMatchObject({ lines: 10, created: 10 });
  });

  it('that breaks off late keeps everything that was reported', async () => {
    const body = gzipSync(users(0, 12_000));
    const report = await zipped(body.subarray(0, -100), '?importId=late');
    expect(report.error).toMatchObject({ code: 'REQUEST_MALFORMED' });
    expect(report.results.length).toBeGreaterThan(0);
    expect((await stored()).length).toBeGreaterThanOrEqual(report.results.length);
    const resumed = await zipped(body, '?importId=late');
    expect(resumed.results.slice(0, report.results.length)).toEqual(report.results);
    expect(resumed.summary).toMatchObject({ lines: 12_000, created: 12_000 });
    expect(await stored()).toHaveLength(12_000);
  });

  it.each([
    ['zeros', 0],
    ['line breaks', 0x0a],
  ])('that expands to 100 MB of %s is not read to its end', async (_what, byte) => {
    const report = await zipped(gzipSync(Buffer.alloc(100_000_000, byte)), '?importId=bomb');
    expect(report).toMatchObject({ results: [], error: { code: 'BODY_TOO_LARGE' }, importId: 'bomb' });
    const [row] = await service.database.db.query<{ next_line: string }>('select next_line from imports');
    expect(Number(row?.next_line)).toBeLessThan(3_000_000);
  });

  it('that expands to the same user repeatedly is bounded alike', async () => {
    const report = await zipped(gzipSync(`${line('a@b.c')}\n`.repeat(300_000)));
    expect(report.error).toMatchObject({ code: 'BODY_TOO_LARGE' });
    expect(report.results.length).toBeLessThan(30_000);
    expect(report.results[0]).toEqual({ line: 1, status: 'CREATED', userId: expect.stringMatching(UUID_V7) });
  });
});

/** Returns the bytes with the byte at this position from the end changed. */
function flip(bytes: Buffer, at: number): Buffer {
  const copy = Buffer.from(bytes);
  copy[copy.length + at] = (copy.at(at) ?? 0) ^ 0xff;
  return copy;
}
