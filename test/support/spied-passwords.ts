import { Decoys } from '../../src/hashing/decoys.ts';
import { FAMILIES } from '../../src/hashing/families.ts';
import type { Family } from '../../src/hashing/family.ts';
import { OpenedHash } from '../../src/hashing/form.ts';
import { KdfGate } from '../../src/hashing/kdf-gate.ts';
import { Passwords } from '../../src/hashing/passwords.ts';
import { buildRegistry, newHashMaker } from '../../src/hashing/registry.ts';
import { CHEAP_LIMITS, CHEAP_SETTINGS } from './vectors.ts';

export interface SpiedPasswords {
  passwords: Passwords;
  /** Lets nothing else be computed until the returned function is called. */
  occupy(): () => void;
  /** Hash of each key derivation so far, without salt and digest. It shows the cost. */
  work: string[];
  /** Each parsed hash so far, once for each time it was parsed. */
  parsed: string[];
}

/** Returns real passwords, whose families record what they parse and compute. */
export function spiedPasswords(queueLimit = 100): SpiedPasswords {
  const work: string[] = [];
  const parsed: string[] = [];
  const spied = (family: Family): Family => ({
    ...family,
    read(encoded) {
      parsed.push(encoded);
      const opened = family.read(encoded);
      const { formula } = opened.form;
      const spiedFormula = {
        ...formula,
        of(inputs: Parameters<typeof formula.of>[0]) {
          work.push(opened.decoy());
          return formula.of(inputs);
        },
      };
      const { options, owner } = opened.form;
      const form = { formula: spiedFormula, options, owner, zeroed: opened.form.zeroed.bind(opened.form) };
      return new OpenedHash(form, encoded, opened.parts, opened.inner);
    },
  });
  const registry = buildRegistry(CHEAP_LIMITS, [], FAMILIES.map(spied));
  const maker = newHashMaker({ algorithm: 'argon2', settings: CHEAP_SETTINGS }, registry);
  const gate = new KdfGate({ concurrency: 1, memoryBytes: CHEAP_LIMITS.memoryBudgetBytes, queueLimit });
  const passwords = new Passwords({
    registry,
    gate,
    decoys: new Decoys(maker.example, 'a secret'),
    maker,
    wrapMaker: maker,
  });
  const occupy = () => {
    let finish = () => {};
    const finished = new Promise<void>((resolve) => {
      finish = resolve;
    });
    void gate.run({ memoryBytes: CHEAP_LIMITS.memoryBudgetBytes, ms: 1 }, () => finished);
    return finish;
  };
  return { passwords, occupy, work, parsed };
}
