import { type Static, type TInteger, type TSchema, Type } from '@sinclair/typebox';
import { OWN_FAMILIES, OWN_SETTINGS } from '../hashing/families.ts';
import { UPGRADE_POLICIES } from '../hashing/passwords.ts';
import { HOOKS } from '../hooks/moves.ts';
import { RIGHTS } from './api-keys.ts';

interface SettingNotes {
  description: string;
  /** End of the sentence "must be …" in messages, unless the type alone determines it. */
  expects?: string;
  /** Whether the value is never shown. A secret may also be read from the file that `<NAME>_FILE` names. */
  secret?: boolean;
  /** Whether the value may be a list or a text. In an environment variable, a list begins with `[` or `-`. */
  maybeList?: boolean;
  /** Another name of the setting, in the file and (in upper case) in the environment. */
  alias?: string;
  /** Text for a default that depends on the machine, for the documentation. */
  defaultText?: string;
}

const integer = (minimum: number, maximum: number, standard: number | undefined, notes: SettingNotes) =>
  Type.Integer({ minimum, maximum, ...(standard === undefined ? {} : { default: standard }), ...notes });
const text = (standard: string, notes: SettingNotes) =>
  Type.String({ minLength: 1, default: standard, ...notes });
const optional = (pattern: string, notes: SettingNotes) => Type.Optional(Type.String({ pattern, ...notes }));
const flag = (standard: boolean, notes: SettingNotes) => Type.Boolean({ default: standard, ...notes });
const choice = <const T extends string>(values: readonly T[], standard: T, notes: SettingNotes) =>
  Type.Union(
    values.map((value) => Type.Literal(value)),
    { default: standard, choices: values, ...notes },
  );

/** Settings of hashes that the service makes itself. */
type OwnHashSetting = 'argon2_memory_kb' | 'argon2_iterations' | 'argon2_parallelism' | 'bcrypt_log_rounds';

const ownHashSettings = Object.fromEntries(
  OWN_SETTINGS.map(([name, { min, max, default: standard, description }]) => [
    name,
    integer(min, max, standard, { description }),
  ]),
) as Record<OwnHashSetting, TInteger>;

const HOOK = `(?:${HOOKS.join('|')})`;

const API_KEY = '\\s*([A-Za-z0-9_-]{1,32}:)?[A-Za-z0-9=-]{20,}\\s*';

/**
 * Settings of earlier versions, each with the setting that replaces it. Time and memory of a hash now have one limit
 * each, whatever its parameters are.
 */
export const REPLACED_SETTINGS: Readonly<Record<string, SettingName>> = {
  argon2_max_iterations: 'hashing_max_ms',
  argon2_max_parallelism: 'hashing_max_ms',
  bcrypt_max_cost: 'hashing_max_ms',
  crypt_max_rounds: 'hashing_max_ms',
  digest_max_rounds: 'hashing_max_ms',
  external_scrypt_max_mem_cost: 'hashing_max_ms',
  external_scrypt_max_rounds: 'hashing_max_ms',
  pbkdf2_max_iterations: 'hashing_max_ms',
  phpass_max_log2: 'hashing_max_ms',
  scrypt_max_log2_n: 'hashing_max_ms',
  shacrypt_max_rounds: 'hashing_max_ms',
  argon2_max_memory_kb: 'hashing_memory_mb',
};

