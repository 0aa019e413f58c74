import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { freePort } from '../src/lib/async/free-port.ts';
import { type CompiledService, startCompiledService } from './compiled.ts';
import { FaultyLegacySystem } from './faulty-legacy-system.ts';
import { API_KEY, PASSWORD } from './fixtures.ts';
import { preferProbes, quantile } from './latency.ts';
import { milliseconds, type Row } from './report.ts';

const PEOPLE = Number(process.env.MOVING_IN_PEOPLE ?? 10_000);
/** People whose first sign-in begins in a second. */
const ARRIVALS_PER_SECOND = 60;
/** Maximum number of first sign-ins in flight. On a machine that is too slow for the rate above, people wait their turn. */
const MAX_IN_FLIGHT = 48;
/** Every hundredth person mistypes the password at first. */
const MISTYPED_EVERY = 100;

/** People who have moved in already, and their sign-ins in a second. */
const RESIDENTS = 200;
const RESIDENT_SIGN_INS_PER_SECOND = 40;

/** Phases without and with stalls alternate. The service is killed after every fourth, but not after the last. */
const PHASES = 16;
const PHASES_PER_KILL = 4;
/** Beginning of a phase that is not measured, because calls of the phase before still stall. */
const SETTLE_MS = 3500;

/** Pause before somebody tries again. At most ten attempts a minute are permitted. */
const RETRY_MS = 6500;

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

/** New hashes at a tenth of the default cost, so that tens of thousands of them take minutes. */
const CHEAP = { ARGON2_MEMORY_KB: '4096', ARGON2_ITERATIONS: '1' };

/**
 * Moves people in at their first sign-in, at a legacy system with faults and stalls, with three kills of the service. Sign-ins
 * of people who have moved in already must not suffer. Requires a build.
 */
export async function benchMovingIn(uri: string): Promise<Row[]> {
  const people = Array.from({ length: PEOPLE }, (_, index) => `person-${index}@example.com`);
  const legacy = new FaultyLegacySystem(
    new Map(people.map((email, index) => [email, { id: `old-${index}`, password: PASSWORD }])),
    SECRET,
  );
  const database = await createDatabase(uri);
  const service = await KillableService.start({
    ...CHEAP,
    POSTGRESQL_CONNECTION_URI: database,
    API_KEYS: API_KEY,
    PORT: String(await freePort()),
    LEGACY_SIGNIN_FOR: 'unknown',
    LEGACY_SIGNIN_URL: await legacy.listen(),
    LEGACY_SIGNIN_SECRET: SECRET,
  });
  preferProbes();
  try {
    const crowd = new Crowd(service.url);
    const residents = await crowd.signUpResidents();
    const times = { without: [] as number[], with: [] as number[] };
    const startMs = performance.now();
    const perPhase = Math.ceil(PEOPLE / PHASES);
    for (let phase = 0; phase < PHASES; phase += 1) {
      const hasStalls = phase % 2 === 1;
      legacy.stalls = hasStalls ? 'some' : 'none';
      const stopWatching = watchResidents(crowd, residents, times[hasStalls ? 'with' : 'without']);
      await crowd.arrive(people.slice(phase * perPhase, (phase + 1) * perPhase));
      await stopWatching();
      console.log(
        `moving in, phase ${phase + 1} of ${PHASES}: ${crowd.answers.OK ?? 0} in, ${((performance.now() - startMs) / 1000).toFixed(0)} s`,
      );
      if ((phase + 1) % PHASES_PER_KILL !== 0 || phase + 1 === PHASES) continue;
      legacy.stalls = 'all';
      await sleep(500);
      await service.killAndRestart();
    }
    legacy.stalls = 'none';
    await crowd.allMovedIn();
    console.log(
      `moving in: ${PEOPLE} people in ${((performance.now() - startMs) / 1000).toFixed(0)} s; calls ${JSON.stringify(legacy.counts)}; sign-ins ${JSON.stringify(crowd.answers)}; others ${JSON.stringify(crowd.toResidents)}`,
    );
    return [...(await resultOf(database, crowd)), slowdown(times, crowd)];
  } finally {
    service.stop();
    legacy.close();
  }
}

type Answers = Record<string, number>;

/** People who sign in until they are in. */
class Crowd {
  /** Number of answers to right passwords by status or error code, before the person was in. */
  readonly answers: Answers = {};
  /** Number of answers to wrong passwords. */
  readonly toMistyped: Answers = {};
  /** Number of answers to people who have moved in before. */
  readonly toResidents: Answers = {};
  readonly #url: string;
  #inFlight = 0;
  readonly #moving: Promise<void>[] = [];

  constructor(url: string) {
    this.#url = url;
  }

