const SPACE = 0x20;
const TAB = 0x09;

/** PASSWORD() of MySQL before 4.1: 62 bits, spaces and tabs left out. C counts in words of any size; 31 bits are kept. */
export function mysql323(password: Uint8Array): Buffer {
  let first = 1_345_345_333;
  let second = 0x12345671;
  let sum = 7;
  for (const byte of password) {
    if (byte === SPACE || byte === TAB) continue;
    first ^= Math.imul((first & 63) + sum, byte) + (first << 8);
    second = (second + ((second << 8) ^ first)) | 0;
    sum += byte;
  }
  const digest = Buffer.alloc(8);
  digest.writeUInt32BE(first & 0x7fffffff, 0);
  digest.writeUInt32BE(second & 0x7fffffff, 4);
  return digest;
}
