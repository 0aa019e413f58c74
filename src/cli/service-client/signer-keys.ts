import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { NONCE_BYTES, signerKeyFingerprint } from '../../hashing/signer-key-fingerprint.ts';
import { parseExact, toJson } from '../../lib/json/exact-json.ts';
import { type JsonObject, objectsIn } from '../../lib/json/json-object.ts';
import { decodeBase64 } from '../../lib/text/base64.ts';
import type { Verdict } from '../../sources/pipeline/verdict.ts';
import { CliError } from '../cli-error.ts';
import type { CommandContext } from '../command.ts';
import type { ServiceAddress } from '../options/service-options.ts';
import { callService } from './call-service.ts';

/** Maximum number of different signer keys in the files. Firebase exports have one key, or a few. */
const MAX_KEYS = 1000;

/** A signer key in the service's configuration. The service sends a fingerprint, not the key. */
interface ConfiguredKey {
  id: string | undefined;
  fingerprint: Buffer | undefined;
}

/**
 * Compares signer keys of Firebase exports with those of the service. The service is asked once, when the
 * first key is needed, and never receives a key.
 */
export class SignerKeys {
  readonly #isShown: boolean;
  readonly #service: ServiceAddress;
  readonly #namedId: string | undefined;
  readonly #nonce = randomBytes(NONCE_BYTES.min);
  readonly #ids = new Map<string, string | undefined>();
  #configured: Promise<readonly ConfiguredKey[]> | undefined;

  /** @param namedId id of the hashing secret that the operator chose with `--hashing-secret-id` */
  constructor(
    { flags }: Pick<CommandContext, 'flags'>,
    service: ServiceAddress,
    namedId: string | undefined,
  ) {
    this.#isShown = flags.has('show');
    this.#service = service;
    this.#namedId = namedId;
  }

  /**
   * Returns the hashingSecretId for a signer key, or undefined if its hashes need none.
   * @throws {CliError} if the service does not have the key; the message has the lines to add to its
   * configuration
   * @throws {ServiceProblem}
   */
  async idOf(key: string, where: string): Promise<string | undefined> {
    if (!this.#ids.has(key)) {
      if (this.#ids.size >= MAX_KEYS)
        throw new CliError(
          `${where}: the files have more than ${MAX_KEYS} signer keys. Import the users of each Firebase project separately.`,
        );
      this.#ids.set(key, await this.#find(key, where));
    }
    return this.#ids.get(key);
  }

  async #find(key: string, where: string): Promise<string | undefined> {
    const namedId = this.#namedId;
    const bytes = decodeBase64(key, 'lenient');
    if ('problem' in bytes) throw new CliError(`${where}: the signer key beside the hash ${bytes.problem}.`);
    this.#configured ??= this.#readConfigured();
    const configured = await this.#configured;
    const own = signerKeyFingerprint(bytes, this.#nonce);
    const matching = configured.filter(
      ({ fingerprint }) => fingerprint?.length === own.length && timingSafeEqual(fingerprint, own),
    );
    // The service sends no fingerprint for the secret that --hashing-secret-id names.
    if (configured.some(({ id, fingerprint }) => id === namedId && id !== undefined && !fingerprint))
      return namedId;
    if (namedId !== undefined && matching.some(({ id }) => id === namedId)) return namedId;
    const [found] = matching;
    if (found === undefined) throw new CliError(missingText(key, { where, isShown: this.#isShown }));
    if (namedId !== undefined) {
      const right = found.id === undefined ? 'leave it out' : `it is ${found.id}`;
      throw new CliError(`--hashing-secret-id ${namedId} is not the signer key of ${where}: ${right}.`);
    }
    return found.id;
  }

  async #readConfigured(): Promise<readonly ConfiguredKey[]> {
    const { signerKeys } = await callService(this.#service, '/recipe/user/passwordhash/signer-keys', {
      method: 'POST',
      body: { nonce: this.#nonce.toString('base64') },
    });
    return objectsIn(signerKeys).map(configuredKey);
  }
}

const configuredKey = ({ hashingSecretId, fingerprint }: JsonObject): ConfiguredKey => ({
  id: typeof hashingSecretId === 'string' ? hashingSecretId : undefined,
  fingerprint: typeof fingerprint === 'string' ? Buffer.from(fingerprint, 'base64') : undefined,
});

/** Leaves the key out unless the operator passes --show, because messages end up in logs. */
function missingText(key: string, { where, isShown }: { where: string; isShown: boolean }): string {
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
 * @throws as `SignerKeys`
 */
export async function* withSecretIds(
  batches: AsyncIterable<readonly Verdict[]>,
  keys: Pick<SignerKeys, 'idOf'>,
): AsyncGenerator<readonly Verdict[]> {
  for await (const batch of batches) {
    // Most exports have no signer keys, and each await costs a turn of the event loop.
    for (const row of batch) if (row.signerKey !== undefined) await nameSecret(row, keys);
    yield batch;
  }
}

/**
 * Adds the id of the service's signer key to the import line and removes the key from the row.
 * @throws as `SignerKeys`
 */
export async function nameSecret(row: Verdict, keys: Pick<SignerKeys, 'idOf'>): Promise<void> {
  const { line, signerKey } = row;
  if (line === undefined || signerKey === undefined) return;
  row.signerKey = undefined;
  const hashingSecretId = await keys.idOf(signerKey, `row ${row.row} of ${row.file}`);
  if (hashingSecretId === undefined) return;
  const user = parseExact(line) as JsonObject;
  const loginMethods = objectsIn(user.loginMethods).map((method) =>
    method.passwordHash === undefined ? method : { ...method, hashingSecretId },
  );
  row.line = toJson({ ...user, loginMethods });
}
