import type { PasswordReading } from './password-reading.ts';

const SPACE = 0x20;
const TAB = 0x09;

/** Reading of old MySQL, which removes spaces and tabs. Any password therefore also matches with blanks inserted. */
export const WITHOUT_BLANKS: PasswordReading = {
  of: (password) => password.filter((byte) => byte !== SPACE && byte !== TAB) as Buffer,
  isOnly: () => false,
};

/**
 * Computes PASSWORD() of MySQL before 4.1. MySQL computes it in `unsigned long` and keeps 31 bits, so 32 bits suffice
 * here.
 */
export function mysql323(password: Uint8Array): Buffer {
  let first = 1_345_345_333;
  let second = 0x12345671;
  let sum = 7;
  for (const byte of password) {
    first ^= Math.imul((first & 63) + sum, byte) + (first << 8);
    second = (second + ((second << 8) ^ first)) | 0;
    sum += byte;
  }
  const digest = Buffer.alloc(8);
  digest.writeUInt32BE(first & 0x7fffffff, 0);
  digest.writeUInt32BE(second & 0x7fffffff, 4);
  return digest;
}
