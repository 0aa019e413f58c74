import type { UserState } from '../source-user.ts';

export type StateWord = 'ACTIVE' | Extract<UserState, 'DELETED' | 'DISABLED'>;

const ACTIVE = `
  accepted activated active allowed approved authorised authorized confirmed current enable enabled good granted live
  normal ok okay open permitted published reactivated registered regular reinstated unbanned unblocked unlocked valid validated
  verified`;

/** Includes words for users who may not sign in yet, who must not sign in after the import either. */
const DISABLED = `
  archive archived awaitingapproval awaitingconfirmation awaitingverification ban banned blacklisted block blocked
  blockedpendingapproval blocklisted canceled cancelled closed compromised deactivated deactive declined denied disable disabled dismissed
  dormant draft expired forbidden former frozen hidden hold inactivated inactive invitationsent invited invitepending
  lapsed ldapblocked locked lockedout nonactive notactivated notactive notapproved notconfirmed notverified onhold paused pending
  pendingactivation pendingapproval pendingconfirmation pendingemail pendinginvitation pendingreview
  pendingverification quarantined refused rejected restricted revoked spam spammer stopped suspend suspended
  terminated unactivated unapproved unauthorised unauthorized unconfirmed unregistered unvalidated unverified waiting
  withdrawn`;

const DELETED = `
  anonymised anonymized delete deleted deleting destroyed discarded erased markedfordeletion pendingdelete
  pendingdeletion purged removed scheduledfordeletion softdeleted tobedeleted todelete trash trashed`;

const listed = (words: string, state: StateWord) =>
  words
    .trim()
    .split(/\s+/)
    .map((word) => [word, state] as const);

const WORDS: ReadonlyMap<string, StateWord> = new Map([
  ...listed(ACTIVE, 'ACTIVE'),
  ...listed(DISABLED, 'DISABLED'),
  ...listed(DELETED, 'DELETED'),
]);

/** Spelling in which words for states are compared: `On-Hold` becomes `onhold`. */
export const bareWord = (text: string): string => text.toLowerCase().replace(/[\s_.-]+/g, '');

/** Meaning of a common word for a user's state. Users with an unknown word must not sign in. */
export const stateWordOf = (text: string): StateWord | undefined => WORDS.get(bareWord(text));
