/**
 * Rooms of src, from the top down, and what each may import: another room by its name, `room/**` for a room
 * and everything below it, or a file. `types:` permits types only. The files directly in a folder are a room,
 * and so is each of its folders.
 */
const ROOMS = `
main.ts: service config postgres/migrate embedded-postgres/start-embedded-postgres.ts lib
migrate.ts: service config postgres/migrate postgres/citus/migrate
    embedded-postgres/start-embedded-postgres.ts lib
cli.ts: cli
service: http http/server/route-checks.ts postgres/** embedded-postgres/start-embedded-postgres.ts imports/**
    hand-over hooks legacy-sign-in upstream users passwords hashing config lib

http: http/** imports/import-request.ts imports/input/read-line.ts types:imports types:imports/staged
    types:imports/stream types:hand-over hooks/moves.ts types:hooks types:upstream types:users types:passwords
    types:hashing lib
http/upstream: types:config/api-keys.ts types:http http/server http/protocol hand-over types:upstream lib/**
http/routes: types:http/context.ts http/protocol http/server http/page hand-over hooks imports/** passwords
    users lib/**

http/openapi: http/page http/server lib
http/page: types:http/protocol types:imports types:hooks types:hand-over
http/protocol: http/server imports/** users passwords lib/**
http/server: types:config/api-keys.ts types:hooks lib/**

cli: cli/** sources/pipeline sources/containers imports/import-request.ts lib/**
cli/commands: cli/** sources lib/text sources/fields/shown-name.ts sources/pipeline lib/json users/email.ts
    targets imports/input imports/resolve/person.ts hashing/registry.ts lib sources/systems/generic.ts
targets: types:imports/input types:users hashing lib/json
cli/plan: cli cli/databases sources/fields/tables.ts cli/files cli/options cli/rows cli/service-client
    cli/terminal hashing/registry.ts types:hashing sources/fields/shown-name.ts sources/mapping
    sources/pipeline sources/systems/generic.ts types:sources sources/containers lib lib/text
cli/rows: cli/service-client types:cli/files types:cli/options cli/options/import-options.ts cli/terminal
    sources/pipeline lib/json
cli/service-client: cli types:cli/options cli/terminal lib/json hashing/secrets.ts types:sources/pipeline
    lib/**
cli/files: cli cli/options/flags.ts cli/terminal imports/input sources/containers types:sources/pipeline
    types:targets lib/json
cli/options: cli imports/import-request.ts sources/mapping types:sources sources/source-user.ts
    sources/containers sources/containers/csv lib/**
cli/terminal: cli lib lib/json lib/text
cli/databases: cli cli/options sources/containers cli/service-client cli/terminal sources/fields/tables.ts
    types:sources/pipeline

sources: sources/systems types:sources/containers types:lib/json
sources/pipeline: sources sources/containers sources/fields sources/mapping imports/input users types:hashing
    hashing/refused.ts hashing/pieces.ts lib/json lib/buffers.ts lib/work-database.ts lib/text/nearest-names.ts
    lib/text/shell-word.ts lib/text/characters.ts
sources/containers: lib/json lib/text/base64.ts sources/containers/**
sources/fields: types:sources types:sources/containers lib/json lib/text
sources/systems: sources/source-user.ts types:sources types:sources/containers sources/fields sources/mapping
    lib/json lib/text
sources/mapping: types:sources types:sources/containers sources/fields lib/json lib/text
sources/containers/json: sources/containers lib/json
sources/containers/sql: sources/containers lib/text/characters.ts
sources/containers/csv: sources/containers types:lib/json

imports/stream: types:users types:imports imports/import-request.ts imports/resolve imports/input
    types:passwords types:hashing lib/**
imports/staged: types:imports imports/resolve imports/input users types:hashing lib/async lib/json
imports: types:imports/resolve lib/async
imports/resolve: imports/import-request.ts types:imports/input users types:passwords types:hashing lib/**
imports/input: users passwords types:hashing lib/**

hand-over: upstream users types:passwords types:hashing lib/**
hooks: users passwords types:hashing lib/**
legacy-sign-in: imports/input imports/staged users types:hashing lib/**
upstream: lib/**
users: passwords types:hashing lib/**
passwords: hashing hashing/kdf/password-reading.ts lib/**

hashing: hashing/** lib lib/text
hashing/process: hashing
hashing/families: hashing hashing/kdf lib/text
hashing/kdf: hashing/encodings.ts hashing/refused.ts lib/text

postgres/imports: imports/** types:passwords users postgres/users/in-core.ts postgres/users/user-row.ts
    postgres/users/rows-to-lock.ts postgres/client lib/**
postgres/staged: postgres/imports postgres/users postgres/client imports/** lib/**
postgres/users: users passwords types:hashing postgres/client postgres/citus/users/citus-queries.ts
    postgres/imports/copy-people.ts postgres/imports/read-known.ts postgres/imports/write-decisions.ts
    imports/resolve types:imports/input lib/**
postgres/hand-over: postgres/users postgres/client types:hand-over types:passwords types:hashing users/user.ts
postgres/hooks: types:hooks postgres/client postgres/imports/read-known.ts postgres/users lib
postgres/migrate: postgres/client postgres/citus postgres/citus/migrate lib/async
postgres/citus: postgres/client
postgres/citus/migrate: postgres/citus postgres/migrate postgres/client lib/async
postgres/citus/users: postgres/citus postgres/users postgres/imports/copy-people.ts postgres/client users lib
postgres/client: lib/**
embedded-postgres: lib/**

config: hashing hooks/moves.ts lib/**
lib: lib/text/characters.ts
lib/async:
lib/json:
lib/text:
`;

export const ARROWS: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  ROOMS.trim()
    .split(/\n+(?=\w)/)
    .map((row) => {
      const [room = '', ...permitted] = row.split(/\s+/);
      return [room.replace(/:$/, ''), permitted];
    }),
);

/** Packages, and the top-level rooms that may import them. */
export const PACKAGES: Record<string, readonly string[]> = {
  pg: ['postgres', 'embedded-postgres', 'cli'],
  'node-sqlite3-wasm': ['lib'],
  fastify: ['http'],
  '@fastify/swagger': ['http'],
  '@fastify/type-provider-typebox': ['http'],
  '@sinclair/typebox': ['http', 'config'],
  argon2: ['hashing'],
  'hash-wasm': ['hashing'],
  koffi: ['hashing'],
  bcrypt: ['hashing'],
  yaml: ['config'],
  'ipaddr.js': ['lib'],
  leven: ['lib'],
  'string-width': ['cli'],
  pino: ['lib', 'service', 'postgres'],
  'prom-client': ['lib'],
  undici: ['upstream', 'legacy-sign-in'],
  uuid: ['postgres', 'http', 'imports', 'hand-over'],
};
