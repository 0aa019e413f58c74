import type { CoreCalls } from '../upstream/core-calls.ts';
import { isSameUser, type OutgoingUser, obstacleOf, outgoingUsers } from './core-user.ts';
import type { DepartingUser, HandOver, LoginRecord } from './hand-over-store.ts';

/** The placeholder password of a hand-over and its bcrypt hash. */
export interface Placeholder {
  password: string;
  hash: string;
}

/** Longest reason that is kept, in characters. */
const MAX_REASON = 300;

/** What the core says when it has a user with this e-mail, identity or id. */
const EXISTS = /already exists|duplicate key|^translated$/i;

/**
 * Creates a user in the core, and returns what became of its logins. May be called again for the same user.
 * @throws {AppError} CORE_UNAVAILABLE if the core does not say what became of it
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
    const reason = obstacleOf(outgoing) ?? (await send(core, outgoing, departing.mayBeThere, placeholder));
    for (const { method, state, algorithm } of outgoing.logins) {
      const { recipeUserId } = method;
      const login = { recipeUserId, userId: departing.user.id, coreId: outgoing.id, algorithm };
      records.push(reason === undefined ? { ...login, state } : { ...login, state: 'refused', reason });
    }
  }
  return records;
}

/** Returns what to record before a user is sent: from then on the core may have it. */
export const beforeSending = (
  departing: DepartingUser,
  { unlinked }: Pick<HandOver, 'unlinked'>,
): LoginRecord[] =>
  outgoingUsers(departing, { unlinked, placeholderHash: '' }).flatMap(({ id, logins }) =>
    logins.map(({ method, algorithm }) => ({
      recipeUserId: method.recipeUserId,
      userId: departing.user.id,
      coreId: id,
      state: 'sending' as const,
      algorithm,
    })),
  );

/** Returns why the core refuses the user. Undefined if the core has it. */
async function send(
  core: CoreCalls,
  outgoing: OutgoingUser,
  mayBeThere: boolean,
  placeholder: Placeholder,
): Promise<string | undefined> {
  const sent = await core.sendUser(outgoing.body);
  if (sent.outcome === 'created') return undefined;
  if (mayBeThere && (await isThere(core, outgoing, placeholder))) return undefined;
  const said = sent.reasons.join(' ');
  return EXISTS.test(said)
    ? 'The core has a user with this e-mail, identity or id already.'
    : said.slice(0, MAX_REASON);
}

/** Returns whether the core has the user from an earlier attempt. A user who waits is recognised by the placeholder. */
async function isThere(core: CoreCalls, outgoing: OutgoingUser, placeholder: Placeholder): Promise<boolean> {
  const there = await core.findUser(outgoing.id);
  if (there === undefined || !isSameUser(outgoing, there)) return false;
  for (const { method, state } of outgoing.logins) {
    if (state !== 'waiting') continue;
    const { outcome } = await core.signIn(method.email, placeholder.password);
    if (outcome !== 'signed-in') return false;
  }
  return true;
}
