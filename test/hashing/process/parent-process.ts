import { setTimeout as sleep } from 'node:timers/promises';
import { CHEAP, ENDLESS, hashingProcesses, keepBusy, PASSWORD, passwordsOf } from '../expensive.ts';

// Script that hashing-processes-parent.test.ts runs. It writes the id of a hashing process that it has
// forked.
const hashing = hashingProcesses();
const say = (text: string) => process.stdout.write(`${text}\n`);

switch (process.argv[2]) {
  case 'is-killed':
    say(String((await keepBusy(hashing)).pid));
    await sleep(60_000);
    break;
  case 'exits': {
    const passwords = passwordsOf(hashing);
    const outcomes = [ENDLESS, CHEAP].map((hash) =>
      passwords.verify(hash, PASSWORD).catch((error: { code: string }) => error.code),
    );
    // When this resolves, the call before has passed the gate and reached the other process.
    await hashing.verify(CHEAP, PASSWORD);
    say(String(hashing.pids[0]));
    passwords.stop();
    say(JSON.stringify(await Promise.all(outcomes)));
    process.exit(0);
    break;
  }
  case 'waits-for-answers':
    say(String((await hashing.verify(CHEAP, PASSWORD)).matches));
    // This call keeps the process alive until the hashing process runs. Nothing does afterwards.
    void hashing.verify(CHEAP, PASSWORD).then(({ matches }) => say(String(matches)));
}
