import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { Database } from '../../src/postgres/client/database.ts';
import { applyMigrations, readMigrations } from '../../src/postgres/migrate/apply-migrations.ts';
import { POSTGRES_PROGRAMS, startPostgres } from '../sources/writers/postgres-server.ts';
import { createTestApp } from '../support/app.ts';
import { BCRYPT, OTHER_BCRYPT } from '../support/example-hashes.ts';
import { importWithId, rolledBack } from '../support/import-calls.ts';
import { installed } from '../support/installed.ts';

/** A backup as docs/operating.md describes it, with the programs of Debian. */
it.skipIf(installed('pg_restore') === undefined && process.env.CI === undefined)(
  'a database that was restored from pg_dump signs users in, and resumes and undoes the import',
  async () => {
    const server = await startPostgres();
    onTestFinished(() => server.stop());
    const uriOf = (name: string) => `postgresql://postgres@127.0.0.1:${server.port}/${name}`;
    const run = (program: string, ...args: string[]) =>
      execFileSync(join(POSTGRES_PROGRAMS, program), args, { stdio: ['ignore', 'ignore', 'pipe'] });
    const address = ['-h', '127.0.0.1', '-p', String(server.port), '-U', 'postgres'];
    const serviceOn = async (name: string) => {
      const db = new Database({ uri: uriOf(name), size: 5, timeoutMs: 10_000, onIdleError: () => {} });
      await applyMigrations(db, readMigrations());
      const service = await createTestApp({
        database: { uri: uriOf(name), db, drop: () => db.close() },
        stagedWaits: true,
      });
      onTestFinished(() => service.close());
      return service;
    };
    const lines = [
      { email: 'a@b.c', passwordHash: BCRYPT.hash },
      { email: 'b@b.c', passwordHash: OTHER_BCRYPT.hash, userMetadata: { n: 1 } },
    ];

    run('createdb', ...address, 'kept');
    const before = await serviceOn('kept');
    await importWithId(before, 'it', lines);
    const dump = join(server.directory, 'users.dump');
    run('pg_dump', '--format=custom', `--file=${dump}`, uriOf('kept'));
    run('createdb', ...address, 'restored');
    run('pg_restore', '--no-owner', `--dbname=${uriOf('restored')}`, dump);

    const after = await serviceOn('restored');
    const tables = await before.database.db.query<{ name: string }>(
      "select quote_ident(table_name) as name from information_schema.tables where table_schema = 'public' order by 1",
    );
    expect(tables.length).toBeGreaterThan(10);
    for (const { name } of tables) {
      const rows = (service: typeof before) =>
        service.database.db.query(`select t::text as row from ${name} t order by 1`);
      expect(await rows(after), name).toEqual(await rows(before));
    }
    const signIn = async (email: string, password: string) =>
      (await after.send('POST', '/recipe/signin', { email, password })).body.status;
    expect(await signIn('a@b.c', BCRYPT.password)).toBe('OK');
    expect(await signIn('b@b.c', 'wrong')).toBe('WRONG_CREDENTIALS_ERROR');

    await importWithId(after, 'it', [...lines, { email: 'c@b.c', passwordHash: BCRYPT.hash }]);
    expect((await after.send('GET', '/users/count')).body.count).toBe(3);
    expect((await before.send('GET', '/users/count')).body.count).toBe(2);
    expect(await rolledBack(after, 'it')).toEqual({ usersRemoved: 2, usersKept: 1 });
  },
);
