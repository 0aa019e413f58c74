/** Refusal of a hash. The message is public: it names the broken rule, and never shows the hash. */
export class HashRefused extends Error {
  readonly reason: 'format' | 'cost' | 'secret' | 'signer-key-missing' | 'unavailable';
  constructor(reason: HashRefused['reason'], detail: string) {
    super(detail);
    this.name = 'HashRefused';
    this.reason = reason;
  }
}
