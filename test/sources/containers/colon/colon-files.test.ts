import { describe, expect, it } from 'vitest';
import { COLON_FILES, colonContainer } from '../../../../src/sources/containers/colon-files.ts';
import { openContainer } from '../../../../src/sources/containers/open-container.ts';
import { type ExportFormat, isBadRecord } from '../../../../src/sources/containers/table.ts';
import { fileOf, kindOf, outcomes, problemOf, readWhole } from '../read-whole.ts';

const BCRYPT = '$2y$04$1WcI1ekUmiKkMktTVuOfjO/yh5NP2W0aJhVVWl8QA4CzJ/0oXMQUS';
const APR1 = '$apr1$fdkyNNYB$CY8O6rOVC92ax4DgM3NiP/';
const MD5 = '3afd7ad368e111c9e7e0e6d03c377afa';
const GUARD = '# users.auth.php\n# <?php exit()?>\n# Do not modify the lines above\n';

/** A line of each kind that no other kind can have. */
const LINES: Record<string, string> = {
  shadow: `ann:${BCRYPT}:19000:0:99999:7:::`,
  passwd: 'ann:x:1000:1000:Ann:/home/ann:/bin/sh',
  htpasswd: `ann:${APR1}`,
  htdigest: `ann:Realm:${MD5}`,
  dovecot: `ann@example.com:{BLF-CRYPT}${BCRYPT}:5000:5000::/home/ann::`,
  dokuwiki: `ann:${BCRYPT}:Ann:ann@example.com:user`,
  smbpasswd: `ann:1:${'X'.repeat(32)}:${MD5.toUpperCase()}:[U          ]:LCT-00000000:`,
};
const KINDS = Object.keys(LINES);

const beginningOf = (kind: string) => (kind === 'dokuwiki' ? GUARD : '');
const containerOf = (kind: string) => {
  const file = COLON_FILES.find(({ name }) => name === kind);
  if (file === undefined) throw new Error(kind);
  return colonContainer(file);
};
const readAs = async (kind: string, text: string) => outcomes(await readWhole(containerOf(kind), text));

it('every kind has a test here', () => {
  expect(KINDS.sort()).toEqual(COLON_FILES.map(({ name }) => name).sort());
});

describe.each(KINDS)('%s', (kind) => {
  const line = LINES[kind] ?? '';
  const file = `${beginningOf(kind)}${line}\n`;

  it('is detected from its lines', async () => {
    expect(await kindOf(file)).toBe(kind);
    expect(await kindOf(`${beginningOf(kind)}\n# a comment\n\n${line}\r\n${line}`)).toBe(kind);
  });

  it.each(KINDS.filter((other) => other !== kind))(
    'is refused if it contains a line of %s',
    async (other) => {
      for (const text of [`${file}${LINES[other]}\n`, `${beginningOf(kind)}${LINES[other]}\n${line}\n`]) {
        const problem = await problemOf(async () => {
          // Dovecot requires only two fields, and the third field of .htpasswd may be a comment. Lines with
          // these forms have the same meaning.
          expect(await kindOf(text)).toBe([kind, other].includes('dovecot') ? 'dovecot' : 'shadow');
        });
        if (problem !== undefined) expect(problem).toContain('--format');
      }
    },
  );

  it('a line with other fields is an error, and the lines around it are read unchanged', async () => {
    const [whole] = await readAs(kind, line);
    expect(whole).toMatchObject({});
    for (const bad of ['ann', ':', `:${line}`, 'a:b:c:d:e:f:g:h:i:j:k:l', 'x'.repeat(70_000)]) {
      const [first, outcome, last] = await readAs(kind, `${line}\n${bad}\n${line}\n`);
      expect(first).toEqual(whole);
      expect(last).toEqual(whole);
      // Extra fields of Dovecot may contain colons.
      if (kind !== 'dovecot' || !bad.startsWith('a:'))
        expect(outcome).toBe(bad.length > 65_536 ? 'RECORD_TOO_LONG' : 'COLUMNS_MISSING');
    }
  });

  it('can be chosen with --format', async () => {
    expect((await openContainer(fileOf('a\n'), { format: kind as ExportFormat })).name).toBe(kind);
  });
});

