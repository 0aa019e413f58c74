import { Decoys } from './decoys.ts';
import { base64Part, bytesOf } from './formats/hash-part.ts';
import { expensivePlaces, KdfGate, SANDBOX_PLACES } from './kdf-gate.ts';
import { newHashMaker } from './new-hash.ts';
import { Passwords } from './passwords.ts';
import type { HashingSetup } from './process/hashing-messages.ts';
import { HashingProcess } from './process/hashing-process.ts';
import {
  type AlgorithmSettings,
  buildRegistry,
  pickAlgorithmSettings,
  SIGNER_KEY_ALGORITHM,
} from './registry.ts';
import type { ConfiguredSecret, HashingSecret } from './secrets.ts';
import { argon2 } from './verifiers/argon2.ts';

const MIB = 1024 * 1024;

export interface HashingSettings extends AlgorithmSettings {
  /** Name of the algorithm for new passwords (one of OWN_ALGORITHMS), in upper case. */
  readonly password_hashing_alg: string;
  /** Firebase's signer key, in base64. */
  readonly external_password_hashing_signer_key?: string;
  readonly hashing_secrets?: readonly ConfiguredSecret[];
  readonly hashing_concurrency: number;
  readonly hashing_memory_mb: number;
  readonly hashing_max_ms: number;
  readonly hashing_queue_limit: number;
}

/** @param secret instances with the same `secret` choose the same decoys for unknown e-mails */
export function buildPasswords(settings: HashingSettings, secret: string): Passwords {
  const memoryBudgetBytes = settings.hashing_memory_mb * MIB;
  // The setup is sent to the hashing process, so it must not contain other settings of the service, such as
  // API keys.
  const algorithmSettings = pickAlgorithmSettings(settings);
  const setup: HashingSetup = {
    limits: { settings: algorithmSettings, memoryBudgetBytes, maxMs: settings.hashing_max_ms },
    secrets: secretsOf(settings),
    newHashes: { algorithm: settings.password_hashing_alg.toLowerCase(), settings: algorithmSettings },
    workers: settings.hashing_concurrency,
  };
  const registry = buildRegistry(setup.limits, setup.secrets);
  const maker = newHashMaker(setup.newHashes, registry);
  return new Passwords({
    registry,
    gate: new KdfGate({
      concurrency: settings.hashing_concurrency,
      memoryBytes: memoryBudgetBytes,
      queueLimit: settings.hashing_queue_limit,
    }),
    decoys: new Decoys(maker.example, secret),
    maker,
    wrapMaker:
      setup.newHashes.algorithm === argon2.name
        ? maker
        : newHashMaker({ ...setup.newHashes, algorithm: argon2.name }, registry),
    hashingProcess: new HashingProcess(setup, { threads: expensivePlaces(settings.hashing_concurrency) }),
    sandbox: new HashingProcess(setup, { threads: 1, atOnce: SANDBOX_PLACES }),
    background: new HashingProcess(setup, {
      threads: expensivePlaces(settings.hashing_concurrency),
      inBackground: true,
    }),
  });
}

function secretsOf(settings: HashingSettings): HashingSecret[] {
  const { external_password_hashing_signer_key: signerKey, hashing_secrets: configured = [] } = settings;
  return [
    ...(signerKey === undefined
      ? []
      : [{ id: undefined, algorithm: SIGNER_KEY_ALGORITHM, bytes: decoded(signerKey) }]),
    ...configured.map(({ id, algorithm, algorithms, secret_base64 }) => ({
      id,
      algorithm,
      ...(algorithms && { algorithms }),
      bytes: decoded(secret_base64),
    })),
  ];
}

const decoded = (base64: string) => bytesOf(base64Part('a secret', base64, 'lenient'));
