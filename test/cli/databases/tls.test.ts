import { chmodSync, chownSync, copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { postgresAccount } from '../../../src/embedded-postgres/account.ts';
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from '../../../src/embedded-postgres/start-embedded-postgres.ts';
import { type Certificate, type Certificates, makeCertificates } from '../../support/certificates.ts';
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
const BY_CA_AND_HOST = new Set<CertificateName>(['good']);
const ANY = new Set(NAMES);
const NONE = new Set<CertificateName>();

/** Options of a URI, and the certificates that they accept. `CA` stands for the path of the CA. */
const OPTIONS: readonly [options: string, passing: ReadonlySet<CertificateName>][] = [
  ['', ANY],
  ['?sslmode=no-verify', ANY],
  ['?sslmode=disable', ANY],
  ['?sslrootcert=CA', BY_CA_AND_HOST],
  ['?sslmode=allow&sslrootcert=CA', BY_CA_AND_HOST],
  ['?sslmode=prefer&sslrootcert=CA', BY_CA_AND_HOST],
  ['?sslmode=require&sslrootcert=CA&channel_binding=require', BY_CA_AND_HOST],
  ['?sslmode=verify-ca&sslrootcert=CA', BY_CA_AND_HOST],
  ['?sslmode=verify-full&sslrootcert=CA', BY_CA_AND_HOST],
  ['?sslmode=require', NONE],
  ['?sslmode=verify-full', NONE],
];

/** Options that contradict each other, or that promise checks which are not made. */
const REFUSED: readonly [options: string, says: string][] = [
  ['?sslrootcert=NONE', 'cannot be read (ENOENT)'],
  ['?sslrootcrt=CA', 'its option sslrootcrt is unknown'],
  ['?tls=true', 'its option tls is unknown'],
  ['?ssl=true', 'its option ssl is unknown'],
  ['?sslaccept=strict', 'its option sslaccept is unknown'],
  ['?require_auth=scram-sha-256', 'its option require_auth is unknown'],
  ['?host=localhost&host=192.0.2.1', 'its option host is given twice'],
  ['?sslmode=toString', 'sslmode is verify-full'],
  ['?sslmode=disable&channel_binding=require', 'needs sslmode=verify-full'],
];

const filled = (options: string) =>
  options
    .replace('=CA', `=${encodeURIComponent(certificates.ca)}`)
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
    for (const env of [{ PGSSLROOTCERT: certificates.ca }, { PGSSLMODE: 'verify-full' }])
      expect(await problemOf(opened(uri(), { env }))).toContain('certificate is not trusted');
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
    expect(await problemOf(opened(uri('?sslmode=verify-full')))).toContain('certificate is not trusted');
    vi.unstubAllEnvs();
    await opened(uri('?sslmode=disable'), { env: { PGSSLROOTCERT: certificates.ca } });
    await opened(uri(), { env: { PGSSLROOTCERT: certificates.anotherCa } });
  });

  test('an IP address is checked against the certificate, as a name is', async () => {
    put(certificates.good);
    await run('select pg_reload_conf()', 'select pg_sleep(0.3)');
    const options = filled('?sslmode=verify-full&sslrootcert=CA');
    await opened(uri(options).replace('localhost', '127.0.0.1'));
    const other = uri(options).replace('localhost', '127.0.0.2');
    expect(await problemOf(opened(other))).toMatch(/certificate is not trusted|nothing listens there/);
  });
});
