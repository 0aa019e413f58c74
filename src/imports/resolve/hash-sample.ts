import type { PasswordHash } from '../../hashing/verifier.ts';

/** One of 16 imported hashes updates the statistics from which decoy hashes are chosen. */
const ONE_IN = 16;

export interface CountedHash {
  hash: PasswordHash;
  count: number;
}

/** Every hash is equally likely to be drawn, so a sender cannot choose which hashes are counted. */
export class HashSample {
  readonly drawn: CountedHash[] = [];

  add(logins: readonly { hash: PasswordHash | undefined }[]): void {
    for (const { hash } of logins) {
      if (hash === undefined) continue;
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
