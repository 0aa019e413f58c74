import { afterAll, beforeAll, beforeEach } from 'vitest';
import { createTestApp, type TestApp } from '../support/app.ts';
import { type Finished, runCli, scratch } from './command-line.ts';

/** A running service for the tests of a file, and a directory for each test. */
export interface ImportSetup {
  readonly service: TestApp;
  readonly url: string;
  readonly directory: string;
  /** Imports a file into the service, without confirmation. */
  importing(file: string, ...more: string[]): Promise<Finished>;
  userCount(): Promise<number>;
}

export function useImportSetup(): ImportSetup {
  let service: TestApp;
  let url: string;
  let directory: string;
  beforeAll(async () => {
    service = await createTestApp();
    url = await service.app.listen({ port: 0, host: '127.0.0.1' });
  });
  afterAll(() => service.close());
  beforeEach(() => {
    directory = scratch();
  });
  return {
    get service() {
      return service;
    },
    get url() {
      return url;
    },
    get directory() {
      return directory;
    },
    importing: (file, ...more) =>
      runCli(['import', file, '--url', url, '--yes', '--json', '--retry-for', '2s', ...more]),
    userCount: async () => (await service.send('GET', '/users/count')).body.count,
  };
}
