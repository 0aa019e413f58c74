import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { NONCE_BYTES, signerKeyFingerprint } from '../../hashing/secrets.ts';
import { parseExact, toJson } from '../../lib/json/exact-json.ts';
import { type JsonObject, objectsIn } from '../../lib/json/json-object.ts';
import { decodeBase64 } from '../../lib/text/base64.ts';
import type { Verdict } from '../../sources/pipeline/verdict.ts';
import { CliError } from '../cli-error.ts';
import type { ServiceAddress } from '../options/service-options.ts';
import { callService } from './call-service.ts';

/** Maximum number of different signer keys in the files. Firebase exports have one key, or a few. */
const MAX_KEYS = 1000;

interface SignerKeyOptions {
  /** Id of the hashing secret that the operator chose with `--hashing-secret-id`. */
  namedId: string | undefined;
  /** Whether messages may show keys (--show). By default they do not, because messages end up in logs. */
  isShown: boolean;
}

/**
 * Returns the hashingSecretId for a signer key, or undefined if its hashes need none.
 * @throws {CliError} if the service does not have the key; the message has the lines to add to its configuration
 * @throws {ServiceProblem}
 */
export type SecretIdOf = (key: string, where: string) => Promise<string | undefined>;

/**
 * Returns a function that finds the service's id of a signer key in a Firebase export. It calls the service once, when
 * the first key is needed. The service never receives a key: it sends fingerprints of its own keys, which are compared
 * here.
 */
export function signerKeys(service: ServiceAddress, { namedId, isShown }: SignerKeyOptions): SecretIdOf {
  const nonce = randomBytes(NONCE_BYTES.min);
  const ids = new Map<string, string | undefined>();
  let asking: Promise<JsonObject> | undefined;

  async function find(key: string, where: string): Promise<string | undefined> {
    const bytes = decodeBase64(key, 'lenient');
    if ('problem' in bytes) throw new CliError(`${where}: the signer key beside the hash ${bytes.problem}.`);
    asking ??= callService(service, '/recipe/user/passwordhash/signer-keys', {
      ...{ method: 'POST', body: { nonce: nonce.toString('base64') } },
    });
    const configured = objectsIn((await asking).signerKeys);
    const own = signerKeyFingerprint(bytes, nonce);
    const isNamed = ({ hashingSecretId }: JsonObject) => namedId !== undefined && hashingSecretId === namedId;
    const matching = configured.filter(({ fingerprint }) => isSame(fingerprint, own));
    // For some secrets, the service sends no fingerprint. If --hashing-secret-id names one of these, it is not checked.
    if (configured.some((one) => isNamed(one) && !one.fingerprint) || matching.some(isNamed)) return namedId;
    const [found] = matching;
    if (found === undefined) throw new CliError(missingText(key, where, isShown));
    const id = typeof found.hashingSecretId === 'string' ? found.hashingSecretId : undefined;
    if (namedId === undefined) return id;
    const right = id === undefined ? 'leave it out' : `it is ${id}`;
    throw new CliError(`--hashing-secret-id ${namedId} is not the signer key of ${where}: ${right}.`);
  }

  return async (key, where) => {
    if (!ids.has(key) && ids.size >= MAX_KEYS)
      throw new CliError(
        `${where}: the files have more than ${MAX_KEYS} signer keys. Import the users of each Firebase project separately.`,
      );
    if (!ids.has(key)) ids.set(key, await find(key, where));
    return ids.get(key);
  };
}

function isSame(fingerprint: unknown, own: Buffer): boolean {
  const bytes = Buffer.from(typeof fingerprint === 'string' ? fingerprint : '', 'base64');
  return bytes.length === own.length && timingSafeEqual(bytes, own);
}

function missingText(key: string, where: string, isShown: boolean): string {
  const id = `signer-key-${createHash('sha256').update(key).digest('hex').slice(0, 8)}`;
  return [
    `The service does not have the signer key of ${where}, so those users could not sign in. Add these lines to config.yaml, restart the service, and run this command again:`,
    '',
    'hashing_secrets:',
    `  - id: ${id}`,
    '    algorithms: [external_scrypt]',
    `    secret_base64: ${isShown ? key : '"…"   # the signer key of the export; --show writes it here'}`,
    '',
    'If hashing_secrets exists already, add the last three lines to it. If an entry has this key, and serves other algorithms as well, name it with --hashing-secret-id.',
  ].join('\n');
}

/**
 * Adds ids of the service's signer keys to import lines.
 * @throws as `SecretIdOf`
 */
export async function* withSecretIds(
  batches: AsyncIterable<readonly Verdict[]>,
  idOf: SecretIdOf,
): AsyncGenerator<readonly Verdict[]> {
  for await (const batch of batches) {
    // Rows without a signer key are skipped here, because most exports have none and each await takes time.
    for (const row of batch) if (row.signerKey !== undefined) await nameSecret(row, idOf);
    yield batch;
  }
}

/**
 * Adds the id of the service's signer key to the import line and removes the key from the row.
 * @throws as `SecretIdOf`
 */
export async function nameSecret(row: Verdict, idOf: SecretIdOf): Promise<void> {
  const { line, signerKey } = row;
  if (line === undefined || signerKey === undefined) return;
  row.signerKey = undefined;
  const hashingSecretId = await idOf(signerKey, `row ${row.row} of ${row.file}`);
  if (hashingSecretId === undefined) return;
  const user = parseExact(line) as JsonObject;
  const loginMethods = objectsIn(user.loginMethods).map((method) =>
    method.passwordHash === undefined ? method : { ...method, hashingSecretId },
  );
  row.line = toJson({ ...user, loginMethods });
}
