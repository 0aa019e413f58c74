import { appendFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Source } from '../../src/sources/source.ts';
import { SOURCES } from '../../src/sources/sources.ts';
import { runCli, scratch } from './command-line.ts';

const HASH = '$2a$10$KwBCUpZQPBObDVE4SuTLtukI.XMW9g4AU.7xkMPvKPOQckh7hN0J2';
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it is about
const OBEYED = /[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200f\u202e]/;

const run = (...args: string[]) => runCli(args);

function fileOf(text: string, name = 'users'): string {
  const path = join(scratch(), name);
  writeFileSync(path, text);
  return path;
}

describe('names in hostile files', () => {
  it('contain no control characters when they are printed', async () => {
    const bad = '\x1b[31mx\x1b]0;y\x07\u009b2J\u061c\u200f\u202e';
    const files = [
      fileOf(`email,${bad}\n1@b.co,x\n`, `\x1b[2J${bad}`),
      fileOf(`email,password_hash,${bad}\na@b.co,${HASH},${bad}\nb@b.co,${bad},\n`),
      fileOf(
        JSON.stringify([
          { user_id: 'auth0|\u009b', email: 'a@b.co', email_verified: true, nickname: bad, identities: [] },
          {
            user_id: 'auth0|2',
            email: 'c@b.co',
            identities: [{ provider: bad, user_id: '1', connection: bad, isSocial: true }],
          },
        ]),
      ),
      `/nowhere/${bad}`,
    ];
    for (const file of files) {
      for (const flags of [[], ['--json'], ['--show']]) {
        const { stdout, stderr } = await run('inspect', file, ...flags);
        expect(OBEYED.exec(stdout + stderr)).toBeNull();
      }
    }
  });

  it('are unchanged in JSON', async () => {
    const { stdout } = await run(
      'inspect',
      '--json',
      fileOf(`email,password_hash,\u009bx\na@b.co,${HASH},y\n`),
    );
    expect(JSON.parse(stdout).files[0].tables[0].columns).toEqual(['email', 'password_hash', '\u009bx']);
  });

  it.each([
    ['a table without header', `ada;${HASH}\nbob;${HASH}\n`],
    ['users by address', JSON.stringify({ 'ada@example.com': { hash: HASH } })],
    [
      'a message that is data',
      JSON.stringify([{ problem: 'JSON_INVALID', message: `ada@example.com ${HASH}`, email: 'x', id: 1 }]),
    ],
  ])('reveal no data: %s', async (_, text) => {
    const file = fileOf(text);
    for (const flags of [[], ['--json']]) {
      const { stdout, stderr } = await run('inspect', file, ...flags);
      expect(stdout + stderr).not.toMatch(/ada@example|KwBCUpZQPBOb/);
    }
  });
});

describe('unmapped providers', () => {
  it('are counted by name, up to a bound', async () => {
    const users = Array.from({ length: 1500 }, (_, index) =>
      JSON.stringify({
        user_id: `auth0|${index}`,
        email: `a${index}@b.co`,
        identities: [{ provider: `p${index}`, user_id: `${index}`, connection: 'c', isSocial: true }],
      }),
    );
    const { stdout } = await run('inspect', '--json', fileOf(users.join('\n')));
    const { unmappedProviders } = JSON.parse(stdout);
    expect(Object.keys(unmappedProviders)).toHaveLength(1001);
    expect(unmappedProviders.others).toBe(500);
  });
});

describe('an input that is not a regular, unchanging file', () => {
  it.each(['/dev/zero', '/dev/null'])('is refused if it is a device: %s', async (device) => {
    const { code, stderr } = await run('inspect', device);
    expect([code, stderr]).toEqual([1, expect.stringContaining('is a device')]);
  });

  it('is refused if it is a link to itself', async () => {
    const path = join(scratch(), 'loop');
    symlinkSync(path, path);
    const { code, stderr } = await run('inspect', path);
    expect([code, stderr]).toEqual([1, expect.stringContaining('a link that leads to itself')]);
  });

  it('is refused if it changes between two readings', async () => {
    const file = fileOf(`email,password_hash\na@b.co,${HASH}\n`);
    const isUsers = () => {
      appendFileSync(file, `b@b.co,${HASH}\n`);
      return false;
    };
    const form = { name: 'x', isUsers, known: 'all' as const, read: () => undefined };
    const sources = SOURCES as Source[];
    sources.unshift({ name: 'x', title: 'x', forms: [form] });
    const { code, stdout, stderr } = await run('inspect', file);
    sources.shift();
    expect([code, stdout, stderr]).toEqual([1, '', expect.stringContaining('was changed while it was read')]);
  });
});
