import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdtemp, rename, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { TestProject } from 'vitest/node';
import { startEmbeddedPostgres } from '../../src/embedded-postgres/start-embedded-postgres.ts';
import { closeTemplate, workersOf } from './citus.ts';
import { createNodeDatabase } from './create-node-database.ts';
import { dropDatabase } from './nodes.ts';
import { scratchDirectory } from './scratch.ts';

const PROJECT = join(import.meta.dirname, '../..');

/** Socket of Docker, unless DOCKER_HOST names another. */
const DOCKER_SOCKET = '/var/run/docker.sock';

/** Settings for speed instead of durability. Tests of durability start their own server. */
const FAST = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  max_wal_size: '128MB',
  max_connections: '200',
};

interface Server {
  kind: string;
  uri: string;
  /** Nodes on which a database is created: this one, and with Citus its workers. */
  nodes: string[];
  stop(): Promise<void>;
}

/**
 * Starts one Postgres for the whole run: `TEST_POSTGRES_URL`, or a container if a Docker engine answers, or
 * the embedded binaries. Creates one migrated template database on it, which test files copy.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  // First, because code that does not compile ends the run here.
  const directory = await mkdtemp(join(tmpdir(), 'uic-compiled-'));
  await compileInto(directory);
  const server = await startServer(process.env);
  process.stderr.write(`test database: ${server.kind}\n`);
  const template = `uic_template_${process.pid}`;
  await createNodeDatabase(server.nodes, template);
  if (server.nodes.length > 1) await closeTemplate(server.nodes, template);
  project.provide('postgres', { uri: server.uri, template, nodes: server.nodes });
  project.provide('compiled', { directory });
  // The processes of the tests inherit this (src/hashing/process/hashing-processes.ts).
  process.env.COMPILED_HASHING_PROCESS = join(directory, 'dist/hashing/process');
  return async () => {
    await rm(directory, { recursive: true });
    await dropDatabase(server.nodes, template);
    await server.stop();
  };
}

/**
 * Compiles the service once for all test files, with the layout of an installation, and beside it the scripts of
 * tests that run as processes.
 */
async function compileInto(directory: string): Promise<void> {
  const tsc = join(PROJECT, 'node_modules/typescript/bin/tsc');
  const config = join(import.meta.dirname, 'tsconfig.compiled.json');
  await promisify(execFile)(process.execPath, [tsc, '-p', config, '--outDir', directory]);
  await rename(join(directory, 'src'), join(directory, 'dist'));
  // The scripts import the service by the layout of the project.
  await symlink('dist', join(directory, 'src'));
  await cp(join(PROJECT, 'package.json'), join(directory, 'package.json'));
  await cp(join(PROJECT, 'migrations'), join(directory, 'migrations'), { recursive: true });
  await symlink(join(PROJECT, 'node_modules'), join(directory, 'node_modules'));
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

/** Returns undefined if no Docker engine answers, or if the image is missing and cannot be pulled. */
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
  const scratch = await scratchDirectory();
  const postgres = await startEmbeddedPostgres({ directory: scratch.path, settings: FAST });
  return {
    kind: 'embedded PostgreSQL',
    uri: postgres.uri,
    nodes: [postgres.uri],
    async stop() {
      await postgres.stop();
      await scratch.remove();
    },
  };
}

declare module 'vitest' {
  interface ProvidedContext {
    postgres: { uri: string; template: string; nodes: string[] };
    /** Directory with the compiled service. Test files that change it take a copy. */
    compiled: { directory: string };
  }
}
