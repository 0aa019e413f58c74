import fc from 'fast-check';
import { hashNumber } from './model-streams.ts';

/** A person in the former system, and what became of the person here. */
export interface Account {
  email: string;
  /** Variant of the hash. */
  hash: number;
  plan: string;
  isVerified: boolean;
  /** Account at Google that signs the person in as well. */
  google?: string | undefined;
}

export type Accounts = ReadonlyMap<string, Account>;

export interface Stored extends Account {
  hasOwnPassword: boolean;
  hasOwnEmail: boolean;
  hasSignedIn: boolean;
  /** Address that was verified before the owner took another one. It counts as verified if the owner takes it again. */
  earlierVerified?: string | undefined;
  /** How the account stands in a core that it was handed over to. */
  inCore?: 'waiting' | 'settled';
}

const hash = fc.nat(3000);

/** The first export: people with ids from 1 on, and addresses of the same number. */
export const exports_ = (maxLength: number): fc.Arbitrary<Map<string, Account>> =>
  fc
    .array(
      fc.record({
        ...{ hash, plan: fc.constantFrom('free', 'pro'), isVerified: fc.boolean() },
        hasGoogle: fc.boolean(),
      }),
      { minLength: 2, maxLength, size: 'max' },
    )
    .map(
      (all) =>
        new Map(
          all.map(({ hasGoogle, ...one }, index) => [
            `old-${index}`,
            { ...one, email: `${index}@b.c`, ...(hasGoogle && { google: `g-${index % 4}-${index}` }) },
          ]),
        ),
    );

/** Changes in the former system. Places are taken modulo the number of people. */
export type Change =
  | { what: 'address' | 'delete' | 'register' | 'verified' | 'profile' | 'unlink'; place: number }
  /** The person gets an account at Google: one that nobody else has any more, if possible. */
  | { what: 'link'; place: number }
  | { what: 'password'; place: number; hash: number }
  /** Each of some people gets the address of the next one, and the last one that of the first, or a new one. */
  | { what: 'exchange'; places: number[]; isCircle: boolean };

const place = fc.nat(40);
export const changes = (maxLength: number): fc.Arbitrary<Change[]> =>
  fc.array(
    fc.oneof(
      fc.record({
        what: fc.constantFrom(
          ...(['address', 'address', 'delete', 'register', 'verified', 'profile'] as const),
          ...(['link', 'link', 'unlink'] as const),
        ),
        place,
      }),
      fc.record({ what: fc.constant('password' as const), place, hash }),
      {
        weight: 2,
        arbitrary: fc.record({
          what: fc.constant('exchange' as const),
          places: fc.array(place, { minLength: 2, maxLength: 8 }),
          isCircle: fc.boolean(),
        }),
      },
    ),
    { maxLength, size: 'max' },
  );

/** Returns the accounts after these changes. Addresses stay unique. */
export function changed(accounts: Accounts, all: readonly Change[]): Map<string, Account> {
  const now = new Map([...accounts].map(([id, account]) => [id, { ...account }]));
  for (const [index, change] of all.entries()) {
    const ids = [...now.keys()];
    const idAt = (at: number) => ids[at % Math.max(1, ids.length)] ?? '';
    if (change.what === 'exchange') {
      const members = [...new Set(change.places.map(idAt))].flatMap((id) => now.get(id) ?? []);
      const emails = members.map(({ email }) => email);
      for (const [at, member] of members.entries())
        member.email = emails[at + 1] ?? (change.isCircle ? (emails[0] ?? '') : `end-${index}@b.c`);
      continue;
    }
    const id = idAt(change.place);
    const account = now.get(id);
    if (account === undefined) continue;
    if (change.what === 'delete') now.delete(id);
    else if (change.what === 'register') {
      // Half of the new people take the address of somebody who has left it.
      const used = new Set([...now.values()].map(({ email }) => email));
      const left = [...accounts.values()].map(({ email }) => email).find((email) => !used.has(email));
      const email = change.place % 2 === 0 && left !== undefined ? left : `new-${index}@b.c`;
      now.set(`new-${index}`, { email, hash: change.place, plan: 'free', isVerified: false });
    } else if (change.what === 'address') {
      // Addresses that people may also take here.
      const email = `own-${change.place % 7}@b.c`;
      const isUsed = [...now.values()].some((one) => one.email === email);
      account.email = isUsed || index % 2 === 0 ? `moved-${index}@b.c` : email;
    } else if (change.what === 'link') {
      const used = new Set([...now.values()].map(({ google }) => google));
      const left = [...accounts.values()].map(({ google }) => google).find((google) => !used.has(google));
      const own = accounts.get(id)?.google;
      const other = index % 3 === 0 ? `g-new-${index}` : (left ?? `g-${index}`);
      // Nobody has two accounts at Google here, because login methods are not removed.
      if (account.google === undefined && (own === undefined || !used.has(own)))
        account.google = own ?? other;
    } else if (change.what === 'unlink') account.google = undefined;
    else if (change.what === 'password') account.hash = change.hash;
    else if (change.what === 'verified') account.isVerified = !account.isVerified;
    else account.plan = `plan-${index}`;
  }
  return now;
}