describe('text that fits two kinds', () => {
  it.each([
    ['a comment that may be a digest', `ann:${APR1}:${MD5}`, 'htpasswd', 'htdigest'],
    ['hashes in /etc/passwd', `ann:${BCRYPT}:1:1:Ann:/home/ann:/bin/sh`, 'passwd', 'dovecot'],
    ['addresses and empty fields', `ann@example.com:${BCRYPT}::::::`, 'shadow', 'dovecot'],
    ['a user called dn', `dn:${APR1}`, 'ldif', 'htpasswd'],
  ])('%s', async (_, line, ...kinds) => {
    const said = await problemOf(() => kindOf(`${line}\n`));
    for (const kind of kinds) {
      expect(said).toContain(`--format ${kind}`);
      expect((await openContainer(fileOf(line), { format: kind as ExportFormat })).name).toBe(kind);
    }
  });
});

it('other text with colons is none of these kinds', async () => {
  for (const text of ['name:email\nann:ann@example.com\n', 'Ann: yes\nBob: no\n', 'a:b:c:d:e\n', 'ann:x\n'])
    expect(await problemOf(() => kindOf(text))).toContain('It is not a supported kind of file');
});

it('an invalid line of /etc/shadow is reported without its hash', async () => {
  for (const line of ['ada', 'ada:$6$secret', 'ada:$6$secret:1:2:3:4:5', ':$6$secret:1:2:3:4:5:6:']) {
    const [record] = (await readWhole(containerOf('shadow'), line)).records;
    const message = record && isBadRecord(record) ? record.message : '';
    expect(message).toMatch(/^The line has \d fields? between colons, or no name; \/etc\/shadow has 9\.$/);
  }
});

it("/etc/shadow may have blank lines, comments, NIS references and the BSDs' fields", async () => {
  const text = `# vipw -s

ada:$6$salt$hash:19000:0:99999:7:14:20000:reserved\r
grace:!$y$x:19001:0:99999:7::
+::::::::
-mallory::::::::
root:$2b$x:0:0:daemon:0:0:Charlie &:/root:/bin/ksh
`;
  expect(await readAs('shadow', text)).toEqual([
    {
      ...{ name: 'ada', hash: '$6$salt$hash', lastChanged: '19000', min: '0', max: '99999' },
      ...{ warn: '7', inactive: '14', expires: '20000', reserved: 'reserved' },
    },
    expect.objectContaining({ name: 'grace', hash: '!$y$x', expires: '', reserved: '' }),
    {
      ...{ name: 'root', hash: '$2b$x', uid: '0', expiresSeconds: '0' },
      ...{ gecos: 'Charlie &', shell: '/bin/ksh' },
    },
  ]);
});

describe('DokuWiki', () => {
  const read = async (line: string) => (await readAs('dokuwiki', `${line}\n`))[0];

  it('a field may contain the characters that DokuWiki escapes', async () => {
    expect(await read(String.raw`ann:\:B\:x:Ann\: \#1 \\:a@x.org:`)).toEqual({
      login: 'ann',
      hash: ':B:x',
      name: 'Ann: #1 \\',
      mail: 'a@x.org',
      groups: '',
    });
  });

  it('a name never shifts the fields after it', async () => {
    expect(await read(String.raw`ann:h:x\\\:m@x.org\\\:admin:a@x.org:user`)).toMatchObject({
      name: String.raw`x\:m@x.org\:admin`,
      mail: 'a@x.org',
      groups: 'user',
    });
  });

  it('text after a number sign is not a field', async () => {
    expect(await read('ann:h:Ann #1:a@x.org:user')).toBe('COLUMNS_MISSING');
    expect(await read('ann:h:Ann:a@x.org:user # since 2019')).toMatchObject({ groups: 'user ' });
  });
});

it("only DokuWiki's comments identify its files", async () => {
  const line = LINES.dokuwiki ?? '';
  expect(await problemOf(() => kindOf(`# notes\n${line}\n`))).toContain('not a supported kind');
  expect(await problemOf(() => kindOf(`ann:${BCRYPT}:<?php exit()?>:a@x.org:user\n`))).toContain(
    'not a supported kind',
  );
});
