import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkSettings } from '../../src/cli/plan/prepare.ts';
import { SOURCES } from '../../src/sources/sources.ts';
import { readSamples, SAMPLES } from '../sources/samples.ts';
import { runCli, scratch } from './command-line.ts';

function usersFile(text: string, name: string): string {
  const path = join(scratch(), name);
  writeFileSync(path, text);
  return path;
}
const shadow = () => usersFile('ada:$6$salt$x:19000:0:99999:7:::\n', 'shadow');
const table = () => usersFile('id,email,hash\n7,ada@example.com,x\n', 'users.csv');
const inspect = (file: string, ...flags: string[]) => runCli(['inspect', file, ...flags]);

it.each([
  [['--algorithm', 'sha1'], '--algorithm sha1: there is no such family of hashes. Near to it are '],
  [['--algorithm-of', 'x=bcrypt,y=nosuch'], '--algorithm-of nosuch: there is no such family of hashes.'],
])('a family of hashes is checked before the files are read: %j', async (flags, says) => {
  const { code, stderr } = await inspect(table(), '--map', 'email=email,hash=hash', ...flags);
  expect([code, stderr]).toEqual([1, expect.stringContaining(says)]);
});

describe('a setting of --set', () => {
  it('is refused if the source does not know it, with a suggestion', async () => {
    const { code, stderr } = await inspect(shadow(), '--set', 'emaildomain=example.com');
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining(
        '--set emaildomain: there is no such setting for exports of /etc/shadow (--from shadow). Did you mean emailDomain?',
      ),
    ]);
  });

  it.each(['usernameIsEmail=yes', 'toString=x'])(
    'is refused if it belongs to another source: %s',
    async (set) => {
      const { code, stderr } = await inspect(table(), '--set', set);
      expect([code, stderr]).toEqual([1, expect.stringContaining('there is no such setting for exports of')]);
      expect(stderr).not.toContain('Did you mean');
    },
  );

  it('may be a provider in any export', async () => {
    const { stderr } = await inspect(shadow(), '--set', 'emailDomain=example.com', '--set', 'provider.x=y');
    expect(stderr).toMatch(/^Next: .*\n$/);
  });
});

it('the warning of a salt in the service ends once --hashing-secret-id names it', async () => {
  const dump = join(SAMPLES, 'flask-security', 'dump.sql');
  expect((await inspect(dump)).stdout).toContain('name it with --hashing-secret-id ID');
  expect((await inspect(dump, '--hashing-secret-id', 'flask')).stdout).not.toContain(
    'SECURITY_PASSWORD_SALT',
  );
});

describe('--set idPrefix', () => {
  it('is accepted by every system', () => {
    for (const source of SOURCES.filter(({ name }) => name !== 'rejects'))
      expect(() => checkSettings(source, { idPrefix: 'shop-' })).not.toThrow();
  });

  it('is refused for rejects, whose ids have it already', () => {
    const rejects = SOURCES.find(({ name }) => name === 'rejects');
    if (rejects === undefined) throw new Error('there is no source of rejects');
    expect(() => checkSettings(rejects, { idPrefix: 'shop-' })).toThrow(/roll back its import/);
  });

  it.each(['idPrefix=', 'idPrefix=\u0001shop-'])('is refused if it would not arrive: %j', async (set) => {
    const { code, stderr } = await inspect(table(), '--set', set);
    expect([code, stderr]).toEqual([1, expect.stringContaining('expected text without blanks around it')]);
  });
});

it('--map is refused for exports of a known system', async () => {
  const { code, stderr } = await inspect(shadow(), '--map', 'email=name');
  expect([code, stderr]).toEqual([
    1,
    expect.stringContaining('To read these files by their columns: --from generic.'),
  ]);
  expect((await inspect(table(), '--map', 'email=email,hash=hash')).stderr).toMatch(/^Next: .*\n$/);
});

it('a setting is accepted by every source whose samples need it', () => {
  for (const { system, options } of readSamples()) {
    const source = SOURCES.find(({ name }) => name === system);
    if (source === undefined) throw new Error(`there is no source ${system}`);
    expect(() => checkSettings(source, options)).not.toThrow();
  }
});

it('a setting has the same meaning in all sources that have it', () => {
  const means = new Map<string, Set<string>>();
  for (const { settings = {} } of SOURCES)
    for (const [name, text] of Object.entries(settings))
      means.set(name, (means.get(name) ?? new Set()).add(text));
  const several = [...means].filter(([, texts]) => texts.size > 1).map(([name]) => name);
  // The pepper of each system is for another algorithm.
  expect(several).toEqual(['pepper']);
});