export const lineOf = ([externalUserId, account]: [string, Account]) => {
  const { email, hash: variant, plan, isVerified, google } = account;
  // Shows that a line with another address and hash is about the same person.
  const timeJoinedInMSSinceEpoch = 1 + Number(externalUserId.replace(/\D/g, ''));
  const password = {
    ...{ recipeId: 'emailpassword', email, isVerified, passwordHash: hashNumber(variant) },
    timeJoinedInMSSinceEpoch,
  };
  const social = {
    ...{ recipeId: 'thirdparty', email: `${google}@google.c` },
    ...{ thirdPartyId: 'google', thirdPartyUserId: google },
  };
  return {
    ...{ externalUserId, userMetadata: { plan } },
    loginMethods: google === undefined ? [password] : [{ ...password, isPrimary: true }, social],
  };
};

/** Returns whether two accounts differ by the hash at most. */
export const areSameBesideHash = (a: Account, b: Account) =>
  a.email === b.email && a.plan === b.plan && a.isVerified === b.isVerified && a.google === b.google;

/** Returns whether a stored account is as the line says. A login method that the line lacks stays. */
const isSame = (stored: Account, line: Account) =>
  areSameBesideHash(stored, { ...line, google: line.google ?? stored.google }) &&
  hashNumber(stored.hash) === hashNumber(line.hash);

/**
 * Returns what the import of an export makes of the users here, as simply as possible: everybody in it gets what
 * it says, except people who changed something here, those whose address somebody keeps who is not one of
 * them, and those whom a core has: only their hash changes, and only if they wait.
 * @returns the users, and the final status of each person
 */
export function imported(
  before: ReadonlyMap<string, Stored>,
  exported: Accounts,
  onConflict: 'update-unchanged' | 'overwrite',
  deletes: boolean,
): { users: Map<string, Stored>; statuses: Map<string, string> } {
  const isActive = ({ hasOwnPassword, hasOwnEmail, hasSignedIn }: Stored) =>
    onConflict === 'update-unchanged' && (hasOwnPassword || hasOwnEmail || hasSignedIn);
  const left = [...before].filter(
    ([id, one]) => !deletes || exported.has(id) || isActive(one) || one.inCore !== undefined,
  );
  const stored = new Map(left);
  const statuses = new Map<string, string>();
  const going = new Map<string, Account>();
  for (const [id, account] of exported) {
    const here = stored.get(id);
    if (here?.inCore !== undefined) {
      const isOther = here.hasOwnPassword || hashNumber(here.hash) !== hashNumber(account.hash);
      const isUpdated =
        here.inCore === 'waiting' && isOther && !(here.hasOwnPassword && onConflict === 'update-unchanged');
      const isFailed = here.email !== account.email;
      statuses.set(id, isFailed ? 'FAILED' : isUpdated ? 'UPDATED' : 'SKIPPED');
      if (isUpdated && !isFailed) stored.set(id, { ...here, hash: account.hash, hasOwnPassword: false });
      continue;
    }
    const isKept =
      onConflict === 'update-unchanged' &&
      here !== undefined &&
      (here.hasOwnPassword ||
        (here.hasOwnEmail &&
          (here.email !== account.email || here.google !== (account.google ?? here.google))));
    if (isKept || (here !== undefined && !here.hasOwnPassword && isSame(here, account)))
      statuses.set(id, 'SKIPPED');
    else going.set(id, account);
  }
  for (let isStable = false; !isStable; ) {
    isStable = true;
    for (const [id, { email, google }] of going) {
      // Nobody gives an account at Google away.
      const isTaken = [...stored].some(
        ([other, one]) =>
          other !== id &&
          ((one.email === email && !going.has(other)) || (google !== undefined && one.google === google)),
      );
      if (!isTaken) continue;
      going.delete(id);
      statuses.set(id, 'FAILED');
      isStable = false;
    }
  }
  const users = new Map(stored);
  for (const [id, account] of going) {
    statuses.set(id, stored.has(id) ? 'UPDATED' : 'CREATED');
    // An address that was changed here and came back with the line is still the one of here.
    const keepsEmail = stored.get(id)?.hasOwnEmail === true && stored.get(id)?.email === account.email;
    const hasSignedIn = stored.get(id)?.hasSignedIn === true;
    const google = account.google ?? stored.get(id)?.google;
    users.set(id, {
      ...{ ...account, google, hasOwnPassword: false, hasOwnEmail: keepsEmail, hasSignedIn },
    });
  }
  return { users, statuses };
}
