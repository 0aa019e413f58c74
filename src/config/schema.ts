import { type Static, type TInteger, type TSchema, Type } from '@sinclair/typebox';
import type { WholeNumberSetting } from '../hashing/algorithm.ts';
import { type AlgorithmSetting, LIMITS, OWN_ALGORITHMS, OWN_SETTINGS } from '../hashing/registry.ts';
import { UPGRADE_POLICIES } from '../hashing/upgrade-policy.ts';

/** Documentation of a setting, beside its type and limits. */
interface SettingNotes {
  description: string;
  /** Finishes "must be …" where the type alone does not say it. */
  expects?: string;
  /** Never shown; may also be read from the file that `<NAME>_FILE` names. */
  secret?: boolean;
  /** Another name of the setting, in the file and (upper-cased) in the environment. */
  alias?: string;
  /** How the documentation words a default that the machine decides. */
  defaultText?: string;
}

const integer = (minimum: number, maximum: number, standard: number | undefined, notes: SettingNotes) =>
  Type.Integer({ minimum, maximum, ...(standard === undefined ? {} : { default: standard }), ...notes });
const text = (standard: string, notes: SettingNotes) =>
  Type.String({ minLength: 1, default: standard, ...notes });
const flag = (standard: boolean, notes: SettingNotes) => Type.Boolean({ default: standard, ...notes });
const choice = <const T extends string>(values: readonly T[], standard: T, notes: SettingNotes) =>
  Type.Union(
    values.map((value) => Type.Literal(value)),
    { default: standard, choices: values, ...notes },
  );

/**
 * Settings that the hash algorithms declare. The type claims that each call returns all of them, which is true only of the two calls in
 * the schema together. There are two calls because the documentation lists settings in the order of the schema.
 */
const ofAlgorithms = (settings: readonly [string, WholeNumberSetting][]) =>
  Object.fromEntries(
    settings.map(([name, { min, max, default: standard, description }]) => [
      name,
      integer(min, max, standard, { description }),
    ]),
  ) as Record<AlgorithmSetting, TInteger>;

/** A key with its name or without. */
const API_KEY = '\\s*([A-Za-z0-9_-]{1,32}:)?[A-Za-z0-9=-]{20,}\\s*';

/**
 * Every setting: its type, default, limits and documentation. The environment variable of a setting is its
 * upper-cased name. docs/configuration.md and config.yaml.example are made from this table (a test compares them).
 */
