/**
 * Rooms of src, from the top down, and whom each may import: another room by its name, `room/**` with all that is below
 * it, or a file. `types:` permits types only. The files that stand in a folder are a room, and so is each folder in it.
 */
export const ARROWS: Record<string, readonly string[]> = {
  'main.ts': ['service', 'config', 'postgres/migrate', 'embedded-postgres/start-embedded-postgres.ts', 'lib'],
  'migrate.ts': [
    'service',
    'config',
    'postgres/migrate',
    'embedded-postgres/start-embedded-postgres.ts',
    'lib',
  ],
  service: [
    'http',
    'postgres/**',
    'embedded-postgres/start-embedded-postgres.ts',
    'imports/**',
    'users',
    'hashing',
    'config',
    'lib',
  ],

  http: [
    'http/**',
    'imports/input/exact-json.ts',
    'types:imports',
    'types:imports/staged',
    'types:users',
    'types:hashing',
    'lib',
  ],
  'http/routes': ['http/routes/**', 'types:http/context.ts', 'http/server', 'lib'],
  'http/routes/bulk-import': ['http/routes', 'http/wire', 'http/server', 'imports/**', 'lib/**'],
  'http/routes/recipe': ['http/routes', 'http/wire', 'http/server', 'users'],
  'http/routes/service': ['http/routes', 'http/server'],
  'http/routes/users': ['http/routes', 'http/wire', 'users', 'lib'],
  'http/openapi': ['http/server', 'lib'],
  'http/wire': ['http/server', 'imports/**', 'users', 'lib/**'],
  'http/server': ['config/named-keys.ts', 'lib/**'],

  sources: ['types:sources/containers', 'types:imports/input'],
  'sources/pipeline': [
    'sources',
    'sources/containers',
    'sources/fields',
    'imports/input',
    'users',
    'types:hashing',
    'lib/disk-map',
  ],
  'sources/containers': ['types:imports/input'],
  'sources/fields': ['types:sources', 'imports/input'],

  'imports/stream': [
    'types:imports',
    'imports/resolve',
    'imports/input',
    'types:users',
    'types:hashing',
    'lib/**',
  ],
  'imports/staged': [
    'types:imports',
    'imports/resolve',
    'imports/input',
    'users',
    'types:hashing',
    'lib/async',
  ],
  'imports/history': ['types:imports', 'types:imports/resolve', 'lib/async'],
  imports: ['types:imports/history', 'types:imports/resolve'],
  'imports/resolve': ['types:imports', 'types:imports/input', 'users', 'types:hashing', 'lib/**'],
  'imports/input': ['users', 'types:hashing', 'lib/**'],

  users: ['hashing', 'hashing/diagnose', 'lib/**'],

  hashing: ['hashing/**', 'lib'],
  'hashing/process': ['hashing'],
  'hashing/verifiers': ['hashing', 'hashing/formats', 'hashing/kdf', 'hashing/diagnose', 'lib/text'],
  'hashing/formats': ['hashing/verifier.ts', 'lib/text'],
  'hashing/diagnose': [],
  'hashing/kdf': ['lib/text'],

  'postgres/imports': ['imports/**', 'users/user.ts', 'postgres/client', 'lib/**'],
  'postgres/staged': ['postgres/imports', 'postgres/users', 'postgres/client', 'imports/**', 'lib/**'],
  'postgres/users': ['users', 'types:hashing', 'postgres/client', 'lib/**'],
  'postgres/migrate': ['postgres/client'],
  'postgres/client': ['lib'],
  'embedded-postgres': ['lib/**'],

  config: ['hashing', 'lib/text'],
  lib: [],
  'lib/async': [],
  'lib/buffers': [],
  'lib/disk-map': [],
  'lib/text': [],
};

/** Packages, and who alone may import them. */
export const PACKAGES: Record<string, readonly string[]> = {
  pg: ['postgres', 'embedded-postgres'],
  fastify: ['http'],
  '@fastify/swagger': ['http'],
  '@fastify/type-provider-typebox': ['http'],
  '@sinclair/typebox': ['http', 'config'],
  argon2: ['hashing'],
  'hash-wasm': ['hashing'],
  koffi: ['hashing'],
  bcrypt: ['hashing'],
  yaml: ['config'],
  leven: ['lib'],
  pino: ['lib', 'service', 'postgres'],
  uuid: ['postgres', 'http', 'imports'],
};
