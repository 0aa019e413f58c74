import type { Config } from '../config/schema.ts';
import { Decoys } from './decoys.ts';
import { bytesOf, checkBase64 } from './formats/base64-part.ts';
import { expensivePlaces, KdfGate } from './kdf-gate.ts';
import { newHashMaker } from './new-hash.ts';
import { Passwords } from './passwords.ts';
import type { HashingSetup } from './process/hashing-messages.ts';
import { HashingProcess } from './process/hashing-process.ts';
import { buildRegistry } from './registry.ts';

const MIB = 1024 * 1024;

/**
 * All that is done with passwords, as configured. `secret` decides which unknown e-mail gets which decoy: instances
 * that share it deal alike.
 */
export function buildPasswords(config: Config, secret: string): Passwords {
  const signerKey = config.external_password_hashing_signer_key;
  const memoryBudgetBytes = config.hashing_memory_mb * MIB;
  const setup: HashingSetup = {
    limits: {
      bcrypt: { maxCost: config.bcrypt_max_cost },
      argon2: {
        maxMemoryKb: config.argon2_max_memory_kb,
        maxIterations: config.argon2_max_iterations,
        maxParallelism: config.argon2_max_parallelism,
      },
      externalScrypt: {
        maxMemCost: config.external_scrypt_max_mem_cost,
        maxRounds: config.external_scrypt_max_rounds,
      },
      memoryBudgetBytes,
      maxMs: config.hashing_max_ms,
    },
    signerKey:
      signerKey === undefined ? undefined : bytesOf(checkBase64('the signer key', signerKey, 'lenient')),
    newHashes: {
      algorithm: config.password_hashing_alg,
      argon2: {
        memoryKb: config.argon2_memory_kb,
        iterations: config.argon2_iterations,
        parallelism: config.argon2_parallelism,
      },
      bcryptCost: config.bcrypt_log_rounds,
    },
  };
  const registry = buildRegistry(setup.limits, setup.signerKey);
  const maker = newHashMaker(setup.newHashes, registry);
  return new Passwords({
    registry,
    gate: new KdfGate({
      concurrency: config.hashing_concurrency,
      memoryBytes: memoryBudgetBytes,
      queueLimit: config.hashing_queue_limit,
    }),
    decoys: new Decoys(registry, maker.example, secret),
    maker,
    hashingProcess: new HashingProcess(setup, { threads: expensivePlaces(config.hashing_concurrency) }),
  });
}