/** docs/configuration.md and config.yaml.example are generated from this table, and a test compares them. */
export const ConfigSchema = Type.Object(
  {
    port: integer(0, 65_535, 3567, { description: 'TCP port to listen on; 0 chooses a free one.' }),
    host: text('localhost', {
      description: 'Address to listen on. The container image sets `0.0.0.0`.',
    }),
    metrics_port: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 65_535,
        description:
          'TCP port that serves `GET /metrics`, and nothing else, without a key; 0 chooses a free one. Without it, metrics are only on the main port, for keys with the right `read`.',
      }),
    ),
    metrics_host: text('localhost', {
      description:
        'Address that `metrics_port` listens on. Metrics show how many users there are and how busy the service is, so let only your monitoring reach it.',
    }),
    api_keys: Type.Optional(
      Type.Union(
        [
          Type.String({ pattern: `^${API_KEY}(,${API_KEY})*$` }),
          // The list form, after every `key_file` was read.
          Type.Array(
            Type.Object({
              name: Type.String(),
              key: Type.Optional(Type.String()),
              key_sha256: Type.Optional(Type.String()),
              allow: Type.Array(Type.Union(RIGHTS.map((right) => Type.Literal(right)))),
            }),
          ),
        ],
        {
          expects:
            'keys separated by commas, each at least 20 of A-Z a-z 0-9 = -, with or without a name before it (name:key); or a list of {name, key or key_file or key_sha256, allow}',
          description:
            'Keys that callers may send in the `api-key` header, each at least 20 of `A-Z a-z 0-9 = -`, separated by commas. A key may have a name of 1 to 32 of `A-Z a-z 0-9 _ -`, which callers do not send and records of imports show: `migration:<key>,ops:<key>`. A key without a name is named after its position, such as `key-1`. These keys may do everything but export. In the list form, every key says what it may do: `{name: job, key: <key>, allow: [import, read]}`, with `key_file` for the file that holds the key, or `key_sha256` for its SHA-256 in hexadecimal (docs/api-keys.md). In the environment the list is JSON or YAML. Required, except with the embedded database: a key is then created once, stored beside the data (`<directory>.api-key`), and shown at start if standard output is a terminal. Keys from examples, such as `replace-me-…`, are refused. SIGHUP reads this setting again.',
          secret: true,
          maybeList: true,
        },
      ),
    ),
    external_password_hashing_signer_key: optional('[^]', {
      description:
        "The exporting system's `base64_signer_key`. Needed to import and verify `external_scrypt` hashes.",
      expects: 'base64',
      secret: true,
      alias: 'firebase_password_hashing_signer_key',
    }),
    hashing_secrets: Type.Optional(
      Type.Array(
        // The entries, once read-hashing-secrets.ts has read them.
        Type.Object({
          id: Type.String(),
          algorithm: Type.Optional(Type.String()),
          algorithms: Type.Optional(Type.Array(Type.String())),
          secret_base64: Type.String(),
        }),
        {
          description:
            'Secrets that imported hashes were made with: peppers, site keys, further signer keys. Each has an `id` (1 to 64 of `A-Z a-z 0-9 . _ -`), by which requests name it (`hashingSecretId`), and is given as text (`secret`), in base64 (`secret_base64`), or as the file that holds the text (`secret_file`). `algorithms` lists the families whose hashes it belongs to; it serves no others. With an `algorithm` it is the default of that family, and serves it. In the environment the list is JSON or YAML. docs/hash-reference.md says how to rotate them.',
          expects: 'a list of {id, algorithms (a list) or algorithm, secret or secret_base64 or secret_file}',
          secret: true,
        },
      ),
    ),
    postgresql_connection_uri: optional('^postgres(ql)?://', {
      expects: 'a URI such as postgresql://user:password@host:5432/database',
      description:
        'URI of the Postgres database (14 or later) that stores the users. Without it, the embedded database is used.',
      secret: true,
    }),
    postgresql_connection_pool_size: integer(1, 1000, 10, {
      description:
        'Maximum number of connections of this instance to Postgres, not counting those for bulk imports.',
    }),
    bulk_import_connections: integer(1, 100, 4, {
      description:
        'Connections for bulk imports, besides the pool; one is added for rollbacks and staged users. This is also the maximum number of concurrent streams, and of concurrent uploads of staged users; further ones get 503.',
    }),
    bulk_import_max_line_bytes: integer(1024, 1_048_576, 65_536, {
      description:
        'Maximum length of a line of a bulk import, and of a staged user, in bytes; longer ones fail.',
    }),
    import_undo_days: integer(1, 3650, 30, {
      description:
        'Number of days for which a bulk import can be rolled back or resumed. After that, the data that it replaced is deleted, including old password hashes.',
    }),
    export_max_minutes: integer(1, 1440, 60, {
      description:
        'Longest time of an export, in minutes. Until it ends, Postgres keeps deleted and replaced rows, so that the tables grow.',
    }),
    page_enabled: flag(true, {
      description:
        'Serve the page `/imports`, which shows imports and can roll them back. The page itself needs no key; it loads its data with the API key that is entered into it.',
    }),
    upstream_core_uri: optional('^https?://', {
      expects: 'a URI such as http://core:3567',
      description:
        'URI of a SuperTokens core. With it, this service stands in front of that core: it forwards every call that is not its own, and signs in users whose old hash the core does not know (docs/in-front-of-core.md).',
    }),
    upstream_core_api_key: optional('^[A-Za-z0-9=-]{20,}$', {
      expects: 'the API key of the core, at least 20 of A-Z a-z 0-9 = -',
      description: 'API key that the core at `upstream_core_uri` asks for. Callers never see it.',
      secret: true,
    }),
    hand_over_secret: optional('[^]{32,}', {
      expects: 'at least 32 characters',
      description:
        'Secret that the placeholder passwords of users in the core are derived from. Make it once (`openssl rand -base64 32`), and keep it until this service is switched off: without it nobody who waits can be moved.',
      secret: true,
    }),
    factors_secret: optional('^\\s*[^,\\s]{32,}\\s*(,\\s*[^,\\s]{32,}\\s*)*$', {
      expects: 'secrets of at least 32 characters, separated by commas',
      description:
        'Secret that TOTP devices, roles and phone numbers of imported users are encrypted with. Make it once (`openssl rand -base64 32`). Without it, users who have them are refused. To change it, put the new secret first and keep the former after a comma: the first encrypts, all decrypt.',
      secret: true,
    }),
    legacy_signin_for: choice(['off', 'waiting', 'unknown'], 'off', {
      description:
        'Whose passwords the legacy system verifies at the first sign-in (docs/moving-in.md): `waiting`, users imported with `"legacySignIn":true`; `unknown`, also every address that has no login here.',
    }),
    legacy_signin_url: optional('^https?://', {
      expects: 'a URI such as https://old.example.com/legacy-sign-in',
      description:
        'URI of the legacy system for first sign-ins. HTTPS, except on this machine and as `legacy_signin_private_addresses` permits. Redirects are not followed.',
    }),
    legacy_signin_secret: optional(
      '^whsec_([A-Za-z0-9+/]{4}){8,21}([A-Za-z0-9+/]{4}|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{2}==)?$',
      {
        expects: 'whsec_ and at least 24 bytes in base64',
        description:
          'Secret with which requests to the legacy system are signed, as Standard Webhooks defines it. Make it with `echo whsec_$(openssl rand -base64 32)`.',
        secret: true,
      },
    ),
    legacy_signin_timeout_ms: integer(100, 60_000, 3000, {
      description:
        'Maximum time, in ms, that a call of the legacy system may take. Then the sign-in gets 503.',
    }),
    legacy_signin_private_addresses: flag(false, {
      description:
        'Permit a legacy system in a private network, also over HTTP. Otherwise a name that resolves to a private address is not called.',
    }),
    legacy_signin_follow_until: optional('^\\d{4}-\\d{2}-\\d{2}$', {
      expects: 'a date such as 2027-01-31',
      description:
        'Until this day begins (UTC), a wrong password of a user who has set none here is verified by the legacy system as well, because it may have been changed there. Needs `legacy_signin_for`.',
    }),
    password_hooks: Type.Optional(
      Type.Union(
        [
          Type.String({ pattern: `^\\s*${HOOK}(\\s*,\\s*${HOOK})*\\s*$` }),
          Type.Array(Type.Union(HOOKS.map((hook) => Type.Literal(hook)))),
        ],
        {
          expects: `some of ${HOOKS.join(', ')}, separated by commas`,
          description: `Hooks that identity providers may ask for old passwords (docs/password-hooks.md): ${HOOKS.map((hook) => `\`${hook}\``).join(', ')}. Others get 404. All but \`hash\` and \`rehearse\` exclude \`upstream_core_uri\`, because a user moves to one place.`,
          maybeList: true,
        },
      ),
    ),
    password_hooks_until: optional('^\\d{4}-\\d{2}-\\d{2}$', {
      expects: 'a date such as 2027-01-31',
      description:
        'From this day (UTC) every hook fails, and users who still wait reset their password at the provider.',
    }),
    password_hooks_timeout_ms: integer(100, 60_000, 2500, {
      description:
        'Maximum time, in ms, that a hook may take; then it fails. Okta waits 3 s, a Lambda of Cognito 5 s.',
    }),
    password_hooks_keep_days: integer(1, 3650, 30, {
      description: 'Days after the last match until the hash of a user who has moved is deleted.',
    }),
    password_hooks_factors: flag(false, {
      description: 'Tell providers the TOTP secrets of users. Needs `factors_secret`.',
    }),
    password_hooks_profiles: flag(false, {
      description:
        'Tell providers the profile of a user before a password was verified (`GET /hooks/keycloak/…`, `POST /hooks/lookup`). Otherwise these know nobody.',
    }),
    embedded_postgres_dir: text('./.data/postgres', {
      description:
        'Directory of the embedded database. If the service runs as root, PostgreSQL runs as a user id that nobody has. If other users cannot reach this directory, another one is used and shown at start.',
    }),
    migrate_on_start: flag(true, {
      description:
        'Bring the database schema up to date at start. With `false`, run `user-import-core migrate` yourself.',
    }),
    database_wait_ms: integer(0, 600_000, 30_000, {
      description: 'Maximum time, in ms, that the start waits for Postgres to answer.',
    }),
    password_hashing_alg: choice(
      OWN_FAMILIES.map(({ name }) => name.toUpperCase()),
      'ARGON2',
      { description: 'Algorithm for passwords set through this service (ARGON2 is argon2id).' },
    ),
    password_upgrade: choice(UPGRADE_POLICIES, 'weak', {
      description:
        'Which imported hashes are replaced by new ones when their users sign in: `weak`, those of the classes legacy and broken; `outdated`, all that differ from hashes made here. A hash is never replaced if that would change which passwords work (docs/hash-reference.md).',
    }),
    wrap_weak_hashes: flag(false, {
      description:
        'Hash imported hashes of class broken again with argon2id, in the background, so that none of them stays in the database in its original form. They are verified as before, and upgraded when their users sign in.',
    }),
    ...ownHashSettings,
    hashing_concurrency: integer(1, 1022, undefined, {
      description:
        'Maximum number of password hashes computed at once. Most take a thread of the libuv pool, in which two threads stay free for files and DNS, so raise UV_THREADPOOL_SIZE as well. Up to twice as many are started if they take at most 5 ms each; the surplus waits in the queue of the pool.',
      defaultText: 'the number of cores, or fewer if the thread pool is smaller',
    }),
    hashing_memory_mb: integer(1, 1_048_576, undefined, {
      description: 'Maximum memory, in MiB, of all password hashes computed at once.',
      defaultText: 'a quarter of the memory (of the container, if it has a limit)',
    }),
    hashing_max_ms: integer(10, 600_000, 2000, {
      description:
        'Maximum time to verify one password hash, in ms, according to the reference table of docs/hash-reference.md and not to the speed of this machine. Hashes above it are refused at import and no longer verified. It also limits the hashing of passwords set here.',
    }),
    hashing_queue_limit: integer(0, 1_000_000, 1000, {
      description: 'Maximum number of password hashes that wait for their turn; further requests get 503.',
    }),
    log_level: choice(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], 'info', {
      description: 'Lowest level that is logged: in a terminal as lines for people, everywhere else as JSON.',
    }),
    body_limit_bytes: integer(1024, 104_857_600, 1_048_576, {
      description: 'Maximum size of a request body, in bytes; larger ones get 413.',
    }),
    request_timeout_ms: integer(100, 600_000, 30_000, {
      description:
        'Maximum time, in ms, for the head of a request to arrive, then for its body, and for a database statement. A streamed body may take longer, as long as it never pauses for more than this time and averages 100 bytes a second.',
    }),
    shutdown_delay_ms: integer(0, 600_000, 0, {
      description:
        'Time, in ms, for which a stop first continues to serve, while `/health/ready` answers 503 and kept connections end with their next answer. Set it longer than the load balancer takes to send requests elsewhere (docs/scaling.md).',
    }),
    shutdown_timeout_ms: integer(0, 600_000, 8000, {
      description:
        'Time, in ms, that a stop then waits for running requests before it drops them. Bulk import streams end at once and can be resumed later.',
    }),
  },
  { additionalProperties: false },
);

export type Config = Readonly<Static<typeof ConfigSchema>>;
export type SettingName = keyof typeof ConfigSchema.properties;

export type Setting = TSchema &
  SettingNotes & { minimum?: number; maximum?: number; choices?: readonly string[] };

export const SETTINGS = Object.entries(ConfigSchema.properties) as unknown as readonly [
  SettingName,
  Setting,
][];

/** Returns the end of the sentence "must be …" for an error message about a setting. */
export function expectation(setting: Setting): string {
  if (setting.expects !== undefined) return setting.expects;
  if (setting.choices !== undefined) return `one of ${setting.choices.join(', ')}`;
  if (setting.type === 'integer') return `a whole number from ${setting.minimum} to ${setting.maximum}`;
  if (setting.type === 'boolean') return 'true or false';
  return 'a non-empty text';
}
