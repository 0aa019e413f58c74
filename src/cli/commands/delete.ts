import { type JsonObject, objectsIn } from '../../lib/json/json-object.ts';
import { CliError, EXIT } from '../cli-error.ts';
import type { RunCommand } from '../command.ts';
import { readServiceAddress, type ServiceAddress } from '../options/service-options.ts';
import { callService, pagesOf } from '../service-client/call-service.ts';
import { confirmOrStop } from '../terminal/prompt.ts';
import { printable } from '../terminal/text.ts';

/** Deletes one person: the user, and staged copies that are not imported yet. */
export const run: RunCommand = async (context) => {
  const [whom = ''] = context.words;
  const service = readServiceAddress(context);
  const user = await findUser(service, whom);
  const userId = user && String(user.id);
  // Unverified addresses of third-party logins do not count: anybody can enter another person's address at a provider.
  const addresses = new Set([whom.toLowerCase(), ...addressesOf(user, isOwn)]);
  const staged = await findStaged(service, whom, addresses);
  if (userId === undefined && staged.length === 0) throw new CliError('Nobody here has this address or id.');
  const what = userId === undefined ? 'nobody' : `user ${printable(userId)}`;
  const known = addressesOf(user).map(printable).join(', ');
  await confirmOrStop(
    context,
    `To be deleted: ${what}${known && ` (${known})`}, and staged copies: ${staged.length}. No rollback undoes that. Go on?`,
  );
  // Staged copies are removed first; otherwise, one could be imported after the user is deleted.
  for (let at = 0; at < staged.length; at += MAX_IDS) {
    const body = { ids: staged.slice(at, at + MAX_IDS) };
    const removed = await callService(service, '/bulk-import/users/remove', { method: 'POST', body });
    if (!Array.isArray(removed.invalidIds) || removed.invalidIds.length > 0)
      throw new CliError(
        'A staged copy was imported or removed meanwhile. Run it again, to delete that user.',
      );
  }
  if (userId !== undefined) await callService(service, '/user/remove', { method: 'POST', body: { userId } });
  await context.terminal.done({ userId: userId ?? null, staged: staged.length }, () => [
    `Deleted ${what}, and staged copies: ${staged.length}.`,
    'What is left, and for how long: docs/deleting-a-person.md',
  ]);
  return EXIT.ok;
};

/** Maximum number of staged users that one request removes. */
const MAX_IDS = 500;

/** @throws {CliError} if several users have the address, because some of them may be other people */
async function findUser(service: ServiceAddress, whom: string): Promise<JsonObject | undefined> {
  const text = encodeURIComponent(whom);
  if (!whom.includes('@'))
    return objectsIn([(await callService(service, `/user/id?userId=${text}`)).user])[0];
  const found = await callService(service, `/users/by-accountinfo?doUnionOfAccountInfo=false&email=${text}`);
  const users = objectsIn(found.users);
  if (users.length <= 1) return users[0];
  const ids = users.map(({ id }) => printable(String(id))).join(', ');
  throw new CliError(
    `${users.length} users have this address, perhaps not all verified. Delete by id: ${ids}`,
  );
}

const isOwn = ({ recipeId, verified }: JsonObject): boolean =>
  verified === true || recipeId === 'emailpassword';

const addressesOf = (
  user: JsonObject | undefined,
  isMeant: (method: JsonObject) => boolean = () => true,
): string[] =>
  objectsIn(user?.loginMethods)
    .filter(isMeant)
    .flatMap(({ email }) => (typeof email === 'string' ? email.toLowerCase() : []));

/** Returns the ids of staged users with this external id (case-sensitive) or one of these lower-case addresses. */
async function findStaged(
  service: ServiceAddress,
  externalId: string,
  addresses: ReadonlySet<string>,
): Promise<string[]> {
  const ids: string[] = [];
  for await (const { items } of pagesOf(service, '/bulk-import/users', { list: 'users' }))
    for (const { id, externalUserId, loginMethods } of items) {
      const isAlike = addressesOf({ loginMethods }).some((address) => addresses.has(address));
      if (isAlike || externalUserId === externalId) ids.push(String(id));
    }
  return ids;
}
