import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { BCRYPT, readNdjson, runCli, scratch, words } from './command-line.ts';
import { useImportSetup } from './import-setup.ts';

/**
 * A table of customers as a German shop exports it: own names of columns, "ja" and "nein", times without seconds,
 * birthdays, a state in words, a time since when somebody is locked out, and two families of hashes.
 */
const ROWS = 2000;
const OLD = createHash('md5').update('salzpasswort').digest('hex');
const isOld = (at: number) => at % 4 === 0;
const isGone = (at: number) => at % 20 === 1;
const isLocked = (at: number) => at % 50 === 3;
const isIn = (at: number) => !isGone(at) && !isLocked(at);

const rowOf = (at: number) =>
  [
    at,
    `kunde${at}@example.de`,
    isOld(at) ? OLD : BCRYPT,
    isOld(at) ? 'salz' : '',
    at % 3 === 0 ? 'nein' : 'ja',
    `${String(1 + (at % 28)).padStart(2, '0')}.12.2019 13:45`,
    '01.02.1980',
    isGone(at) ? 'gekündigt' : 'aktiv',
    isLocked(at) ? '03.04.2021 10:00' : '',
    at % 2 === 0 ? 'frei' : 'pro',
  ].join(';');
const HEADER = 'Kundennr;E-Mail;Passwort;Salz;Bestätigt;Angelegt;Geburtstag;Status;Gesperrt seit;Tarif';

const cli = useImportSetup();
let file: string;
beforeEach(() => {
  file = join(cli.directory, 'kunden.csv');
  const rows = Array.from({ length: ROWS }, (_, index) => rowOf(index + 1));
  writeFileSync(file, `\uFEFF${[HEADER, ...rows].join('\r\n')}\r\n`);
});
const run = (command: string, ...flags: string[]) => runCli([command, file, ...flags]);

const MAP = [
  '--map',
  'id=Kundennr,email=E-Mail,hash=Passwort,verified=Bestätigt,createdAt=Angelegt,salt=Salz',
  '--hash',
  '$salted-md5$o=sp$\\{salt|utf8\\}$\\{hash|hex\\}',
];
const ANSWERS = [
  ...['--active', 'Status=aktiv', '--active', 'Gesperrt seit is null'],
  ...['--true', 'ja', '--date-format', 'DD.MM.YYYY HH:mm', '--keep', 'tarif=Tarif'],
];

describe('a German table of customers', () => {
  it('asks everything at once, with the flags that answer it', async () => {
    const { code, stdout, stderr } = await run('inspect', ...MAP);
    expect(code).toBe(2);
    expect(stdout).toMatch(/^2,000 of 2,000 users would be imported; 3 questions to answer first\./);
    for (const text of [
      'Status: aktiv 1900, gekündigt 100',
      'Gesperrt seit: 03.04.2021 10:00 40',
      'Geburtstag: 01.02.1980 2000',
      'Bestätigt: ja 1334, nein 666',
      'as times',
    ])
      expect(stdout).toContain(text);
    expect(stderr).toMatch(/^Next: .* --active … --true … --date-format …\n$/);
    const { questions } = JSON.parse((await run('inspect', ...MAP, '--json')).stdout);
    expect(questions).toMatchObject([
      { code: 'WHO_MAY_SIGN_IN', flag: '--active' },
      { code: 'FLAGS_UNREADABLE', flag: '--true', columns: [{ column: 'Bestätigt', records: ROWS }] },
      { code: 'TIMES_UNREADABLE', flag: '--date-format' },
    ]);
    const stopped = await run('convert', ...MAP, ...ANSWERS);
    expect([stopped.code, stopped.stdout]).toEqual([2, '']);
    expect(stopped.stderr).toContain('Geburtstag: 01.02.1980 2000');
  });

  it('is imported whole, and both families of hashes sign in', async () => {
    const report = join(scratch(), 'report.ndjson');
    const flags = words`${MAP} ${ANSWERS} --ignore Geburtstag --yes --url ${cli.url} --report ${report}`;
    const { code, stderr } = await run('import', ...flags);
    const places = Array.from({ length: ROWS }, (_, index) => index + 1);
    const expected = places.filter(isIn).length;
    expect([code, stderr]).toEqual([
      0,
      expect.stringContaining(`${expected.toLocaleString('en-US')} imported`),
    ]);
    const results = readNdjson(readFileSync(report, 'utf8')).map(({ result }) => result);
    expect(results).toEqual(places.map((at) => (isIn(at) ? 'import' : 'skip')));
    const signIn = async (at: number, password: string) =>
      (await cli.service.send('POST', '/recipe/signin', { email: `kunde${at}@example.de`, password })).body;
    expect(await signIn(4, 'passwort')).toMatchObject({
      status: 'OK',
      user: { timeJoined: Date.UTC(2019, 11, 5, 13, 45), loginMethods: [{ verified: true }] },
    });
    expect(await signIn(6, 'password')).toMatchObject({
      status: 'OK',
      user: { loginMethods: [{ verified: false }] },
    });
    for (const [at, password] of [
      [1, 'password'],
      [3, 'password'],
      [4, 'password'],
    ] as const)
      expect((await signIn(at, password)).status).toBe('WRONG_CREDENTIALS_ERROR');
  });

  it('stops at a wrong answer that would fail most rows', async () => {
    const wrong = [
      ...['--map', 'id=Kundennr,email=E-Mail,hash=Status,verified=,createdAt=', '--ignore-rest'],
      ...['--ignore', 'Passwort'],
    ];
    const before = await cli.userCount();
    const flags = words`${wrong} --active everybody --yes --new --on-conflict skip --url ${cli.url}`;
    const { code, stderr } = await run('import', ...flags);
    expect([code, stderr]).toEqual([2, expect.stringContaining('2,000 of 2,000 rows would fail')]);
    expect(stderr).toContain('--accept-failures 2000');
    expect(await cli.userCount()).toBe(before);
    const accepted = await run('import', ...flags, '--accept-failures', '2000');
    expect(accepted.stderr).toContain('2,000 errors');
  });
});
