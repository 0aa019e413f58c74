import { setTimeout as sleep } from 'node:timers/promises';
import { CHEAP, ENDLESS, hashingProcess, keepBusy, PASSWORD, passwordsOf } from '../expensive.ts';

// A process for hashing-process-parent.test.ts to run. It writes the id of the process that it has forked.
const hashing = hashingProcess();
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
    // Past the gate, and into the other process.
    await hashing.verify(CHEAP, PASSWORD);
    say(String(hashing.pid));
    passwords.stop();
    say(JSON.stringify(await Promise.all(outcomes)));
    process.exit(0);
    break;
  }
  case 'waits-for-answers':
    say(String((await hashing.verify(CHEAP, PASSWORD)).matches));
    // Nothing else keeps this process alive until it is there, and nothing at all then.
    void hashing.verify(CHEAP, PASSWORD).then(({ matches }) => say(String(matches)));
}
