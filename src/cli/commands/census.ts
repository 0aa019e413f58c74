import { setTimeout as sleep } from 'node:timers/promises';
import { type JsonObject, objectsIn } from '../../lib/json/json-object.ts';
import { CliError, EXIT } from '../cli-error.ts';
import type { RunCommand } from '../command.ts';
import { readServiceAddress } from '../options/service-options.ts';
import { callService } from '../service-client/call-service.ts';
import { count, durationText, linesOf, rowsOf, table, timeText } from '../terminal/text.ts';

export const VAIN_WAITING =
  'The service does not ask the legacy system (legacy_signin_for is off), so nobody who waits for a first sign-in can sign in. See docs/moving-in.md';

/**
 * Maximum number of requests for the counts. The first request starts the counting, unless it has just ended; later ones
 * ask for its result.
 */
const MAX_POLLS = 60;
const PAUSE_MS = 500;

export const run: RunCommand = async (context) => {
  const { terminal } = context;
  const service = readServiceAddress(context);
  for (let poll = 0; poll < MAX_POLLS; poll += 1) {
    const { status: _, ...census } = await callService(service, '/recipe/user/passwordhash/census');
    // While a newer count runs, the answer has the one before it.
    if (Array.isArray(census.hashes) && (census.counting !== true || poll === MAX_POLLS - 1)) {
      const hashes = objectsIn(census.hashes);
      await terminal.answer(census, () => censusText(hashes, census));
      const isWaiting = hashes.some((one) => one.hashingAlgorithm === 'waiting');
      if (isWaiting && census.legacySignIn === false) terminal.warn(VAIN_WAITING);
      terminal.next(['user-import', 'status']);
      return EXIT.ok;
    }
    if (poll === 0) terminal.show('The service is counting …');
    await sleep(PAUSE_MS);
  }
  throw new CliError('The service is still counting the hashes. Run the command again in a minute.');
};

function censusText(hashes: readonly JsonObject[], { countedAt, ageMs, counting }: JsonObject): string[] {
  const sorted = hashes.toSorted((a, b) => Number(b.users) - Number(a.users));
  const rows = rowsOf(sorted, ['hashingAlgorithm', 'class', 'setBy', 'users', 'signedIn']);
  const usersOf = (name: string) =>
    hashes.reduce((sum, one) => sum + (one.hashingAlgorithm === name ? Number(one.users) : 0), 0);
  const [waiting, unset] = [usersOf('waiting'), usersOf('unset')];
  return linesOf(
    rows.length === 0 && 'No user has a password hash.',
    table(['hash', 'class', 'set by', 'users', 'signed in'], rows, ''),
    waiting > 0 && `Waiting for the first sign-in, at the legacy system: ${count(waiting)}`,
    unset > 0 && `Without a password until a reset: ${count(unset)}`,
    `Counted at ${timeText(countedAt)}${typeof ageMs === 'number' ? `, ${durationText(ageMs)} ago` : ''}; ${counting === true ? 'a newer count is not finished.' : 'the service counts at most once a minute.'}`,
  );
}