  async signUpResidents(): Promise<string[]> {
    const emails = Array.from({ length: RESIDENTS }, (_, index) => `resident-${index}@example.net`);
    for (const email of emails) {
      // The sign-up asks the legacy system, which fails now and then.
      while ((await this.#post('/recipe/signup', email, PASSWORD)) !== 'OK') await sleep(10);
    }
    return emails;
  }

  /** Begins a first sign-in for each person, at an even rate. Resolves when the last has begun. */
  async arrive(emails: readonly string[]): Promise<void> {
    const startMs = performance.now();
    for (const [index, email] of emails.entries()) {
      await sleep(startMs + (index * 1000) / ARRIVALS_PER_SECOND - performance.now());
      while (this.#inFlight >= MAX_IN_FLIGHT) await sleep(10);
      this.#moving.push(this.#moveIn(email, index % MISTYPED_EVERY === 0));
    }
  }

  async allMovedIn(): Promise<void> {
    await Promise.all(this.#moving);
  }

  signIn(email: string, password = PASSWORD): Promise<string> {
    return this.#post('/recipe/signin', email, password);
  }

  async #moveIn(email: string, mistypes: boolean): Promise<void> {
    const attempt = async (password: string) => {
      this.#inFlight += 1;
      const answer = await this.signIn(email, password);
      this.#inFlight -= 1;
      return answer;
    };
    if (mistypes) count(this.toMistyped, await attempt(`not ${PASSWORD}`));
    for (;;) {
      const answer = await attempt(PASSWORD);
      count(this.answers, answer);
      if (answer === 'OK') return;
      await sleep(RETRY_MS);
    }
  }

  /** Returns the status or error code of the answer. */
  async #post(path: string, email: string, password: string): Promise<string> {
    try {
      const answer = await fetch(this.#url + path, {
        method: 'POST',
        headers: { 'api-key': API_KEY, 'content-type': 'application/json' },
        body: JSON.stringify({ email, password }),
      });
      const { status, code } = (await answer.json()) as { status: string; code?: string };
      return code ?? status;
    } catch {
      return 'no answer';
    }
  }
}

function count(answers: Answers, answer: string): void {
  answers[answer] = (answers[answer] ?? 0) + 1;
}

/**
 * Signs residents in at an even rate, and records how long each takes. Returns a function that ends this, and resolves when all
 * are answered.
 */
function watchResidents(crowd: Crowd, residents: readonly string[], times: number[]): () => Promise<void> {
  const beginMs = performance.now() + SETTLE_MS;
  const running = new Set<Promise<void>>();
  let next = 0;
  const signIn = async () => {
    const startMs = performance.now();
    const answer = await crowd.signIn(residents[next++ % residents.length] ?? '');
    count(crowd.toResidents, answer);
    times.push(performance.now() - startMs);
  };
  const timer = setInterval(() => {
    if (performance.now() >= beginMs) running.add(signIn());
  }, 1000 / RESIDENT_SIGN_INS_PER_SECOND);
  return async () => {
    clearInterval(timer);
    await Promise.all(running);
  };
}

/** A service that is killed without notice, and started again at the same address. */
class KillableService {
  readonly #env: Record<string, string>;
  #running: CompiledService;

  static async start(env: Record<string, string>): Promise<KillableService> {
    return new KillableService(env, await startCompiledService(env, 'inherit'));
  }

  private constructor(env: Record<string, string>, running: CompiledService) {
    this.#env = env;
    this.#running = running;
  }

  get url(): string {
    return this.#running.url;
  }

  async killAndRestart(): Promise<void> {
    const { child } = this.#running;
    child.kill('SIGKILL');
    await once(child, 'exit');
    this.#running = await startCompiledService(this.#env, 'inherit');
  }

  stop(): void {
    this.#running.child.kill('SIGKILL');
  }
}

async function resultOf(database: string, { answers, toMistyped }: Crowd): Promise<Row[]> {
  const client = new pg.Client(database);
  await client.connect();
  const { rows } = await client.query<{ exact: number; all: number }>(
    `select
       (select count(*)::int from password_logins p
        join user_aliases a on a.user_id = p.user_id and a.kind = 'external'
        where p.email = 'person-' || substr(a.alias, 5) || '@example.com' and p.password_hash is not null) as exact,
       (select count(*)::int - ${RESIDENTS} from users) as all`,
  );
  await client.end();
  const { exact = 0, all = 0 } = rows[0] ?? {};
  const wrong = answers.WRONG_CREDENTIALS_ERROR ?? 0;
  const admitted = toMistyped.OK ?? 0;
  return [
    {
      what: 'first sign-ins: exactly one user each, with hash and external id',
      measured: String(exact),
      limit: `people: ${PEOPLE}, users: ${all}`,
      ratio: exact / PEOPLE,
      aim: '1',
      met: exact === PEOPLE && all === PEOPLE,
    },
    {
      what: '– told "wrong password" with the right one, or let in with another',
      measured: `${wrong}, ${admitted}`,
      limit: `tries: ${Object.values(answers).reduce((sum, one) => sum + one, 0)}, mistyped: ${Object.values(toMistyped).reduce((sum, one) => sum + one, 0)}`,
      ratio: wrong + admitted,
      aim: '0',
      met: wrong + admitted === 0 && (toMistyped.WRONG_CREDENTIALS_ERROR ?? 0) > 0,
    },
  ];
}

function slowdown(times: Record<'without' | 'with', number[]>, { toResidents }: Crowd): Row {
  const isOk = Object.keys(toResidents).every((answer) => answer === 'OK');
  const p99 = (values: number[]) =>
    quantile(
      values.toSorted((a, b) => a - b),
      0.99,
    );
  const [without, stalled] = [p99(times.without), p99(times.with)];
  return {
    what: `– p99 of ${times.with.length} other sign-ins meanwhile, with stalls of 3 s`,
    measured: milliseconds(stalled),
    limit: `${times.without.length} without: ${milliseconds(without)}`,
    ratio: stalled / without,
    aim: '≤ 1.2',
    met: isOk && stalled <= 1.2 * without,
  };
}

async function createDatabase(uri: string): Promise<string> {
  const client = new pg.Client(uri);
  await client.connect();
  await client.query('create database moving_in');
  await client.end();
  const url = new URL(uri);
  url.pathname = 'moving_in';
  return url.href;
}
