/** What the loop of md5-crypt and sha-crypt works on. */
export interface CryptRounds {
  rounds: number;
  /** The digest that the first round begins with. */
  first: Uint8Array;
  /** The password, or the bytes that stand for it: as many as it has. */
  password: Uint8Array;
  salt: Uint8Array;
  digestOf(input: Uint8Array): Uint8Array;
}

/** After so many rounds the pattern begins anew: it goes by 2, 3 and 7. */
const CYCLE = 42;

/**
 * The rounds that md5-crypt began and sha-crypt took over. Each digests the last digest, the password and the salt, in an order that
 * depends on the number of the round. There are eight orders, so the inputs are laid out once, and a round only puts in its digest.
 */
export function cryptRounds({ rounds, first, password, salt, digestOf }: CryptRounds): Uint8Array {
  const inputs = Array.from({ length: CYCLE }, (_, round) => {
    const isOdd = round % 2 === 1;
    const middle = [round % 3 === 0 ? [] : salt, round % 7 === 0 ? [] : password];
    const parts = isOdd ? [password, ...middle, first] : [first, ...middle, password];
    const input = Buffer.concat(parts.map((part) => Uint8Array.from(part)));
    return { input, at: isOdd ? input.length - first.length : 0 };
  });
  let digest = first;
  for (let start = 0; start < rounds; start += CYCLE) {
    const left = rounds - start;
    for (const { input, at } of left < CYCLE ? inputs.slice(0, left) : inputs) {
      input.set(digest, at);
      digest = digestOf(input);
    }
  }
  return digest;
}
