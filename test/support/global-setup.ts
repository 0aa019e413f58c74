import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { startEmbeddedPostgres } from '../../src/embedded-postgres/start-embedded-postgres.ts';
import { closeTemplate, workersOf } from './citus.ts';
import { createNodeDatabase } from './create-node-database.ts';
import { dropDatabase } from './nodes.ts';

/** Where Docker listens unless DOCKER_HOST says otherwise. */
const DOCKER_SOCKET = '/var/run/docker.sock';

/** Fast and not durable: tests of durability start a server of their own. */
const FAST = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', max_connections: '200' };

interface Server {
  kind: string;
  uri: string;
  /** Of the nodes that a database is made on: this one, and under Citus those that keep the rows. */
  nodes: string[];
  stop(): Promise<void>;
}

/**
 * One Postgres for the whole run: `TEST_POSTGRES_URL`, else a container where a Docker engine answers, else the embedded
 * binaries. On it, one migrated template database that each test file copies.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await startServer(process.env);
  process.stderr.write(`test database: ${server.kind}\n`);
  const template = `uic_template_${process.pid}`;
  await createNodeDatabase(server.nodes, template);
  if (server.nodes.length > 1) await closeTemplate(server.nodes, template);
  project.provide('postgres', { uri: server.uri, template, nodes: server.nodes });
  const directory = await mkdtemp(join(tmpdir(), 'uic-compiled-once-'));
  project.provide('compiled', { directory });
  return async () => {
    await rm(directory, { recursive: true });
    await dropDatabase(server.nodes, template);
    await server.stop();
  };
}

async function startServer(env: NodeJS.ProcessEnv): Promise<Server> {
  if (env.TEST_CITUS_URL) {
    const nodes = [env.TEST_CITUS_URL, ...(await workersOf(env.TEST_CITUS_URL))];
    return { kind: 'TEST_CITUS_URL', uri: env.TEST_CITUS_URL, nodes, stop: async () => {} };
  }
  process.stderr.write('TEST_CITUS_URL is not set: nothing is tested on Citus\n');
  if (env.TEST_POSTGRES_URL) {
    const uri = env.TEST_POSTGRES_URL;
    return { kind: 'TEST_POSTGRES_URL', uri, nodes: [uri], stop: async () => {} };
  }
  const container = env.DOCKER_HOST || existsSync(DOCKER_SOCKET) ? await startContainer() : undefined;
  return container ?? startEmbedded();
}

/** Returns undefined where no Docker engine answers, or it has no image and cannot fetch one. */
async function startContainer(): Promise<Server | undefined> {
  const { PostgreSqlContainer } = await import('@testcontainers/postgresql');
  try {
    const container = await new PostgreSqlContainer('postgres:17-alpine')
      .withCommand([
        'postgres',
        ...Object.entries(FAST).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
      ])
      .start();
    const uri = container.getConnectionUri();
    return {
      kind: 'testcontainers, postgres:17-alpine',
      uri,
      nodes: [uri],
      stop: async () => void (await container.stop()),
    };
  } catch (error) {
    process.stderr.write(`no container (${error instanceof Error ? error.message : error}); `);
    return undefined;
  }
}

async function startEmbedded(): Promise<Server> {
  const directory = await mkdtemp(join(tmpdir(), 'uic-test-'));
  const postgres = await startEmbeddedPostgres({ directory: join(directory, 'postgres'), settings: FAST });
  return {
    kind: 'embedded PostgreSQL',
    uri: postgres.uri,
    nodes: [postgres.uri],
    async stop() {
      await postgres.stop();
      await rm(directory, { recursive: true, force: true });
      if (postgres.relocated) await rm(postgres.directory, { recursive: true, force: true });
    },
  };
}

declare module 'vitest' {
  interface ProvidedContext {
    postgres: { uri: string; template: string; nodes: string[] };
    /** Where test files find the compiled service, or leave it to the others. */
    compiled: { directory: string };
  }
}
