import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import {
  decodeBytes,
  FREE_BYTES,
  MAX_BLANK_BYTES,
  MAX_RATIO,
  unpackBytes,
} from '../../../src/sources/containers/decode-bytes.ts';
import { chunksOf, problemOf } from './read-whole.ts';

async function decode(bytes: Buffer, encoding?: string, cuts: number | readonly number[] = 65_536) {
  let text = '';
  // No chunk ends inside a character, so each is text.
  for await (const chunk of decodeBytes(chunksOf(bytes, cuts), encoding)) text += chunk.toString();
  return text;
}
const bytesOf = (...bytes: number[]) => Buffer.from(bytes);
const TEXT = 'id,name\n1,Zoë Müller\n2,日本 🔑 end\n'.repeat(3);
const utf16be = (text: string) => Buffer.from(text, 'utf16le').swap16();

describe('invalid UTF-8', () => {
  it.each<[string, Buffer, number]>([
    ['a byte of latin1', Buffer.from('name\nZoë\nMüller\n', 'latin1'), 7],
    ['a byte of latin1 at the end', Buffer.from('name\nZoë', 'latin1'), 7],
    ['a byte that begins nothing', Buffer.concat([Buffer.from('abcdefg'), bytesOf(0xff, 0x41)]), 7],
    ['half of a surrogate pair', Buffer.concat([Buffer.from('ab'), bytesOf(0xed, 0xa0, 0x80, 0x63)]), 2],
    ['a longer form than needed', Buffer.concat([Buffer.from('abc'), bytesOf(0xc0, 0xaf)]), 3],
    ['a character that the end of the file cuts', Buffer.from('abc日').subarray(0, 5), 3],
    ['the beginning of what stands for it', Buffer.concat([Buffer.from('abc'), bytesOf(0xef, 0xbf)]), 5],
    ['far into the file', Buffer.concat([Buffer.from('ü'.repeat(100_000)), bytesOf(0xfc, 0x78)]), 200_000],
  ])('is refused at the offset of the first bad byte: %s', async (_, bytes, offset) => {
    for (const size of [1, 2, 3, 7, 65_536, 1_000_000]) {
      if (bytes.length > 1000 && size < 1000) continue;
      const said = await problemOf(() => decode(bytes, undefined, size));
      expect(said).toMatch(`ENCODING_INVALID: The file is not valid UTF-8 at byte ${offset}.`);
      expect(said).toContain('--encoding windows-1252');
    }
  });

  it('is reported with its offset in the decompressed data', async () => {
    const packed = gzipSync(Buffer.from(`${'x'.repeat(90_000)}é`, 'latin1'));
    expect(await problemOf(() => decode(packed))).toContain('at byte 90000.');
  });

  it('is read in the encoding that the operator names', async () => {
    expect(await decode(Buffer.from('Zoë', 'latin1'), 'latin1')).toBe('Zoë');
    expect(await decode(bytesOf(0x80, 0x93), 'windows-1252')).toBe('€“');
    expect(await decode(bytesOf(0x93, 0xfa, 0x96, 0x7b), 'shift_jis', 1)).toBe('日本');
    expect(await decode(bytesOf(0x80, 0x93), 'latin1')).toBe('€“');
  });

  it.each([
    ['utf-8', Buffer.from('Zoë,x', 'latin1')],
    ['shift_jis', bytesOf(0x41, 0xff, 0xff, 0x41)],
    ['shift_jis', bytesOf(0x41, 0x93)],
    ['euc-jp', bytesOf(0xa1, 0x20, 0x41)],
  ])('is refused if it is not in the encoding that the operator names: %s', async (encoding, bytes) => {
    for (const size of [1, 100])
      expect(await problemOf(() => decode(bytes, encoding, size))).toMatch(
        new RegExp(`^ENCODING_INVALID: The file is not valid ${encoding}`, 'i'),
      );
  });
});

