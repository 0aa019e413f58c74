import { chmodSync, chownSync, copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { postgresAccount } from '../../../src/embedded-postgres/account.ts';
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from '../../../src/embedded-postgres/start-embedded-postgres.ts';
import { type Certificate, type Certificates, makeCertificates } from '../../support/certificates.ts';
import { lacksMariadb, type MariadbServer, startMariadb } from '../../support/mariadb.ts';
import { opened, problemOf } from './read-all.ts';

let directory: string;
let certificates: Certificates;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'uic-tls-'));
  chmodSync(directory, 0o755);
  certificates = makeCertificates(join(directory, 'certificates'));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

type CertificateName = Exclude<keyof Certificates, 'ca' | 'anotherCa'>;
const NAMES: readonly CertificateName[] = ['good', 'ofAnotherHost', 'expired', 'ofAnotherCa', 'selfSigned'];
/** Certificates that pass a check of the CA only. */
const BY_CA = new Set<CertificateName>(['good', 'ofAnotherHost']);
const BY_CA_AND_HOST = new Set<CertificateName>(['good']);
const ANY = new Set(NAMES);
const NONE = new Set<CertificateName>();

/** Options of a URI, and the certificates that they accept. `CA` stands for the path of the CA. */
const OPTIONS: readonly [options: string, passing: ReadonlySet<CertificateName>][] = [
  ['', ANY],
  ['?sslmode=require', ANY],
  ['?sslrootcert=CA', BY_CA],
  ['?ssl-ca=CA', BY_CA],
  ['?sslmode=allow&sslrootcert=CA', BY_CA],
  ['?sslmode=prefer&sslrootcert=CA', BY_CA],
  ['?ssl-mode=PREFERRED&ssl-ca=CA', BY_CA],
  ['?sslmode=require&sslrootcert=CA', BY_CA],
  ['?ssl=true&sslrootcert=CA', BY_CA],
  ['?sslmode=no-verify&sslrootcert=CA', BY_CA],
  ['?sslmode=verify-ca&sslrootcert=CA', BY_CA],
  ['?ssl-mode=VERIFY_CA&ssl-ca=CA', BY_CA],
  ['?sslmode=verify-full&sslrootcert=CA', BY_CA_AND_HOST],
  ['?ssl=true&sslmode=verify-full&sslrootcert=CA', BY_CA_AND_HOST],
  ['?ssl-mode=VERIFY_IDENTITY&ssl-ca=CA', BY_CA_AND_HOST],
  ['?sslmode=verify-full', NONE],
  ['?sslrootcert=system', NONE],
  ['?sslmode=verify-full&sslrootcert=system', NONE],
];

/** Options that contradict each other, or that promise checks which are not made. */
const REFUSED: readonly [options: string, says: string][] = [
  ['?sslmode=require&sslrootcert=system', 'needs sslmode=verify-full'],
  ['?sslmode=verify-ca&sslrootcert=system', 'needs sslmode=verify-full'],
  ['?sslmode=prefer&sslrootcert=system', 'needs sslmode=verify-full'],
  ['?sslmode=disable&sslrootcert=CA', 'contradict'],
  ['?sslmode=verify-ca', 'needs a CA'],
  ['?sslmode=verify-full&sslrootcert=EMPTY', 'holds no certificate'],
  ['?sslrootcert=NONE', 'cannot be read (ENOENT)'],
  ['?sslrootcert=CA&ssl-ca=OTHER', 'different files'],
  ['?sslrootcrt=CA', 'its option sslrootcrt is unknown'],
  ['?tls=true', 'its option tls is unknown'],
  ['?useSSL=true&verifyServerCertificate=true', 'is unknown'],
  ['?sslaccept=strict', 'its option sslaccept is unknown'],
  ['?require_auth=scram-sha-256', 'its option requireauth is unknown'],
  ['?sslmode=verify-full&sslmode=disable', 'cannot be read'],
  ['?sslmode=toString', 'sslmode is disable'],
];

const filled = (options: string) =>
  options
    .replace('=CA', `=${encodeURIComponent(certificates.ca)}`)
    .replace('OTHER', encodeURIComponent(certificates.anotherCa))
    .replace('EMPTY', encodeURIComponent(join(directory, 'empty.pem')))
    .replace('NONE', encodeURIComponent(join(directory, 'none.pem')));

/** Tests for both kinds of database. */
function tests(uri: (options: string) => string, use: (certificate: Certificate) => Promise<void>): void {
  for (const name of NAMES)
    test(`the certificate ${name} is checked as the options require`, async () => {
      await use(certificates[name]);
      for (const [options, passing] of OPTIONS) {
        const problem = await problemOf(
          opened(uri(filled(options))).then(() => Promise.reject(new Connected())),
        ).catch((error) => (error instanceof Connected ? 'connected' : Promise.reject(error)));
        expect([options, problem]).toEqual([
          options,
          passing.has(name) ? 'connected' : expect.stringContaining('certificate is not trusted'),
        ]);
      }
    });

  test.each(REFUSED)('%s is refused', async (options, says) => {
    writeFileSync(join(directory, 'empty.pem'), '');
    expect(await problemOf(opened(uri(filled(options))))).toContain(says);
  });
}

