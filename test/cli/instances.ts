import { afterAll, beforeAll, beforeEach } from 'vitest';
import { createTestApp, type TestApp } from '../support/app.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { scratch } from './command-line.ts';

/** A user as callers see it, without the ids that each import generates. */
type Seen = string;

/** Instances of a service on one database, for the tests of a file. */
export interface Instances {
  readonly urls: readonly string[];
  readonly services: readonly TestApp[];
  /** Value of `--url`: all addresses. */
  readonly url: string;
  /** Directory of the current test. */
  readonly directory: string;
  userCount(): Promise<number>;
  /** Returns all users, sorted. */
  users(): Promise<Seen[]>;
}

/** Starts an instance on a database that outlives it. */
export const anInstance = (database: TestDatabase, config: { bulk_import_connections?: number } = {}) =>
  createTestApp({ config, database: { ...database, drop: async () => {} } });

export function useInstances(count: number): Instances {
  let database: TestDatabase;
  let directory: string;
  const services: TestApp[] = [];
  const urls: string[] = [];
  beforeAll(async () => {
    database = await createTestDatabase();
    for (let index = 0; index < count; index += 1) {
      const service = await anInstance(database);
      services.push(service);
      urls.push(await service.app.listen({ port: 0, host: '127.0.0.1' }));
    }
  });
  afterAll(async () => {
    for (const service of services) await service.close();
    await database.drop();
  });
  beforeEach(() => {
    directory = scratch();
  });
  const ask = async (url: string) => (await services[0]?.send('GET', url))?.body;
  return {
    urls,
    services,
    get url() {
      return urls.join(',');
    },
    get directory() {
      return directory;
    },
    userCount: async () => (await ask('/users/count'))?.count ?? 0,
    async users() {
      const seen: Seen[] = [];
      for (let token: string | undefined; ; ) {
        const page = await ask(`/users?limit=500${token === undefined ? '' : `&paginationToken=${token}`}`);
        seen.push(...(page?.users ?? []).map(seenOf));
        token = page?.nextPaginationToken;
        if (token === undefined) return seen.sort();
      }
    },
  };
}

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g;

const seenOf = (user: object): Seen => JSON.stringify(user).replace(UUID, 'an id');
