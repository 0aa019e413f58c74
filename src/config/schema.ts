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
    port: integer(0, 65_535, 3567, { description: 'TCP port to listen on; 0 takes a free one.' }),
    host: text('localhost', {
      description: 'Address to listen on. The container image sets `0.0.0.0`.',
    }),
    api_keys: Type.Optional(
      Type.String({
        pattern: `^${API_KEY}(,${API_KEY})*$`,
        expects:
          'keys separated by commas, each at least 20 of A-Z a-z 0-9 = -, with or without a name before it (name:key)',
        description:
          'Keys that callers may send in the `api-key` header, separated by commas (several for rotation), each at least 20 of `A-Z a-z 0-9 = -`. A key may have a name of 1 to 32 of `A-Z a-z 0-9 _ -`, which callers do not send and records of imports show: `migration:<key>,ops:<key>`; without one it is called by its place, `key-1`. Required, except with the embedded database: there a key is made once, kept beside the data (`<directory>.api-key`), and shown at start if that is on a terminal. Keys from examples, such as `replace-me-…`, are refused.',
        secret: true,
      }),
    ),
    external_password_hashing_signer_key: Type.Optional(
      Type.String({
        minLength: 1,
        description:
          "The exporting system's `base64_signer_key`. Needed to import and verify `external_scrypt` hashes.",
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
            'Secrets that imported hashes were made with: peppers, site keys, further signer keys. Each has an `id` (1 to 64 of `A-Z a-z 0-9 . _ -`), by which requests name it (`hashingSecretId`), and is given as text (`secret`), in base64 (`secret_base64`), or as the file that holds the text (`secret_file`). `algorithms` lists the families whose hashes it belongs to; it serves no others. With an `algorithm` it is the default of that family, and serves it. In the environment the list is JSON or YAML. docs/hash-formats.md says how to rotate them.',
          expects: 'a list of {id, algorithms (a list) or algorithm, secret or secret_base64 or secret_file}',
          secret: true,
        },
      ),
    ),
    postgresql_connection_uri: Type.Optional(
      Type.String({
        pattern: '^postgres(ql)?://',
        expects: 'a URI such as postgresql://user:password@host:5432/database',
        description: 'The Postgres (14 or later) to keep users in. Unset: the embedded database.',
        secret: true,
      }),
    ),
    postgresql_connection_pool_size: integer(1, 1000, 10, {
      description: 'Most connections to Postgres this instance holds, those of bulk imports aside.',
    }),
    bulk_import_connections: integer(1, 100, 4, {
      description:
        'Connections for bulk imports, beside the pool; one is added for rollbacks and staged users. So many streams, and so many uploads of staged users, may run at once; beyond that callers get 503.',
    }),
    bulk_import_max_line_bytes: integer(1024, 1_048_576, 65_536, {
      description: 'Longest line of a bulk import, and largest staged user, in bytes; longer ones fail.',
    }),
    import_undo_days: integer(1, 3650, 30, {
      description:
        'How long a bulk import can be rolled back, and resumed. What it replaced (old password hashes, too) is then removed.',
    }),
    page_enabled: flag(true, {
      description:
        'Serve the page `/imports`, to watch imports and roll them back. It is open as it is; what it shows it asks for with the api key that is typed into it.',
    }),
    embedded_postgres_dir: text('./.data/postgres', {
      description:
        'Where the embedded database keeps its files. As root, another place is taken (and said at start) when the user `nobody` cannot reach this one.',
    }),
    migrate_on_start: flag(true, {
      description:
        'Bring the database schema up to date at start. With `false`, run `npm run migrate` yourself.',
    }),
    database_wait_ms: integer(0, 600_000, 30_000, {
      description: 'How long the start waits for Postgres to answer before giving up.',
    }),
    password_hashing_alg: choice(
      OWN_ALGORITHMS.map(({ name }) => name.toUpperCase()),
      'ARGON2',
      { description: 'Algorithm for passwords set through this service (ARGON2 is argon2id).' },
    ),
    password_upgrade: choice(UPGRADE_POLICIES, 'weak', {
      description:
        'Which imported hashes are replaced by new ones as their users sign in: `weak`, those of the classes legacy and broken; `outdated`, all that passwords set here would not get. Never where that would change which passwords work (docs/hash-formats.md).',
    }),
    wrap_weak_hashes: flag(false, {
      description:
        'Hash the imported hashes of class broken once more, with argon2id, in the background, so that none of them stays in the database as it came. They are verified as before, and upgraded as their users sign in.',
    }),
    ...ofAlgorithms(OWN_SETTINGS),
    ...ofAlgorithms(LIMITS),
    hashing_concurrency: integer(1, 1022, undefined, {
      description:
        'Password hashes computed at once. Most take a thread of the libuv pool, of which two stay free for files and DNS: raise UV_THREADPOOL_SIZE with it.',
      defaultText: 'the number of cores, as far as the thread pool goes',
    }),
    hashing_memory_mb: integer(1, 1_048_576, undefined, {
      description: 'Memory, in MiB, that password hashes computed at once may take together.',
      defaultText: 'a quarter of the memory (of the container, where one sets a limit)',
    }),
    hashing_max_ms: integer(10, 600_000, 2000, {
      description:
        'Longest that verifying one password hash may take, in ms, by the reference table of docs/hash-formats.md and not by the speed of this machine; costlier hashes are refused at import and no longer verified. Also bounds the hashing of passwords set here.',
    }),
    hashing_queue_limit: integer(0, 1_000_000, 1000, {
      description: 'Password hashes that may wait for their turn; beyond that callers get 503.',
    }),
    log_level: choice(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], 'info', {
      description: 'Least level that is logged.',
    }),
    body_limit_bytes: integer(1024, 104_857_600, 1_048_576, {
      description: 'Largest request body, in bytes; larger ones get 413.',
    }),
    request_timeout_ms: integer(100, 600_000, 30_000, {
      description:
        'Longest the head of a request may take to arrive, and then its body, and a database statement to answer. A streamed body may take any time, but no silence may be longer, and there must be 100 bytes a second on average.',
    }),
    shutdown_delay_ms: integer(0, 600_000, 0, {
      description:
        'How long a stop goes on serving first, while `/health/ready` says 503 and kept connections end with their next answer: longer than the load balancer takes to send requests elsewhere (docs/scaling.md).',
    }),
    shutdown_timeout_ms: integer(0, 600_000, 8000, {
      description:
        'How long a stop then waits for requests in flight before it drops them; streams of bulk imports are told at once to resume.',
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
