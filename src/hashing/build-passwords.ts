import { Decoys } from './decoys.ts';
import { BASE64, bytesOf, partOf } from './encodings.ts';
import { argon2 } from './families/argon2.ts';
import { OWN_SETTINGS, SIGNER_KEY_ALGORITHM } from './families.ts';
import { expensivePlaces, KdfGate } from './kdf-gate.ts';
import { Passwords } from './passwords.ts';
import { HashingProcesses } from './process/hashing-processes.ts';
import type { HashingSetup } from './process/hashing-work.ts';
import { buildRegistry, newHashMaker } from './registry.ts';
import type { ConfiguredSecret, HashingSecret } from './secrets.ts';

const MIB = 1024 * 1024;

export interface HashingSettings {
  readonly argon2_memory_kb: number;
  readonly argon2_iterations: number;
  readonly argon2_parallelism: number;
  readonly bcrypt_log_rounds: number;
  /** Name of the algorithm for new passwords (of OWN_FAMILIES), in upper case. */
  readonly password_hashing_alg: string;
  /** Firebase's signer key, in base64. */
  readonly external_password_hashing_signer_key?: string;
  readonly hashing_secrets?: readonly ConfiguredSecret[];
  readonly hashing_concurrency: number;
  readonly hashing_memory_mb: number;
  readonly hashing_max_ms: number;
  readonly hashing_queue_limit: number;
}

/**
 * Builds everything that hashes passwords.
 * @param secret instances with the same `secret` choose the same decoys for unknown e-mails
 */
export function buildPasswords(settings: HashingSettings, secret: string): Passwords {
  const concurrency = settings.hashing_concurrency;
  const memoryBudgetBytes = settings.hashing_memory_mb * MIB;
  // The setup is sent to hashing processes, so it must not contain other settings of the service, such as
  // API keys.
  const setup: HashingSetup = {
    limits: { memoryBudgetBytes, maxMs: settings.hashing_max_ms },
    secrets: secretsOf(settings),
    newHashes: {
      algorithm: settings.password_hashing_alg.toLowerCase(),
      settings: ownHashSettings(settings),
    },
  };
  const registry = buildRegistry(setup.limits, setup.secrets);
  const maker = newHashMaker(setup.newHashes, registry);
  return new Passwords({
    registry,
    gate: new KdfGate({
      concurrency,
      memoryBytes: memoryBudgetBytes,
      queueLimit: settings.hashing_queue_limit,
    }),
    decoys: new Decoys(maker.example, secret),
    maker,
    wrapMaker: newHashMaker({ ...setup.newHashes, algorithm: argon2.name }, registry),
    processes: new HashingProcesses(setup, { atMost: concurrency }),
    background: new HashingProcesses(setup, { atMost: expensivePlaces(concurrency), inBackground: true }),
  });
}

/** Returns the settings of hashes that the service makes itself, and no others. */
export const ownHashSettings = (settings: HashingSettings): Record<string, number> =>
  Object.fromEntries(OWN_SETTINGS.map(([name]) => [name, settings[name as 'argon2_memory_kb']]));

function secretsOf(settings: HashingSettings): HashingSecret[] {
  const { external_password_hashing_signer_key: signerKey, hashing_secrets: configured = [] } = settings;
  const secrets = configured.map(({ secret_base64, algorithm, ...entry }) => ({
    ...entry,
    algorithm,
    bytes: decoded(secret_base64),
  }));
  if (signerKey === undefined) return secrets;
  return [{ id: undefined, algorithm: SIGNER_KEY_ALGORITHM, bytes: decoded(signerKey) }, ...secrets];
}

const decoded = (base64: string) => bytesOf(partOf('a secret', base64, BASE64));
