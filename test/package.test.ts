import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, posix } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, inject, it, onTestFinished } from 'vitest';
import { productionLock, readJson } from '../release/production-lock.ts';
import { API_KEY } from './support/app.ts';
import { ServiceProcess } from './support/compiled-service.ts';
import { useTestDatabase } from './support/database.ts';
import { BCRYPT } from './support/example-hashes.ts';

const run = promisify(execFile);
const PROJECT = join(import.meta.dirname, '..');
const SAMPLES = join(import.meta.dirname, 'sources/samples/firebase');
/** Folders that the copy to pack leaves out, because `files` of package.json would not find them anyway, or for their size. */
const LEFT_OUT = ['node_modules', '.git', 'dist', '.data', 'test'];

/** Kinds of files in the package. Each must have at least one. */
const KINDS = [
  /^package\.json$/,
  /^(?:README|CHANGELOG|SECURITY)\.md$/,
  /^LICENSE$/,
  /^config\.yaml\.example$/,
  /^bin\/user-import-core$/,
  /^dist\/(?:[\w-]+\/)*[\w-]+\.js$/,
  /^migrations\/\d{4}_\w+\.sql$/,
  /^docs\/(?:adr\/)?[\w-]+\.md$/,
  /^docs\/images\/[\w-]+\.(?:svg|png)$/,
  /^docker\/(?:haproxy\.cfg|pgbouncer\.ini|prometheus-alerts\.yaml)$/,
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
  expect(packed.filter((path) => path.startsWith('dist/')).sort()).toEqual(modules.sort());
});

it('has the documents and examples that its documents link to', async () => {
  const broken: string[] = [];
  for (const document of packed.filter((path) => path.endsWith('.md'))) {
    const text = await readFile(join(PROJECT, document), 'utf8');
    for (const [, link = ''] of text.matchAll(/\]\((?!https?:|#)([^)\s#]+)[^)\s]*\)/g)) {
      const target = posix.join(posix.dirname(document), link);
      // The code is in the repository only, and so is what concerns those who change it.
      if (/^(?:src|test|bench|examples|CONTRIBUTING\.md)\b/.test(target)) continue;
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

it('is installed into an empty directory, where the tool reads an export and the service signs in a user', {
  timeout: 120_000,
}, async (context) => {
  const { uri } = await useTestDatabase({ empty: true });
  const empty = join(directory, 'empty');
  await installWithLock(empty).catch((error) => {
    if (process.env.CI === undefined && /ENOTCACHED|ENOTFOUND|EAI_AGAIN/.test(error.stderr))
      context.skip('npm has not these packages in its cache, and reaches no registry');
    throw error;
  });

  const npx = (...args: string[]) => run('npx', ['--no', '--', 'user-import', ...args], { cwd: empty });
  expect(await npx('--version')).toMatchObject({
    stdout: `user-import ${readJson('package.json').version}\n`,
  });
  const files = ['users.json', 'hash_config.txt'].map((name) => join(SAMPLES, name));
  // The exit code says that some of the rows cannot be imported.
  const inspected = await npx('inspect', ...files).catch((ended) => ended);
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

/** Installs the package as `npm install` does, at the versions of package-lock.json: npm then asks the registry nothing. */
async function installWithLock(into: string): Promise<void> {
  const { '': own, ...others } = productionLock().packages;
  const integrity = createHash('sha512')
    .update(await readFile(tarball))
    .digest('base64');
  const resolved = `file:${tarball}`;
  const dependencies = { 'user-import-core': resolved };
  const lock = {
    lockfileVersion: 3,
    packages: {
      '': { dependencies },
      'node_modules/user-import-core': { ...own, resolved, integrity: `sha512-${integrity}` },
      ...others,
    },
  };
  await mkdir(into);
  await writeFile(join(into, 'package.json'), JSON.stringify({ dependencies }));
  await writeFile(join(into, 'package-lock.json'), JSON.stringify(lock));
  // Without the optional dependencies, an embedded PostgreSQL of 60 MB and libcrypt.
  const options = ['--prefer-offline', '--omit=optional', '--ignore-scripts', '--no-audit', '--no-fund'];
  const { stderr } = await run('npm', ['ci', ...options], { cwd: into });
  expect(stderr).not.toContain('EBADENGINE');
}
