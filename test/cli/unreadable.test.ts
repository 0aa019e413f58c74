import { expect, it } from 'vitest';
import { BCRYPT, readNdjson, runCli, scratchFile as write } from './command-line.ts';

const convert = (file: string, ...flags: string[]) =>
  runCli(['convert', file, '--active', 'everybody', '--ignore-rest', ...flags]);
const loginsOf = ({ stdout }: { stdout: string }) =>
  readNdjson(stdout).map(({ loginMethods }) => (loginMethods as Record<string, unknown>[])[0]);

/** A German table of customers, as a shop exports it. */
const customers = () =>
  write(
    'kunden.csv',
    [
      'Kundennr;E-Mail;Passwort;Bestätigt;Angelegt;Geburtstag',
      ...['ja', 'nein', 'ja'].map(
        (word, at) => `${at};kunde${at}@example.de;${BCRYPT};${word};${at + 1}.12.2019 13:45;01.02.1980`,
      ),
    ].join('\r\n'),
  );
const MAP = ['--map', 'id=Kundennr,email=E-Mail,hash=Passwort,verified=Bestätigt,createdAt=Angelegt'];

it('values of named columns that cannot be read stop the import', async () => {
  const stopped = await convert(customers(), ...MAP);
  expect([stopped.code, stopped.stdout]).toEqual([2, '']);
  expect(stopped.stderr).toContain('Bestätigt: ja 2, nein 1');
  expect(stopped.stderr).toContain('Angelegt: 1.12.2019 13:45 1, 2.12.2019 13:45 1');
  expect(stopped.stderr).not.toContain('Geburtstag');
  const words = await convert(customers(), ...MAP, '--true', 'ja,oui');
  expect(words.stderr).toContain('Angelegt: ');
  expect(words.stderr).not.toContain('Bestätigt');
});

it('--true and --date-format say what they mean', async () => {
  const flags = [...MAP, '--true', 'Ja,oui', '--date-format', 'DD.MM.YYYY HH:mm'];
  expect(loginsOf(await convert(customers(), ...flags))).toMatchObject([
    { isVerified: true, timeJoinedInMSSinceEpoch: Date.UTC(2019, 11, 1, 13, 45) },
    { isVerified: false, timeJoinedInMSSinceEpoch: Date.UTC(2019, 11, 2, 13, 45) },
    { isVerified: true, timeJoinedInMSSinceEpoch: Date.UTC(2019, 11, 3, 13, 45) },
  ]);
  const without = await convert(customers(), '--map', 'email=E-Mail,hash=Passwort,verified=,createdAt=');
  expect([without.code, loginsOf(without).length]).toEqual([0, 3]);
});

it('empty values, and what databases write for them, are read', async () => {
  const cells = ['', 'NULL', '0000-00-00 00:00:00', '0', '1969-12-31', '2020-01-01'];
  const rows = cells.map((cell, at) => `${at},u${at}@example.com,${BCRYPT},${cell},${cell}`);
  const file = write('people.csv', ['id,email,hash,verified,created_at', ...rows].join('\n'));
  const { code, stdout } = await convert(file);
  expect(code).toBe(0);
  expect(loginsOf({ stdout }).map((login) => login?.isVerified)).toEqual([
    false,
    false,
    false,
    false,
    false,
    true,
  ]);
});

it('an unknown format is refused, and so are the flags for a known system', async () => {
  expect((await convert(customers(), ...MAP, '--date-format', 'DD.MM.YY')).stderr).toContain(
    '--date-format DD.MM.YY: expected ms, s, excel, or a format such as',
  );
  const laravel = write(
    'users.csv',
    `id,name,email,email_verified_at,password,remember_token,created_at,updated_at\n1,N,a@x.org,,${BCRYPT},t,2024-01-01,2024-01-01\n`,
  );
  const { stderr } = await runCli(['convert', laravel, '--date-format', 'ms']);
  expect(stderr).toContain('--date-format is not for exports of Laravel');
});
