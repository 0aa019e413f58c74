/** Inputs of the rounds that md5-crypt and sha-crypt share. */
interface CryptRounds {
  rounds: number;
  first: Uint8Array;
  /** The password, or what takes its place: sha-crypt digests a text of the same length instead. */
  password: Uint8Array;
  salt: Uint8Array;
  digestOf(input: Uint8Array): Uint8Array;
}

/** The order of the digested inputs depends on whether the number of the round is divisible by 2, 3 and 7. */
const CYCLE = 42;

/** Runs the rounds of md5-crypt, which sha-crypt adopted. The inputs of one cycle are built once. */
export function cryptRounds({ rounds, first, password, salt, digestOf }: CryptRounds): Uint8Array {
  const inputs = Array.from({ length: CYCLE }, (_, round) => {
    const isOdd = round % 2 === 1;
    const middle = [...(round % 3 === 0 ? [] : [salt]), ...(round % 7 === 0 ? [] : [password])];
    const input = Buffer.concat(isOdd ? [password, ...middle, first] : [first, ...middle, password]);
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
