import type { PasswordHash } from '../../hashing/verifier.ts';

/** The decoys learn one hash in 16. */
const ONE_IN = 16;

/** A hash, and how many hashes it stands for. */
export interface CountedHash {
  hash: PasswordHash;
  count: number;
}

/** Draws a sample of hashes. Each is as likely to be drawn as any other, so that nobody can choose which ones count. */
export class HashSample {
  readonly drawn: CountedHash[] = [];

  add(logins: readonly { hash: PasswordHash }[]): void {
    for (const { hash } of logins) {
      const last = this.drawn.at(-1);
      if (last === undefined || last.count === ONE_IN) {
        this.drawn.push({ hash, count: 1 });
      } else {
        last.count += 1;
        if (Math.random() * last.count < 1) last.hash = hash;
      }
    }
  }
}
