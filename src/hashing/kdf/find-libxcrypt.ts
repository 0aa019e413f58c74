import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

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

/** The path is searched for once. Packages that are installed later are found after a restart. */
export function libxcrypt(): Libxcrypt {
  const { platform, arch } = process;
  const triplet = TRIPLETS[arch];
  const debian = triplet === undefined ? [] : [`/usr/lib/${triplet}`, `/lib/${triplet}`];
  const folders = [...debian, '/usr/lib64', '/lib64', '/usr/lib', '/lib', '/usr/local/lib'];
  found ??= findLibxcrypt({ platform, arch, folders, resolvePackage });
  return found;
}
