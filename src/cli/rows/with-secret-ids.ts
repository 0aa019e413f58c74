import { parseExact, toJson } from '../../imports/input/exact-json.ts';
import { isJsonObject, type JsonObject } from '../../imports/input/json-object.ts';
import type { Verdict } from '../../sources/pipeline/verdict.ts';
import type { SignerKeys } from '../service/signer-keys.ts';

/** Names, in the lines of rows with a signer key, the secret by which the service has that key. @throws as `SignerKeys` */
export async function* withSecretIds(
  batches: AsyncIterable<readonly Verdict[]>,
  keys: Pick<SignerKeys, 'idOf'>,
): AsyncGenerator<readonly Verdict[]> {
  for await (const batch of batches) {
    // Most exports have no signer keys. To wait for each row nevertheless would cost a turn each.
    for (const row of batch) if (row.signerKey !== undefined) await nameSecret(row, keys);
    yield batch;
  }
}

/** @throws as `SignerKeys` */
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
