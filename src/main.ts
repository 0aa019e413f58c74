import { closeSync, openSync, readFileSync } from 'node:fs';
import { readConfig } from './config/read-config.ts';
import { hasEmbeddedPostgres } from './embedded-postgres/start-embedded-postgres.ts';
import { createLogger } from './lib/log.ts';
import { readMigrations } from './postgres/migrate/apply-migrations.ts';
import { configOrExit, fail } from './service/exit.ts';
import { reloadKeys } from './service/reload-keys.ts';
import { apiKeyFile, type Service, startService } from './service/start.ts';

const readConfiguration = () => readConfig(process.env, { embeddedPostgres: hasEmbeddedPostgres() });
const { config, warnings } = configOrExit(readConfiguration());
const logger = createLogger(config.log_level);
for (const warning of warnings) logger.warn(warning);
const { version }: { version: string } = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
);

let service: Service | undefined;
let stoppingSinceMs: number | undefined;

/** Port at which the command line expects the service by default. */
const CLI_PORT = '3567';

// Time within which a second signal is ignored. The terminal sends Ctrl-C to npm and to this process, and npm sends it
// on, so that this process gets it twice.
const SAME_SIGNAL_MS = 500;

async function stop(exitCode: number): Promise<void> {
  stoppingSinceMs = performance.now();
  await service?.stop();
  logger.info('stopped');
  process.exit(exitCode);
}

async function onSignal(signal: NodeJS.Signals): Promise<void> {
  // A second signal ends the process at once, as does any signal before the service is started.
  if (stoppingSinceMs !== undefined) {
    if (performance.now() - stoppingSinceMs < SAME_SIGNAL_MS) return;
    process.exit(1);
  }
  if (service === undefined) process.exit(0);
  logger.info({ signal }, 'stopping');
  await stop(0);
}
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, onSignal);

/** Returns whether this process has a controlling terminal. After the terminal was closed, it has none. */
function hasTerminal(): boolean {
  try {
    closeSync(openSync('/dev/tty', 'r'));
    return true;
  } catch {
    return false;
  }
}
const hadTerminal = hasTerminal();
process.on('SIGHUP', (signal) => {
  // SIGHUP means that the terminal was closed, or that the API keys must be read again.
  if (hadTerminal && !hasTerminal()) void onSignal(signal);
  else if (service === undefined) logger.warn('SIGHUP is ignored until the service has started');
  else if (stoppingSinceMs === undefined) reloadKeys(service, config, readConfiguration(), logger);
});

/** Shows an API key only in a terminal: other output may be kept by a supervisor or a container engine. */
const shownKey = (key: string) =>
  `${process.stderr.isTTY ? `${key}, ` : ''}in ${apiKeyFile(config.embedded_postgres_dir)}`;

async function onFatal(error: Error): Promise<void> {
  if (stoppingSinceMs !== undefined) return;
  logger.fatal({ err: error }, 'cannot go on');
  process.stderr.write(`Cannot go on: ${error.message}\n`);
  await stop(1);
}

// Messages for the person who started the service are written to stderr, outside the log.
if (config.postgresql_connection_uri === undefined)
  process.stderr.write(`  starting embedded PostgreSQL in ${config.embedded_postgres_dir} …\n`);
try {
  service = await startService({ config, logger, migrations: readMigrations(), version, onFatal });
} catch (error) {
  logger.fatal({ err: error }, 'cannot start');
  fail(`Cannot start: ${error instanceof Error ? error.message : 'unknown error'}`);
}
logger.info({ url: service.url, version, startMs: Math.round(performance.now()) }, 'ready');
if (service.embedded !== undefined) {
  const { directory, relocated } = service.embedded;
  process.stderr.write(
    [
      '',
      `  user-import-core ${version} listens on ${service.url}`,
      `  page:     ${service.url}/imports`,
      `  API:      ${service.url}/docs`,
      `  database: embedded PostgreSQL, kept in ${directory}`,
      ...(relocated
        ? [`            (${config.embedded_postgres_dir} cannot be reached by the user it runs as)`]
        : []),
      ...(service.createdKey === undefined ? [] : [`  api-key:  ${shownKey(service.createdKey)}`]),
      '  For development. In production set POSTGRESQL_CONNECTION_URI and API_KEYS.',
      '  Next: npx user-import inspect FILE shows what an export contains, and sends nothing.',
      ...(new URL(service.url).port === CLI_PORT
        ? []
        : [`  The commands after it need the address: export USER_IMPORT_URL=${service.url}`]),
      '',
    ].join('\n'),
  );
}