describe('UTF-16', () => {
  it('without a byte order mark must be named by the operator', async () => {
    const text = 'email,password_hash\nann@example.org,x\n';
    expect(await problemOf(() => decode(Buffer.from(text, 'utf16le')))).toContain('--encoding utf-16le');
    expect(await problemOf(() => decode(utf16be(text)))).toContain('--encoding utf-16be');
    expect(await decode(utf16be(text), 'utf-16be')).toBe(text);
  });

  it('with half a character is an error, whatever the chunks', async () => {
    const bytes = Buffer.concat([bytesOf(0xff, 0xfe), Buffer.from(`ab\ud800c${'d'.repeat(40)}`, 'utf16le')]);
    for (const size of [1, 2, 3, 4, 5, 6, 7, 100]) {
      expect(await problemOf(() => decode(bytes, undefined, size))).toContain('not valid UTF-16LE.');
    }
    const odd = Buffer.concat([bytesOf(0xfe, 0xff), utf16be('abc'), bytesOf(0)]);
    expect(await problemOf(() => decode(odd, undefined, 3))).toContain('not valid UTF-16BE.');
    expect(await problemOf(() => decode(odd, 'utf-16be'))).toContain('not valid UTF-16BE.');
  });

  it('is distinguished from UTF-32, which must be converted', async () => {
    for (const bytes of [bytesOf(0xff, 0xfe, 0, 0, 0x41, 0, 0, 0), bytesOf(0, 0, 0xfe, 0xff, 0, 0, 0, 0x41)])
      expect(await problemOf(() => decode(bytes))).toContain('iconv -f UTF-32');
  });

  const marked = `\ufeff${TEXT}`;
  it.each<[string, Buffer, string | undefined]>([
    ['LE with a mark', Buffer.from(marked, 'utf16le'), undefined],
    ['BE with a mark', utf16be(marked), undefined],
    ['LE as told', Buffer.from(TEXT, 'utf16le'), 'utf-16le'],
    ['LE with a mark, as told', Buffer.from(marked, 'utf16le'), 'utf-16le'],
    ['UTF-8 with a mark', Buffer.from(marked), undefined],
    ['UTF-8 with a mark, whatever is told', Buffer.from(marked), 'latin1'],
    ['UTF-8', Buffer.from(TEXT), undefined],
    ['UTF-8, packed', gzipSync(TEXT), undefined],
    ['LE, packed twice', gzipSync(gzipSync(Buffer.from(marked, 'utf16le'))), undefined],
  ])('%s gives the same text, cut anywhere', async (_, bytes, encoding) => {
    for (let cut = 0; cut <= bytes.length; cut++) expect(await decode(bytes, encoding, [cut])).toBe(TEXT);
    expect(await decode(bytes, encoding, 1)).toBe(TEXT);
  });

  it.each(['', 'a', 'ab', 'abc', 'é', '日'])('is not assumed for %j', async (text) => {
    expect(await decode(Buffer.from(text))).toBe(text);
  });
});

it.each([
  ['UTF-8', 'ï»¿ann,Zoë\n', /not valid UTF-8/],
  ['UTF-16LE', 'ÿþa\0,\0\n\0', /--encoding utf-16le/],
  ['UTF-16BE', 'þÿ\0a\0,\0\n', /--encoding utf-16be/],
])('a cell that begins like a mark of %s does not override the named encoding', async (_, text, said) => {
  for (const encoding of ['latin1', 'windows-1252', 'shift_jis']) {
    const bytes = Buffer.from(`${text}${'x'.repeat(40)}`, 'latin1');
    expect(await problemOf(() => decode(bytes, encoding))).toMatch(said);
  }
});

describe('runs of blanks', () => {
  it.each(['\r\n', ' \t'])('that are very long are refused: %j', async (blank) => {
    let given = 0;
    const endless = async function* () {
      yield Buffer.from('id,mail\n1,ada@example.org\n');
      for (;;) {
        given += 65_536;
        yield Buffer.alloc(65_536, blank);
      }
    };
    const read = async () => {
      for await (const _chunk of decodeBytes(endless()));
    };
    expect(await problemOf(read)).toMatch(/^FILE_INVALID: The file has more than 16 MiB of blanks/);
    expect(given).toBeLessThanOrEqual(MAX_BLANK_BYTES + 2 * 65_536);
  });

  it('are refused in UTF-16, too', async () => {
    const text = utf16be(`\ufeffid,mail\n${'\n'.repeat(MAX_BLANK_BYTES + 200_000)}`);
    expect(await problemOf(() => decode(text))).toMatch(/MiB of blanks/);
  });

  it('that are long are read', async () => {
    const text = `a${'\n'.repeat(MAX_BLANK_BYTES - 200_000)}b${'\n'.repeat(300_000)}c`;
    expect((await decode(Buffer.from(text))) === text).toBe(true);
  });
});

