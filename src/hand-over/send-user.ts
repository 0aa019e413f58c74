import type { CoreCalls } from '../upstream/core-calls.ts';
import { isSameUser, type OutgoingUser, outgoingUsers } from './core-user.ts';
import type { DepartingUser, HandOver, LoginRecord } from './hand-over-store.ts';

export interface Placeholder {
  password: string;
  hash: string;
}

const MAX_REASON = 300;

/** Matches error messages of the core for a user who exists with the same e-mail, identity or id. */
const EXISTS = /already exists|duplicate key|^translated$/i;

/**
 * Creates a user in the core, and returns the records of its logins. May be repeated for the same user.
 * @throws {AppError} CORE_UNAVAILABLE if the result is unknown
 */
export async function sendUser(
  core: CoreCalls,
  handOver: Pick<HandOver, 'unlinked'>,
  departing: DepartingUser,
  placeholder: Placeholder,
): Promise<LoginRecord[]> {
  const { unlinked } = handOver;
  const records: LoginRecord[] = [];
  for (const outgoing of outgoingUsers(departing, { unlinked, placeholderHash: placeholder.hash })) {
    const reason = outgoing.obstacle ?? (await send(core, outgoing, departing.mayBeThere, placeholder));
    records.push(...(reason === undefined ? outgoing.records : refused(outgoing, reason)));
  }
  return records;
}

/**
 * Finds out what became of a user in state `sending`. Returns records if the core has the user. Otherwise the user is
 * `missing`, or is `unclear` and must be sent alone, because only then the core says why it refuses the user.
 * @param failed ids of users whom the core could not create. The core may still have such a user, with another password
 * @throws {AppError} CORE_UNAVAILABLE
 */
export async function settleUser(
  core: CoreCalls,
  { unlinked }: Pick<HandOver, 'unlinked'>,
  departing: DepartingUser,
  { placeholder, failed }: { placeholder: Placeholder; failed: ReadonlySet<string> },
): Promise<{ records: LoginRecord[]; missing?: DepartingUser; unclear?: DepartingUser }> {
  // A user who was not staged may have been in the core before the hand-over, with another password. Finding the user
  // there proves nothing, so the user is sent alone.
  if (!departing.isStaged) return { records: [], unclear: departing };
  const outgoing = outgoingUsers(departing, { unlinked, placeholderHash: placeholder.hash });
  if (outgoing.some(({ id }) => failed.has(id))) return { records: [], unclear: departing };
  const there = await Promise.all(outgoing.map(({ id }) => core.findUser(id)));
  if (there.every((user) => user === undefined)) return { records: [], missing: departing };
  const isThere = outgoing.every((user, index) => {
    const found = there[index];
    return found !== undefined && isSameUser(user, found);
  });
  if (!isThere) return { records: [], unclear: departing };
  return { records: outgoing.flatMap(({ records }) => records) };
}

/** Records to store before the user is sent, because from then on the core may have the user. */
export const beforeSending = (
  departing: DepartingUser,
  { unlinked }: Pick<HandOver, 'unlinked'>,
): LoginRecord[] =>
  outgoingUsers(departing, { unlinked, placeholderHash: '' })
    .flatMap(({ records }) => records)
    .map((login) => ({ ...login, state: 'sending' }));

export const refused = ({ records }: OutgoingUser, reason: string): LoginRecord[] =>
  records.map((login) => ({ ...login, state: 'refused', reason }));

export const reasonOf = (reasons: readonly string[]): string => {
  const said = reasons.join(' ');
  return EXISTS.test(said)
    ? 'The core has a user with this e-mail, identity or id already.'
    : said.slice(0, MAX_REASON);
};

/** Sends a user to the core. Returns the core's reason if it refuses the user. */
async function send(
  core: CoreCalls,
  outgoing: OutgoingUser,
  mayBeThere: boolean,
  placeholder: Placeholder,
): Promise<string | undefined> {
  const sent = await core.sendUser(outgoing.body);
  if (sent.outcome === 'created') return undefined;
  // The core refuses a user who exists. If the existing user has the placeholder password, this hand-over has created
  // the user, for example during another sign-in at the same moment.
  const isProvable = outgoing.records.some(({ state }) => state === 'waiting');
  if ((mayBeThere || isProvable) && (await isThere(core, outgoing, placeholder))) return undefined;
  return reasonOf(sent.reasons);
}

/** Returns whether an earlier attempt created the user. Waiting logins must still have the placeholder password. */
async function isThere(core: CoreCalls, outgoing: OutgoingUser, placeholder: Placeholder): Promise<boolean> {
  const there = await core.findUser(outgoing.id);
  if (there === undefined || !isSameUser(outgoing, there)) return false;
  for (const [index, { email }] of outgoing.methods.entries()) {
    if (outgoing.records[index]?.state !== 'waiting') continue;
    const { outcome } = await core.signIn(email, placeholder.password);
    if (outcome !== 'signed-in') return false;
  }
  return true;
}
