import { setTimeout as sleep } from 'node:timers/promises';
import { type JsonObject, objectsIn } from '../../lib/json/json-object.ts';
import { CliError, EXIT } from '../cli-error.ts';
import type { RunCommand } from '../command.ts';
import { readServiceAddress } from '../options/service-options.ts';
import { callService } from '../service-client/call-service.ts';
import { columns, count, rowsOf, timeText } from '../terminal/text.ts';

export const VAIN_WAITING =
  'The service does not ask the legacy system (legacy_signin_for is off), so nobody who waits for a first sign-in can sign in. See docs/moving-in.md';

/** Maximum number of requests for the counts. The first request makes the service count. */
const MAX_POLLS = 60;
const PAUSE_MS = 500;

export const run: RunCommand = async (context) => {
  const { terminal } = context;
  const service = readServiceAddress(context);
  for (let poll = 0; poll < MAX_POLLS; poll += 1) {
    const { status: _, ...census } = await callService(service, '/recipe/user/passwordhash/census');
    if (Array.isArray(census.hashes)) {
      await terminal.answer(census, () => censusText(objectsIn(census.hashes), census.countedAt));
      const isWaiting = objectsIn(census.hashes).some((one) => one.hashingAlgorithm === 'waiting');
      if (isWaiting && census.legacySignIn === false) terminal.warn(VAIN_WAITING);
      terminal.next(['user-import', 'status']);
      return EXIT.ok;
    }
    if (poll === 0) terminal.show('The service is counting …');
    await sleep(PAUSE_MS);
  }
  throw new CliError('The service is still counting the hashes. Run the command again in a minute.');
};

function censusText(hashes: readonly JsonObject[], countedAt: unknown): string {
  const sorted = hashes.toSorted((a, b) => Number(b.users) - Number(a.users));
  const rows = rowsOf(sorted, ['hashingAlgorithm', 'class', 'setBy', 'users', 'signedIn']);
  const when = `Counted at ${timeText(countedAt)}; the service counts at most once a minute.\n`;
  if (rows.length === 0) return `No user has a password hash.\n${when}`;
  const table = columns([['hash', 'class', 'set by', 'users', 'signed in'], ...rows], {
    indent: '',
    hasHead: true,
  });
  return `${[...table, ...withoutHash(hashes)].join('\n')}\n${when}`;
}

function withoutHash(hashes: readonly JsonObject[]): string[] {
  const usersOf = (name: string) =>
    hashes.reduce((sum, one) => sum + (one.hashingAlgorithm === name ? Number(one.users) : 0), 0);
  const [waiting, unset] = [usersOf('waiting'), usersOf('unset')];
  return [
    ...(waiting > 0 ? [`Waiting for the first sign-in, at the legacy system: ${count(waiting)}`] : []),
    ...(unset > 0 ? [`Without a password until a reset: ${count(unset)}`] : []),
  ];
}
