import { libxcrypt } from './find-libxcrypt.ts';

/** Above `struct crypt_data` of libxcrypt (32 KiB), which the library compares with it. */
const DATA_BYTES = 64 * 1024;

/** Both are C strings. Returns the hash, or null. */
type CryptRn = (phrase: Buffer, setting: Buffer, data: Buffer, size: number) => string | null;

let loading: Promise<CryptRn> | undefined;

async function load(): Promise<CryptRn> {
  const place = libxcrypt();
  if ('missing' in place) throw new Error(place.missing);
  const { default: koffi } = await import('koffi');
  // As `const char *` a Buffer would be read without its end. glibc's libcrypt has no crypt_rn, so that it cannot be taken for this one.
  return koffi
    .load(place.path)
    .func('const char *crypt_rn(void *phrase, void *setting, void *data, int size)');
}

const cStringOf = (bytes: Buffer) => Buffer.concat([bytes, Buffer.of(0)]);

/**
 * Returns the hash that crypt(3) of libxcrypt makes. The call is synchronous, and a mistake in the library is a crash: only for a process of
 * its own. `password` and `setting` have no NUL.
 * @throws {Error} when it makes none: it has no memory, or does not know the setting
 */
export async function cryptByLibrary(password: Buffer, setting: string): Promise<string> {
  loading ??= load();
  const cryptRn = await loading;
  const data = Buffer.alloc(DATA_BYTES);
  const hash = cryptRn(cStringOf(password), cStringOf(Buffer.from(setting)), data, data.length);
  if (hash === null || !hash.startsWith(setting)) throw new Error('libxcrypt made no hash of this setting');
  return hash;
}