export const ConfigSchema = Type.Object(
  {
    port: integer(0, 65_535, 3567, { description: 'TCP port to listen on. 0 takes a free port.' }),
    host: text('localhost', {
      description: 'Address to listen on. The container image sets `0.0.0.0`.',
    }),
    api_keys: Type.Optional(
      Type.String({
        pattern: `^${API_KEY}(,${API_KEY})*$`,
        expects:
          'keys separated by commas, each at least 20 of A-Z a-z 0-9 = -, with or without a name before it (name:key)',
        description:
          'API keys that callers send in the `api-key` header, separated by commas. Several keys allow rotation. A key may have a name of 1 to 32 of `A-Z a-z 0-9 _ -`, which records of imports show and callers do not send: `migration:<key>,ops:<key>`. A key without a name is called by its position, `key-1`. Required, except with the embedded database, which creates a key once, stores it in `<directory>.api-key`, and shows it at start on a terminal. Keys from examples, such as `replace-me-…`, are refused.',
        secret: true,
      }),
    ),
    external_password_hashing_signer_key: Type.Optional(
      Type.String({
        minLength: 1,
        description:
          'The `base64_signer_key` of the exporting system. Required to import and verify `external_scrypt` hashes.',
        expects: 'base64',
        secret: true,
        alias: 'firebase_password_hashing_signer_key',
      }),
    ),
    hashing_secrets: Type.Optional(
      Type.Array(
        // The form that read-hashing-secrets.ts returns.
        Type.Object({
          id: Type.String(),
          algorithm: Type.Optional(Type.String()),
          algorithms: Type.Optional(Type.Array(Type.String())),
          secret_base64: Type.String(),
        }),
        {
          description:
            'Secrets that imported hashes were made with: peppers, site keys, further signer keys. Requests name a secret by its `id` (`hashingSecretId`), which has 1 to 64 of `A-Z a-z 0-9 . _ -`. The secret is text (`secret`), base64 (`secret_base64`), or the name of a text file (`secret_file`). It serves only the families in `algorithms`. `algorithm` makes it the default of that family. In the environment the list is JSON or YAML. See docs/hash-reference.md for rotation.',
          expects: 'a list of {id, algorithms (a list) or algorithm, secret or secret_base64 or secret_file}',
          secret: true,
        },
      ),
    ),
    postgresql_connection_uri: Type.Optional(
      Type.String({
        pattern: '^postgres(ql)?://',
        expects: 'a URI such as postgresql://user:password@host:5432/database',
        description: 'Postgres (14 or later) that stores the users. If unset, the embedded database is used.',
        secret: true,
      }),
    ),
    postgresql_connection_pool_size: integer(1, 1000, 10, {
      description:
        'Maximum number of connections to Postgres of this instance, without those of bulk imports.',
    }),
    bulk_import_connections: integer(1, 100, 4, {
      description:
        'Connections for bulk imports, in addition to the pool. One more serves rollbacks and staged users. This is also the maximum number of concurrent streams, and of concurrent uploads of staged users; further callers get 503.',
    }),
    bulk_import_max_line_bytes: integer(1024, 1_048_576, 65_536, {
      description: 'Maximum size of a line of a bulk import, and of a staged user, in bytes.',
    }),
    import_undo_days: integer(1, 3650, 30, {
      description:
        'Number of days in which a bulk import can be rolled back or resumed. After that, everything it replaced is deleted, including old password hashes.',
    }),
    page_enabled: flag(true, {
      description:
        'Serves the page `/imports`, which shows imports and rolls them back. The page itself needs no key; its calls use the API key that the user types in.',
    }),
    embedded_postgres_dir: text('./.data/postgres', {
      description:
        'Directory of the embedded database. As root, the service uses another directory, and says so at start, if the user `nobody` cannot reach this one.',
    }),
    migrate_on_start: flag(true, {
      description:
        'Updates the database schema at start. With `false`, run `npm run migrate` before the start.',
    }),
    database_wait_ms: integer(0, 600_000, 30_000, {
      description: 'Milliseconds that the start waits for Postgres before it fails.',
    }),
    password_hashing_alg: choice(
      OWN_ALGORITHMS.map(({ name }) => name.toUpperCase()),
      'ARGON2',
      { description: 'Algorithm for passwords that are set through this service. ARGON2 is argon2id.' },
    ),
    password_upgrade: choice(UPGRADE_POLICIES, 'weak', {
      description:
        'Imported hashes that the service replaces when their users sign in. `weak`: those of the classes legacy and broken. `outdated`: all that differ from the hashes of new passwords. A hash stays if replacing it would change which passwords work (docs/hash-reference.md).',
    }),
    wrap_weak_hashes: flag(false, {
      description:
        'Hashes the imported hashes of class broken once more with argon2id, in the background, so that the database keeps no bare MD5. Wrapped hashes are verified as before, and upgraded when their users sign in.',
    }),
    ...ofAlgorithms(OWN_SETTINGS),
    ...ofAlgorithms(LIMITS),
    hashing_concurrency: integer(1, 1022, undefined, {
      description:
        'Maximum number of password hashes computed at the same time. Most take a thread of the libuv pool, of which two stay free for files and DNS: raise UV_THREADPOOL_SIZE with it.',
      defaultText: 'the number of cores, as far as the thread pool goes',
    }),
    hashing_memory_mb: integer(1, 1_048_576, undefined, {
      description: 'Maximum memory in MiB of all password hashes that are computed at the same time.',
      defaultText: 'a quarter of the memory, or of the limit of the container',
    }),
    hashing_max_ms: integer(10, 600_000, 2000, {
      description:
        'Maximum milliseconds to verify one password hash, by the reference table of docs/hash-reference.md and not by the speed of this machine. Costlier hashes are refused at import and no longer verified. Also bounds the hashes of new passwords.',
    }),
    hashing_queue_limit: integer(0, 1_000_000, 1000, {
      description: 'Maximum number of password hashes that wait for their turn. Further callers get 503.',
    }),
    log_level: choice(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], 'info', {
      description: 'Lowest level that is logged.',
    }),
    body_limit_bytes: integer(1024, 104_857_600, 1_048_576, {
      description: 'Maximum size of a request body in bytes. Larger bodies get 413.',
    }),
    request_timeout_ms: integer(100, 600_000, 30_000, {
      description:
        'Milliseconds in which the head of a request must arrive, then its body, and in which a database statement must finish. A streamed body may take any time, but must not pause for longer, and must bring 100 bytes a second on average.',
    }),
    shutdown_delay_ms: integer(0, 600_000, 0, {
      description:
        'Milliseconds that a stopping instance keeps serving, while `/health/ready` says 503 and kept-alive connections close after their next answer. Set it to more than the load balancer takes to send requests elsewhere (docs/scaling.md).',
    }),
    shutdown_timeout_ms: integer(0, 600_000, 8000, {
      description:
        'Milliseconds that a stopping instance then waits for requests in flight. Streams of bulk imports end at once and can be resumed.',
    }),
  },
  { additionalProperties: false },
);

export type Config = Readonly<Static<typeof ConfigSchema>>;
export type SettingName = keyof typeof ConfigSchema.properties;

/** The schema of one setting, its notes included. */
export type Setting = TSchema &
  SettingNotes & { minimum?: number; maximum?: number; choices?: readonly string[] };

export const SETTINGS = Object.entries(ConfigSchema.properties) as unknown as readonly [
  SettingName,
  Setting,
][];

/** Finishes the sentence "must be …" for a setting. */
export function expectation(setting: Setting): string {
  if (setting.expects !== undefined) return setting.expects;
  if (setting.choices !== undefined) return `one of ${setting.choices.join(', ')}`;
  if (setting.type === 'integer') return `a whole number from ${setting.minimum} to ${setting.maximum}`;
  if (setting.type === 'boolean') return 'true or false';
  return 'a non-empty text';
}