class Connected extends Error {}

describe('PostgreSQL', () => {
  let postgres: EmbeddedPostgres;
  let account: Awaited<ReturnType<typeof postgresAccount>>;
  const [cert, key] = ['server.pem', 'server.key'];

  const put = (certificate: Certificate) => {
    copyFileSync(certificate.cert, join(directory, cert));
    copyFileSync(certificate.key, join(directory, key));
    chmodSync(join(directory, key), 0o600);
    if (account !== undefined) chownSync(join(directory, key), account.uid, account.gid);
  };

  beforeAll(async () => {
    account = await postgresAccount();
    put(certificates.good);
    postgres = await startEmbeddedPostgres({
      directory: join(directory, 'postgres'),
      settings: {
        fsync: 'off',
        ssl: 'on',
        ssl_cert_file: join(directory, cert),
        ssl_key_file: join(directory, key),
      },
    });
  });
  afterAll(() => postgres.stop());

  const uri = (options = '', user?: string) => {
    const url = new URL(postgres.uri);
    url.hostname = 'localhost';
    if (user !== undefined) [url.username, url.password] = user.split(':') as [string, string];
    return url.href + options;
  };
  const run = async (...statements: string[]) => {
    const client = new pg.Client({ connectionString: postgres.uri, ssl: false });
    await client.connect();
    for (const statement of statements) await client.query(statement);
    await client.end();
  };

  tests(uri, async (certificate) => {
    put(certificate);
    await run('select pg_reload_conf()', 'select pg_sleep(0.3)');
  });

  test('a CA can be named in the environment', async () => {
    put(certificates.ofAnotherCa);
    await run('select pg_reload_conf()', 'select pg_sleep(0.3)');
    for (const env of [
      { PGSSLROOTCERT: certificates.ca },
      { PGSSLROOTCERT: certificates.ca, PGSSLMODE: 'prefer' },
      { PGSSLROOTCERT: 'system' },
      { PGSSLMODE: 'verify-full' },
    ])
      expect(await problemOf(opened(uri(), { env }))).toContain('certificate is not trusted');
    await opened(uri('?sslmode=disable'), { env: { PGSSLROOTCERT: certificates.ca } });
    await opened(uri('?sslmode=require'), { env: { PGSSLROOTCERT: certificates.anotherCa } });
  });

  test('an IP address is checked against the certificate, as a name is', async () => {
    put(certificates.good);
    await run('select pg_reload_conf()', 'select pg_sleep(0.3)');
    const options = filled('?sslmode=verify-full&sslrootcert=CA');
    await opened(uri(options).replace('localhost', '127.0.0.1'));
    const other = uri(options).replace('localhost', '127.0.0.2');
    expect(await problemOf(opened(other))).toMatch(/certificate is not trusted|nothing listens there/);
  });

  test('the password is bound to the certificate', async () => {
    put(certificates.selfSigned);
    await run('select pg_reload_conf()', 'select pg_sleep(0.3)');
    await run("set password_encryption = 'md5'; create role old login password 'secret-word'");
    for (const options of ['', '?channel_binding=require', '?channel_binding=disable'])
      await opened(uri(options));
    await opened(uri('', 'old:secret-word')).catch(() => {});
    const refused = '?channel_binding=require';
    expect(await problemOf(opened(uri(`${refused}&sslmode=disable`)))).toContain('channel_binding=require');
    expect(await problemOf(opened(uri(refused, 'old:secret-word')))).toMatch(
      /channel_binding=require|password is wrong/,
    );
    expect(await problemOf(opened(uri('?channel_binding=maybe')))).toContain('channel_binding is disable');
  });
});

describe.skipIf(lacksMariadb)('MariaDB', () => {
  let server: MariadbServer;
  beforeAll(async () => {
    server = await startMariadb();
    await server.load('app', 'create table t (id int primary key)');
  });
  afterAll(() => server.stop());

  const uri = (options = '') => `mysql://root@localhost:${server.port}/app${options}`;
  tests(uri, (certificate) => server.useCertificate(certificate));

  test('a certificate for localhost is not valid for an IP address', async () => {
    await server.useCertificate(certificates.good);
    const options = filled('?ssl-mode=verify_identity&ssl-ca=CA');
    expect(await problemOf(opened(uri(options).replace('localhost', '127.0.0.1')))).toContain(
      'certificate is not trusted for an IP address',
    );
    await opened(uri(filled('?ssl-ca=CA')).replace('localhost', '127.0.0.1'));
  });
});
