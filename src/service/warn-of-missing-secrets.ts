import type { Logger } from 'pino';
import type { Config } from '../config/schema.ts';
import type { UserStore } from '../users/user-store.ts';

/** Maximum number of users counted for a warning, because counting must not delay the start. */
const COUNTED = 10_000;

/** Logs a warning for each hashing secret that is not configured although users need it to sign in. */
export async function warnOfMissingSecrets(
  { store, config }: { store: Pick<UserStore, 'countBySecret'>; config: Config },
  logger: Logger,
): Promise<void> {
  const configured = {
    ids: (config.hashing_secrets ?? []).map(({ id }) => id),
    hasSignerKey: config.external_password_hashing_signer_key !== undefined,
  };
  const missing = await store.countBySecret(configured, COUNTED + 1).catch((error: unknown) => {
    logger.warn({ err: error }, 'could not check whether all secrets that users need are configured');
    return [];
  });
  for (const { id, logins } of missing) {
    const users =
      logins > COUNTED ? `more than ${COUNTED} users` : logins === 1 ? '1 user' : `${logins} users`;
    const what =
      id === undefined
        ? 'external_password_hashing_signer_key is not configured'
        : `hashing_secrets has no entry with the id ${id}`;
    logger.warn({ hashingSecretId: id, users: logins }, `${what}: ${users} cannot sign in without it`);
  }
}
