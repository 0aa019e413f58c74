import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

/** Memory in which crypt_rn(3) works. libxcrypt requires at least `struct crypt_data` (32 KiB). */
const DATA_BYTES = 64 * 1024;

/** Declaration of crypt_rn(3). `phrase` and `setting` are C strings. Returns the hash, or null. */
type CryptRn = (phrase: Buffer, setting: Buffer, data: Buffer, size: number) => string | null;

let loading: Promise<CryptRn> | undefined;

async function load(): Promise<CryptRn> {
  const place = libxcrypt();
  if ('missing' in place) throw new Error(place.missing);
  const { default: koffi } = await import('koffi');
  // The arguments are declared as `void *`, because a Buffer passed as `const char *` would be read without
  // its NUL. glibc's libcrypt has no crypt_rn, so it cannot be loaded by mistake.
  return koffi
    .load(place.path)
    .func('const char *crypt_rn(void *phrase, void *setting, void *data, int size)');
}

const cStringOf = (bytes: Buffer) => Buffer.concat([bytes, Buffer.of(0)]);

/**
 * Computes a hash with libxcrypt. Call this only in a separate process: the call is synchronous, and a bug in the
 * library crashes the process. `password` and `setting` must not contain a NUL.
 * @throws {Error} if the library makes no hash, because memory is short or the setting is unknown
 */
export async function cryptByLibrary(password: Buffer, setting: string): Promise<string> {
  loading ??= load();
  const cryptRn = await loading;
  const data = Buffer.alloc(DATA_BYTES);
  const hash = cryptRn(cStringOf(password), cStringOf(Buffer.from(setting)), data, data.length);
  if (hash === null || !hash.startsWith(setting)) throw new Error('libxcrypt made no hash of this setting');
  return hash;
}

/** Names of libxcrypt's file in Linux distributions. Debian keeps the version number of glibc's crypt(3). */
const NAMES = ['libcrypt.so.1', 'libcrypt.so.2'];

const TRIPLETS: Partial<Record<NodeJS.Architecture, string>> = {
  x64: 'x86_64-linux-gnu',
  arm64: 'aarch64-linux-gnu',
  arm: 'arm-linux-gnueabihf',
  ppc64: 'powerpc64le-linux-gnu',
  riscv64: 'riscv64-linux-gnu',
  s390x: 's390x-linux-gnu',
};

/** `missing` is the reason why the library cannot be used, as text for operators. */
export type Libxcrypt = { path: string } | { missing: string };

export interface Machine {
  platform: NodeJS.Platform;
  arch: NodeJS.Architecture;
  folders: readonly string[];
  /** `from` is the file that requires the npm package. */
  resolvePackage(name: string, from: string | undefined): string | undefined;
}

/**
 * Finds libxcrypt, and the npm package koffi that calls it. Loads neither, because native code must not run
 * in the process that serves requests. The content of the file distinguishes libxcrypt from glibc's old
 * libcrypt, which lacks yescrypt, and from builds for another architecture.
 */
export function findLibxcrypt({ platform, arch, folders, resolvePackage }: Machine): Libxcrypt {
  if (platform !== 'linux') return { missing: 'libxcrypt is for Linux' };
  const koffi = resolvePackage('koffi', undefined);
  if (koffi === undefined || resolvePackage(`@koromix/koffi-linux-${arch}`, koffi) === undefined) {
    return { missing: 'the optional package koffi is not installed' };
  }
  const places = folders.flatMap((folder) => NAMES.map((name) => `${folder}/${name}`));
  const path = places.find((place) => isLibxcrypt(place, /64|s390x/.test(arch)));
  return path === undefined ? { missing: 'libxcrypt is not on this machine' } : { path };
}

function isLibxcrypt(path: string, is64Bit: boolean): boolean {
  try {
    const bytes = readFileSync(path);
    // An ELF file begins with a magic number, then 2 for 64-bit files and 1 for 32-bit files (elf(5)).
    const isOurs = bytes.toString('latin1', 0, 4) === '\x7fELF' && bytes[4] === (is64Bit ? 2 : 1);
    return isOurs && bytes.includes('$y$') && bytes.includes('$gy$');
  } catch {
    return false;
  }
}

function resolvePackage(name: string, from = import.meta.url): string | undefined {
  try {
    return createRequire(from).resolve(name);
  } catch {
    return undefined;
  }
}

let found: Libxcrypt | undefined;

/**
 * Returns where libxcrypt is. It is searched for only once, so a package that is installed later is found after a
 * restart.
 */
export function libxcrypt(): Libxcrypt {
  const { platform, arch } = process;
  const triplet = TRIPLETS[arch];
  const debian = triplet === undefined ? [] : [`/usr/lib/${triplet}`, `/lib/${triplet}`];
  const folders = [...debian, '/usr/lib64', '/lib64', '/usr/lib', '/lib', '/usr/local/lib'];
  found ??= findLibxcrypt({ platform, arch, folders, resolvePackage });
  return found;
}
