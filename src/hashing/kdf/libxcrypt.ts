import { libxcrypt } from './find-libxcrypt.ts';

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
 * Call this only in a separate process: the call is synchronous, and a bug in the library crashes the
 * process. `password` and `setting` must not contain a NUL.
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
