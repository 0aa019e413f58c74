import { expect, it } from 'vitest';
import { md5 } from '../../../src/hashing/kdf/digests.ts';
import { MD5_BLOCK_BYTES, md5State } from '../../../src/hashing/kdf/md4-and-md5.ts';

it.each(['', 'abc', 'message digest', 'x'.repeat(55)])(
  'equals the digest if the message ends with the block: "%s"',
  (text) => {
    const block = Buffer.alloc(MD5_BLOCK_BYTES);
    block.write(`${text}\u0080`, 'latin1');
    block.writeUInt32LE(8 * text.length, MD5_BLOCK_BYTES - 8);
    expect(md5State(block)).toEqual(md5(text));
  },
);
