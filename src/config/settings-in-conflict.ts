import { argon2Ms, bcryptMs } from '../hashing/reference-cost.ts';
import { decodeBase64 } from '../lib/text/base64.ts';
import type { Machine } from './machine.ts';
import { namedKeys } from './named-keys.ts';
import type { Config } from './schema.ts';

/** Checks that need more than one setting, or more than a type. Returns sentences, none of which shows a value. */
export function settingsInConflict(config: Config, machine: Machine): string[] {
  const problems: string[] = [];
  const check = (holds: boolean, problem: string) => {
    if (!holds) problems.push(problem);
  };

  const hasDatabase = config.postgresql_connection_uri !== undefined;
  check(
    hasDatabase || machine.embeddedPostgres,
    'postgresql_connection_uri: is required, set POSTGRESQL_CONNECTION_URI (this installation has no embedded database)',
  );
  check(
    !hasDatabase || URL.canParse(config.postgresql_connection_uri ?? ''),
    'postgresql_connection_uri: must be a URI such as postgresql://user:password@host:5432/database',
  );
  check(
    config.api_keys !== undefined || (!hasDatabase && machine.embeddedPostgres),
    'api_keys: is required, set API_KEYS (only the embedded database makes a key of its own)',
  );
  const keyNames = config.api_keys === undefined ? [] : namedKeys(config.api_keys).map(({ name }) => name);
  check(
    new Set(keyNames).size === keyNames.length,
    'api_keys: two keys have one name (keys without a name are called by their place: key-1, key-2)',
  );
  const signerKey = config.external_password_hashing_signer_key;
  const decoded = signerKey === undefined ? undefined : decodeBase64(signerKey, 'lenient');
  if (decoded !== undefined && 'problem' in decoded) {
    problems.push(`external_password_hashing_signer_key: ${decoded.problem}`);
  }

  const freeThreads = machine.threadPoolSize - 2;
  check(
    config.hashing_concurrency <= Math.max(1, freeThreads),
    `hashing_concurrency: is above the ${freeThreads} threads that may hash; set UV_THREADPOOL_SIZE to at least 2 more than it`,
  );

  const { argon2_memory_kb: memoryKb, argon2_max_memory_kb: maxMemoryKb } = config;
  check(
    memoryKb >= 8 * config.argon2_parallelism,
    'argon2_memory_kb: must be at least 8 times argon2_parallelism',
  );
  check(memoryKb <= maxMemoryKb, 'argon2_memory_kb: must not be above argon2_max_memory_kb');
  check(memoryKb <= config.hashing_memory_mb * 1024, 'argon2_memory_kb: must fit in hashing_memory_mb');
  check(
    config.argon2_iterations <= config.argon2_max_iterations,
    'argon2_iterations: must not be above argon2_max_iterations',
  );
  check(
    config.argon2_parallelism <= config.argon2_max_parallelism,
    'argon2_parallelism: must not be above argon2_max_parallelism',
  );
  check(
    config.bcrypt_log_rounds <= config.bcrypt_max_cost,
    'bcrypt_log_rounds: must not be above bcrypt_max_cost',
  );
  const isBcrypt = config.password_hashing_alg === 'BCRYPT';
  const ownMs = isBcrypt
    ? bcryptMs(config.bcrypt_log_rounds)
    : argon2Ms({
        memoryKb,
        iterations: config.argon2_iterations,
        parallelism: config.argon2_parallelism,
      });
  check(
    ownMs <= config.hashing_max_ms,
    `${isBcrypt ? 'bcrypt_log_rounds' : 'argon2_memory_kb'}: a password set here would take longer than hashing_max_ms, by the reference table (docs/hash-formats.md)`,
  );
  return problems;
}
