import { parseExact, toJson } from '../../lib/json/exact-json.ts';
import { isJsonObject, type JsonObject } from '../../lib/json/json-object.ts';
import type { Verdict } from '../../sources/pipeline/verdict.ts';
import type { SignerKeys } from '../service-client/signer-keys.ts';

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
  const hashingSecretId = await keys.idOf(signerKey, `${row.file} row ${row.row}`);
  if (hashingSecretId === undefined) return;
  const user = parseExact(line) as JsonObject;
  const methods: unknown[] = Array.isArray(user.loginMethods) ? user.loginMethods : [];
  const loginMethods = methods.map((method) =>
    isJsonObject(method) && method.passwordHash !== undefined ? { ...method, hashingSecretId } : method,
  );
  row.line = toJson({ ...user, loginMethods });
}
