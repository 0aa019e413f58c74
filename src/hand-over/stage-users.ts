import { type CoreCalls, MAX_STAGED } from '../upstream/core-calls.ts';
import { obstacleOf, outgoingUsers } from './core-user.ts';
import type { DepartingUser, HandOver, LoginRecord } from './hand-over-store.ts';
import { type Placeholder, reasonOf, recordsOf, refused } from './send-user.ts';

/** Characters of a request to the core. Users with much metadata are sent in several requests. */
const MAX_REQUEST = 8 * 1024 * 1024;

/**
 * Adds users to the core's stage (its bulk import), which creates them some minutes later.
 * @throws {AppError} CORE_UNAVAILABLE
 */
export async function stageUsers(
  core: CoreCalls,
  { unlinked }: Pick<HandOver, 'unlinked'>,
  users: readonly DepartingUser[],
  placeholder: Placeholder,
): Promise<{ staged: LoginRecord[]; refused: LoginRecord[] }> {
  const records: LoginRecord[] = [];
  const staged: LoginRecord[] = [];
  const entries = users.flatMap((departing) =>
    outgoingUsers(departing, { unlinked, placeholderHash: placeholder.hash }).map((outgoing) => ({
      body: outgoing.body,
      obstacle: obstacleOf(outgoing),
      logins: recordsOf(departing, outgoing),
    })),
  );
  for (const { obstacle, logins } of entries)
    if (obstacle !== undefined) records.push(...logins.map((login) => refused(login, obstacle)));
  for (const request of requestsOf(entries.filter(({ obstacle }) => obstacle === undefined))) {
    let left = request;
    while (left.length > 0) {
      const reasons = await core.stageUsers(left.map(({ body }) => body));
      for (const [index, said] of reasons)
        records.push(...(left[index]?.logins ?? []).map((login) => refused(login, reasonOf(said))));
      if (reasons.size === 0) {
        staged.push(...left.flatMap(({ logins }) => logins));
        break;
      }
      // The core accepts all users of a call or none, so the refused users are left out of the next call.
      left = left.filter((_entry, index) => !reasons.has(index));
    }
  }
  return { staged, refused: records };
}

function requestsOf<Entry extends { body: string }>(entries: readonly Entry[]): Entry[][] {
  const requests: Entry[][] = [];
  let size = MAX_REQUEST;
  for (const entry of entries) {
    const last = requests.at(-1);
    if (last === undefined || last.length >= MAX_STAGED || size + entry.body.length > MAX_REQUEST) {
      requests.push([entry]);
      size = entry.body.length;
    } else {
      last.push(entry);
      size += entry.body.length;
    }
  }
  return requests;
}
