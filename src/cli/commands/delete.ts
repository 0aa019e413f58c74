import { type JsonObject, objectsIn } from '../../lib/json/json-object.ts';
import { CliError, EXIT } from '../cli-error.ts';
import type { RunCommand } from '../command.ts';
import { readServiceAddress, type ServiceAddress } from '../options/service-options.ts';
import { callService } from '../service-client/call-service.ts';
import { confirm } from '../terminal/prompt.ts';
import { printable } from '../terminal/text.ts';

/** Deletes one person: the user, and staged copies that are not imported yet. */
export const run: RunCommand = async (context) => {
  const { flags, words, terminal } = context;
  const [whom, ...others] = words;
  if (whom === undefined || others.length > 0)
    throw new CliError('delete takes one address or id: user-import delete ada@example.com');
  const service = readServiceAddress(context);
  const user = await findUser(service, whom);
  const userId = user && String(user.id);
  const names = new Set([whom.toLowerCase(), ...addressesOf(user)]);
  const staged = await findStaged(service, names);
  if (userId === undefined && staged.length === 0) throw new CliError('Nobody here has this address or id.');
  if (!flags.has('yes')) {
    if (!terminal.isInteractive)
      throw new CliError('Standard input is not a terminal, so nobody can confirm. Add --yes to delete.');
    if (!(await confirm(terminal, 'Delete this person for good? No rollback undoes that.')))
      throw new CliError('Nothing was deleted.');
  }
  // First, or a staged copy might be imported after the user is gone.
  for (let at = 0; at < staged.length; at += MAX_IDS)
    await callService(service, '/bulk-import/users/remove', {
      method: 'POST',
      body: { ids: staged.slice(at, at + MAX_IDS) },
    });
  if (userId !== undefined) await callService(service, '/user/remove', { method: 'POST', body: { userId } });
  const what = userId === undefined ? 'nobody' : `user ${printable(userId)}`;
  await terminal.answer({ userId: userId ?? null, staged: staged.length }, () =>
    [
      `Deleted ${what}, and staged copies: ${staged.length}.`,
      'What is left, and for how long: docs/deleting-a-person.md',
      '',
    ].join('\n'),
  );
  return EXIT.ok;
};

/** Maximum number of users of one request. */
const MAX_IDS = 500;

/** @throws {CliError} if several users have the address, because some of them may be other people */
async function findUser(service: ServiceAddress, whom: string): Promise<JsonObject | undefined> {
  const text = encodeURIComponent(whom);
  if (!whom.includes('@')) {
    return objectsIn([(await callService(service, `/user/id?userId=${text}`)).user])[0];
  }
  const found = await callService(service, `/users/by-accountinfo?doUnionOfAccountInfo=false&email=${text}`);
  const users = objectsIn(found.users);
  if (users.length > 1)
    throw new CliError(
      `${users.length} users have this address, perhaps not all verified. Delete by id: ${users.map(({ id }) => printable(String(id))).join(', ')}`,
    );
  return users[0];
}

const addressesOf = (user: JsonObject | undefined): string[] =>
  objectsIn(user?.loginMethods).map(({ email }) => String(email).toLowerCase());

/** Returns the ids of staged users with one of these addresses or external ids. */
async function findStaged(service: ServiceAddress, names: ReadonlySet<string>): Promise<string[]> {
  const ids: string[] = [];
  for (let token = ''; ; ) {
    const page = await callService(service, `/bulk-import/users?limit=${MAX_IDS}${token}`);
    for (const staged of objectsIn(page.users)) {
      const isMeant = [String(staged.externalUserId).toLowerCase(), ...addressesOf(staged)];
      if (isMeant.some((name) => names.has(name))) ids.push(String(staged.id));
    }
    if (typeof page.nextPaginationToken !== 'string') return ids;
    token = `&paginationToken=${page.nextPaginationToken}`;
  }
}
