/**
 * Usage: `npm run sample -- --users 1000000`. Writes users as lines for `POST /bulk-import/stream` to
 * sample.ndjson (or `--out <file>`), in a typical mixture of migrations. All of them can sign in with the
 * passwords in PASSWORDS.
 */
import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { parseArgs } from 'node:util';

/** Hashes of known passwords, at the costs that systems commonly export. */
const PASSWORDS = {
  bcrypt: {
    password: 'password',
    passwordHash: '$2y$10$EkVBmTI0cbPvPdnTYeVk8eIt6qpHk09C8DB5iZwHbYBu5ot2PyAnq',
  },
  argon2: {
    password: 'password',
    passwordHash:
      '$argon2id$v=19$m=4096,t=3,p=1$cmFuZG9tc2FsdGlzaGFyZA$DYojYpnUWSMmTtrkVXyaNWVGxLmGe1n8VJBPDdFkbjU',
  },
  external_scrypt: {
    password: 'user1password',
    passwordHash:
      '$f_scrypt$lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ==$42xEC+ixf3L2lw==$m=14$r=8$s=Bw==',
  },
};

const FIRST_NAMES =
  'ada alan amir ana bao carla chen dana dov elif emma farid grace hana ines ivan jana jose kim lea lena luis mai mara max mia nils nora omar paul rosa sara sami tara theo uma vera wei yuki zoe';
const LAST_NAMES =
  'abe adams ali baker beck berg braun costa diaz evans fischer garcia haas hill horn ito jones kaya khan klein lang lee lopez marx meyer mori nagy novak okafor park perez rossi sato silva smith tanaka vogt weber wolf young';

const firstNames = FIRST_NAMES.split(' ');
const lastNames = LAST_NAMES.split(' ');

/** Returns a pseudo-random number, the same each time, so that two samples are equal. */
function scatter(number: number): number {
  let mixed = Math.imul(number ^ (number >>> 16), 0x45d9f3b);
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x45d9f3b);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

function sampleEmail(number: number): string {
  const pick = scatter(number);
  const first = firstNames[pick % firstNames.length];
  const last = lastNames[Math.floor(pick / firstNames.length) % lastNames.length];
  return `${first}.${last}.${number}@example.com`;
}

/**
 * Returns a user. Of twenty users, nine have bcrypt hashes, four argon2, three external scrypt, three a
 * social login, and one has two logins.
 */
function sampleUser(number: number): object {
  const email = sampleEmail(number);
  const kind = number % 20;
  const social = {
    thirdPartyId: 'google',
    thirdPartyUserId: String(10 ** 17 + scatter(number) * 1e6 + number),
  };
  if (kind < 9) return { email, passwordHash: PASSWORDS.bcrypt.passwordHash };
  if (kind < 13) return { email, passwordHash: PASSWORDS.argon2.passwordHash, hashingAlgorithm: 'argon2' };
  if (kind < 16) return { email, passwordHash: PASSWORDS.external_scrypt.passwordHash };
  if (kind < 19) return { ...social, email: { id: email, isVerified: true } };
  return {
    externalUserId: `legacy-${number}`,
    userMetadata: { plan: 'free' },
    loginMethods: [
      {
        recipeId: 'emailpassword',
        email,
        isVerified: true,
        passwordHash: PASSWORDS.bcrypt.passwordHash,
        hashingAlgorithm: 'bcrypt',
        timeJoinedInMSSinceEpoch: 1_600_000_000_000 + number,
      },
      { recipeId: 'thirdparty', email, isVerified: true, ...social },
    ],
  };
}

const LINES_AT_ONCE = 1000;

function* sampleLines(first: number, end: number): Generator<string> {
  for (let start = first; start < end; start += LINES_AT_ONCE) {
    let lines = '';
    for (let number = start; number < Math.min(end, start + LINES_AT_ONCE); number += 1) {
      lines += `${JSON.stringify(sampleUser(number))}\n`;
    }
    yield lines;
  }
}

/** Writes lines of this many users to a file. Different numbers give different users. */
export async function writeSample(path: string, users: number, firstNumber = 0, flags = 'w'): Promise<void> {
  const lines = Readable.from(sampleLines(firstNumber, firstNumber + users));
  await pipeline(lines, createWriteStream(path, { flags }));
}

if (process.argv[1] === import.meta.filename) {
  const { values } = parseArgs({
    options: {
      users: { type: 'string', default: '1000' },
      out: { type: 'string', default: 'sample.ndjson' },
    },
  });
  const users = Number(values.users);
  if (!Number.isSafeInteger(users) || users < 0) throw new Error('--users must be a whole number');
  // An existing file may be somebody's export.
  await writeSample(values.out, users, 0, 'wx').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
    throw new Error(`${values.out} exists: remove it, or name another file with --out`);
  });
  process.stdout.write(`${users} users in ${values.out}\n`);
}