describe('gzip', () => {
  const members = Buffer.concat([gzipSync('one '), gzipSync(''), gzipSync('two '), gzipSync('three')]);

  it('that is cut anywhere is reported as truncated', async () => {
    const packed = gzipSync(TEXT);
    for (let length = 2; length < packed.length; length++) {
      const said = await problemOf(() => decode(packed.subarray(0, length)));
      expect(said).toMatch(/^FILE_TRUNCATED: The gzip file ends too early/);
    }
  });

  it('that is damaged is reported as invalid or truncated, and never accepted', async () => {
    const packed = gzipSync(TEXT.repeat(20));
    for (let at = 10; at < packed.length; at++) {
      const damaged = Buffer.from(packed);
      damaged[at] = (damaged[at] ?? 0) ^ 0x55;
      expect(await problemOf(() => decode(damaged))).toMatch(
        /^(?:FILE_INVALID|FILE_TRUNCATED|ENCODING_INVALID): /,
      );
    }
  });

  it('with several members is read to the last one, wherever it is cut', async () => {
    for (let cut = 0; cut <= members.length; cut++) {
      expect(await decode(members, undefined, [cut])).toBe('one two three');
    }
    expect(await decode(members, undefined, 1)).toBe('one two three');
    expect(await decode(Buffer.concat([members, Buffer.alloc(512)]))).toBe('one two three');
  });

  it('that goes on behind zero bytes is invalid, wherever it is cut', async () => {
    for (const rest of [gzipSync('four'), Buffer.from('four')]) {
      const padded = Buffer.concat([gzipSync('one '), Buffer.alloc(20), rest, Buffer.alloc(3)]);
      for (let cut = 0; cut <= padded.length; cut++)
        expect(await problemOf(() => decode(padded, undefined, [cut]))).toMatch(
          /^FILE_INVALID: The gzip file goes on behind zero bytes/,
        );
      const far = Buffer.concat([members, Buffer.alloc(1_000_000), rest]);
      expect(await problemOf(() => decode(far))).toMatch(/goes on behind zero bytes/);
      expect(await problemOf(() => decode(gzipSync(padded)))).toMatch(/goes on behind zero bytes/);
    }
    expect(await decode(Buffer.concat([members, Buffer.alloc(1_000_000)]), undefined, 1000)).toBe(
      'one two three',
    );
  });

  it('that is followed by other bytes is invalid', async () => {
    const file = Buffer.concat([members, Buffer.from('id,mail\n')]);
    expect(await problemOf(() => decode(file))).toMatch(/^FILE_INVALID/);
  });

  it('that expands to very much is read only as far as requested, and the file is closed', async () => {
    const member = gzipSync(Buffer.alloc(16_000_000, 'a'));
    const bomb = Buffer.concat(Array.from({ length: 64 }, () => member));
    let given = 0;
    let isClosed = false;
    const source = async function* () {
      try {
        for await (const chunk of chunksOf(bomb, 1024)) {
          given += chunk.length;
          yield chunk;
        }
      } finally {
        isClosed = true;
      }
    };
    let read = 0;
    for await (const chunk of decodeBytes(source())) {
      read += chunk.length;
      if (read > 1_000_000) break;
    }
    expect(read).toBeLessThan(2_000_000);
    expect(given).toBeLessThan(bomb.length / 4);
    expect(isClosed).toBe(true);
  });

  /** Counts the bytes that are read from a file before it is refused. */
  async function bytesBefore(file: Buffer): Promise<{ given: number; said: string | undefined }> {
    let given = 0;
    const said = await problemOf(async () => {
      for await (const chunk of unpackBytes(chunksOf(file, 65_536))) given += chunk.length;
    });
    return { given, said };
  }
  const MEMBER_BYTES = 16 * 1024 * 1024;
  const members16 = (count: number, member: Buffer) =>
    Buffer.concat(Array.from({ length: count }, () => member));

  it('that expands to more than an export would is refused, in one layer or two', async () => {
    const rows = gzipSync(Buffer.alloc(MEMBER_BYTES, 'x\n'));
    const [one, two] = [members16(64, rows), gzipSync(members16(640, rows))];
    expect(one.length * MAX_RATIO).toBeLessThan(64 * MEMBER_BYTES);
    // 10 GB, compressed twice.
    expect(two.length).toBeLessThan(131_072);
    for (const bomb of [one, two]) {
      const { given, said } = await bytesBefore(bomb);
      expect(said).toMatch(/^FILE_INVALID: The gzip file unpacks to more than 400 times its size.*gunzip/);
      expect(given).toBeLessThanOrEqual(FREE_BYTES);
    }
  });

  it('that expands to much, as dumps with many defaults do, is read', async () => {
    // A seventieth of the data is random, as hashes are.
    const rows = Buffer.concat(
      Array.from({ length: 64 }, () => [randomBytes(3_600), Buffer.alloc(258_544, ',NULL,NULL,0\n')]).flat(),
    );
    const packed = members16(17, gzipSync(Buffer.from(rows.toString('latin1'))));
    const { given, said } = await bytesBefore(packed);
    expect(said).toBeUndefined();
    expect(given).toBeGreaterThan(FREE_BYTES);
    expect(given / packed.length).toBeGreaterThan(30);
  });

  it('that is compressed three times is refused', async () => {
    expect(await problemOf(() => decode(gzipSync(gzipSync(gzipSync('id,mail\n')))))).toMatch(
      /^FILE_INVALID: The file is packed with gzip more than 2 times.*gunzip/,
    );
  });

  it('with a disk error reports that error', async () => {
    const failing = async function* () {
      yield members.subarray(0, 12);
      throw Object.assign(new Error('gone'), { code: 'EIO' });
    };
    const read = async () => {
      for await (const _ of decodeBytes(failing()));
    };
    await expect(read()).rejects.toThrow('gone');
  });
});
