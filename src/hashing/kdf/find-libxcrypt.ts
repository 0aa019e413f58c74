import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

/** How Linux distributions name it; Debian keeps the number of glibc's crypt(3). */
const NAMES = ['libcrypt.so.1', 'libcrypt.so.2'];

/** Debian has a folder for each architecture, called like this. */
const TRIPLETS: Partial<Record<NodeJS.Architecture, string>> = {
  x64: 'x86_64-linux-gnu',
  arm64: 'aarch64-linux-gnu',
  arm: 'arm-linux-gnueabihf',
  ppc64: 'powerpc64le-linux-gnu',
  riscv64: 'riscv64-linux-gnu',
  s390x: 's390x-linux-gnu',
};

/** `missing` says why it cannot be had, for people. */
export type Libxcrypt = { path: string } | { missing: string };

/** Where the library may be, and what it must be called through. */
export interface Machine {
  platform: NodeJS.Platform;
  arch: NodeJS.Architecture;
  folders: readonly string[];
  /** Can this package be loaded? */
  hasPackage(name: string, from: string | undefined): string | undefined;
}

/**
 * Finds libxcrypt and koffi, which calls it, and loads neither: native code has no business in the process that serves. The library's
 * bytes tell it from glibc's old libcrypt, which knows no yescrypt, and from one of another architecture.
 */
export function findLibxcrypt({ platform, arch, folders, hasPackage }: Machine): Libxcrypt {
  if (platform !== 'linux') return { missing: 'libxcrypt is for Linux' };
  const koffi = hasPackage('koffi', undefined);
  if (koffi === undefined || hasPackage(`@koromix/koffi-linux-${arch}`, koffi) === undefined) {
    return { missing: 'the optional package koffi is not installed' };
  }
  const places = folders.flatMap((folder) => NAMES.map((name) => `${folder}/${name}`));
  const path = places.find((place) => isLibxcrypt(place, /64|s390x/.test(arch)));
  return path === undefined ? { missing: 'libxcrypt is not on this machine' } : { path };
}

function isLibxcrypt(path: string, is64Bit: boolean): boolean {
  const bytes = readIfThere(path);
  if (bytes === undefined) return false;
  // elf(5): the magic number, and 2 for 64 bits.
  const isOurs = bytes.toString('latin1', 0, 4) === '\x7fELF' && bytes[4] === (is64Bit ? 2 : 1);
  return isOurs && bytes.includes('$y$') && bytes.includes('$gy$');
}

function readIfThere(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch {
    // Not there, or not for us: there are other places.
    return undefined;
  }
}

function hasPackage(name: string, from = import.meta.url): string | undefined {
  try {
    return createRequire(from).resolve(name);
  } catch {
    return undefined;
  }
}

function thisMachine(): Machine {
  const { platform, arch } = process;
  const triplet = TRIPLETS[arch];
  const debian = triplet === undefined ? [] : [`/usr/lib/${triplet}`, `/lib/${triplet}`];
  const folders = [...debian, '/usr/lib64', '/lib64', '/usr/lib', '/lib', '/usr/local/lib'];
  return { platform, arch, folders, hasPackage };
}

let found: Libxcrypt | undefined;

/** Looks once: what is installed later counts after a restart. */
export function libxcrypt(): Libxcrypt {
  found ??= findLibxcrypt(thisMachine());
  return found;
}
