/** Calls of the legacy system over real sockets. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createLegacySystem } from '../../examples/legacy-system.ts';
import { LegacyClient, type LegacyClientDeps } from '../../src/legacy-sign-in/legacy-client.ts';

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const WRONG = '{"status":"WRONG_CREDENTIALS"}';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

interface Counted {
  port: number;
  connections: number;
  requests: number;
}

async function listen(server: Server): Promise<Counted> {
  const counted = { port: 0, connections: 0, requests: 0 };
  server.prependListener('request', () => {
    counted.requests += 1;
  });
  server.on('connection', () => {
    counted.connections += 1;
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  counted.port = (server.address() as AddressInfo).port;
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return counted;
}

const bodies = new WeakMap<IncomingMessage, string>();

const answering = (answer: RequestListener) =>
  listen(
    createServer(async (request, response) => {
      bodies.set(request, (await request.toArray()).join(''));
      answer(request, response);
    }),
  );

function clientOf(url: string, deps: Partial<LegacyClientDeps> = {}) {
  const said: string[] = [];
  const client = new LegacyClient({
    url: new URL(url),
    secret: SECRET,
    timeoutMs: 2000,
    allowsPrivate: false,
    now: Date.now,
    log: {
      fault: (reason) => said.push(`fault: ${reason}`),
      refused: (reason) => said.push(`refused: ${reason}`),
      opened: () => said.push('opened'),
      closed: () => said.push('closed'),
    },
    ...deps,
  });
  closing.push(() => client.close());
  let number = 0;
  /** Asks about another address each time. Resolves with the answer, or the code of the error. */
  const ask = (email = `user-${number++}@b.c`): Promise<string> =>
    client
      .ask({ type: 'verify', email, password: 'x' }, (text) => ({ status: text }))
      .then(
        ({ status }) => status,
        (error: { code: string }) => error.code,
      );
  /** The same for somebody whom the legacy system is not asked about. */
  const wait = (): Promise<string> =>
    client
      .waitAsCall(`user-${number++}@b.c`, (text) => ({ status: text }))
      .then(
        () => WRONG,
        (error: { code: string }) => error.code,
      );
  return { client, said, ask, wait };
}

const times = async (count: number, call: () => Promise<string>): Promise<string[]> => {
  const answers: string[] = [];
  for (let n = 0; n < count; n += 1) answers.push(await call());
  return answers;
};

const UNAVAILABLE = 'LEGACY_UNAVAILABLE';

describe('the circuit breaker', () => {
  it('opens after ten faults, lets one call through after ten seconds, and closes with its success', async () => {
    let isDown = true;
    let nowMs = 0;
    const system = await answering((_, response) => {
      if (isDown) response.socket?.destroy();
      else response.end(WRONG);
    });
    const { ask, said } = clientOf(`http://127.0.0.1:${system.port}`, { now: () => nowMs });
    expect(await times(15, ask)).toEqual(Array(15).fill(UNAVAILABLE));
    expect(system.requests).toBe(10);
    nowMs = 10_000;
    expect(await Promise.all([ask(), ask(), ask()])).toEqual(Array(3).fill(UNAVAILABLE));
    expect(system.requests).toBe(11);
    isDown = false;
    nowMs = 20_000;
    expect(await ask()).toBe(WRONG);
    expect(await Promise.all([ask(), ask()])).toEqual([WRONG, WRONG]);
    expect(said.filter((line) => !line.startsWith('fault'))).toEqual(['opened', 'closed']);
  });
});

describe('people whom the system is not asked about', () => {
  it('are refused as often as recent calls fail, and not after a while without calls', async () => {
    let isDown = true;
    let nowMs = 0;
    const system = await answering((_, response) => response.writeHead(isDown ? 500 : 200).end(WRONG));
    const { ask, wait } = clientOf(`http://127.0.0.1:${system.port}`, { now: () => nowMs });
    expect(await ask()).toBe(UNAVAILABLE);
    expect(await times(5, wait)).toEqual(Array(5).fill(UNAVAILABLE));
    isDown = false;
    await times(19, ask);
    const share = async () => {
      const answers = await Promise.all(Array.from({ length: 400 }, wait));
      return answers.filter((answer) => answer === UNAVAILABLE).length / 400;
    };
    // One of the last twenty calls.
    const shareOfOne = await share();
    expect(shareOfOne).toBeGreaterThan(0.005);
    expect(shareOfOne).toBeLessThan(0.15);
    await ask();
    expect(await share()).toBe(0);
    isDown = true;
    await ask();
    nowMs = 10 * 60_000;
    expect(await share()).toBe(0);
    expect(system.requests).toBe(22);
  });

  describe('wait as long as a call', () => {
    /** A legacy system that answers when the test says so, and the addresses of the calls that it has not answered. */
    async function heldSystem() {
      const asked: string[] = [];
      const answers: (() => void)[] = [];
      const system = await answering((request, response) => {
        asked.push(JSON.parse(bodies.get(request) ?? '{}').email);
        answers.push(() => response.end(WRONG));
      });
      const client = clientOf(`http://127.0.0.1:${system.port}`);
      const answerAll = () => {
        for (const answer of answers.splice(0)) answer();
      };
      return { ...client, system, asked, answerAll };
    }
    const settled = async (waiting: Promise<string>) =>
      Promise.race([waiting, new Promise<string>((resolve) => setImmediate(() => resolve('waits')))]);

    it('after a start, when no call is known, by a call about nobody', async () => {
      const { wait, asked, answerAll, system } = await heldSystem();
      const waiting = [wait(), wait()];
      await expect.poll(() => asked.length).toBe(2);
      for (const email of asked) expect(email).toMatch(/^[0-9a-f-]{36}@nobody\.invalid$/);
      expect(asked[0]).not.toBe(asked[1]);
      expect(await settled(Promise.race(waiting))).toBe('waits');
      answerAll();
      expect(await Promise.all(waiting)).toEqual([WRONG, WRONG]);
      // These two calls are imitated from now on.
      expect(await times(5, wait)).toEqual(Array(5).fill(WRONG));
      expect(system.requests).toBe(2);
    });

    it('also if only addresses were looked up', async () => {
      const { client, wait, asked, answerAll } = await heldSystem();
      const lookup = client.ask({ type: 'lookup', email: 'a@b.c' }, (text) => ({ status: text }));
      await expect.poll(() => asked.length).toBe(1);
      answerAll();
      await lookup;
      const waiting = wait();
      await expect.poll(() => asked.length).toBe(2);
      expect(await settled(waiting)).toBe('waits');
      answerAll();
      expect(await waiting).toBe(WRONG);
    });

    it('and fail as one, if the legacy system fails', async () => {
      const system = await answering((_, response) => response.writeHead(500).end());
      const { ask, wait } = clientOf(`http://127.0.0.1:${system.port}`);
      expect(await times(5, wait)).toEqual(Array(5).fill(UNAVAILABLE));
      expect(await ask()).toBe(UNAVAILABLE);
      expect(system.requests).toBe(2);
    });

    it('of a person rather than of nobody', async () => {
      let isDown = false;
      const system = await answering((_, response) => response.writeHead(isDown ? 500 : 200).end(WRONG));
      const { ask, wait } = clientOf(`http://127.0.0.1:${system.port}`);
      expect(await wait()).toBe(WRONG);
      isDown = true;
      expect(await ask()).toBe(UNAVAILABLE);
      expect(await times(20, wait)).toEqual(Array(20).fill(UNAVAILABLE));
      expect(system.requests).toBe(2);
    });
  });

  it('are refused while the breaker is open, but not once it would let a call through', async () => {
    let nowMs = 0;
    const system = await answering((_, response) => response.writeHead(500).end());
    const { ask, wait } = clientOf(`http://127.0.0.1:${system.port}`, { now: () => nowMs });
    await times(10, ask);
    expect(await times(5, wait)).toEqual(Array(5).fill(UNAVAILABLE));
    nowMs = 10 * 60_000;
    // The breaker lets one call through, which fails, whoever it is about.
    expect(await wait()).toBe(UNAVAILABLE);
    expect(system.requests).toBe(11);
    expect(await ask()).toBe(UNAVAILABLE);
    expect(await wait()).toBe(UNAVAILABLE);
  });
});

it('opens 32 connections, lets 256 calls wait, and refuses everybody else', async () => {
  const system = await answering(() => {});
  const { ask, wait, client } = clientOf(`http://127.0.0.1:${system.port}`);
  const waiting = Array.from({ length: 288 }, () => ask());
  expect([await ask(), await wait()]).toEqual(['OVERLOADED', 'OVERLOADED']);
  while (system.requests < 32) await new Promise((resolve) => setTimeout(resolve, 5));
  await client.close();
  expect(new Set(await Promise.all(waiting))).toEqual(new Set([UNAVAILABLE]));
  expect([system.connections, system.requests]).toEqual([32, 32]);
});

describe('addresses', () => {
  /** Answers of a name server, one after another. */
  const resolving = (...answers: [address: string, family: number][]) =>
    ((_: string, __: object, callback: (error: null, found: object[]) => void) => {
      const [address, family] = (answers.length > 1 ? answers.shift() : answers[0]) ?? ['', 0];
      setImmediate(() => callback(null, [{ address, family }]));
    }) as unknown as LegacyClientDeps['resolve'];

  it.each([
    ['loopback', ['127.0.0.1', 4]],
    ['loopback, mapped to IPv6', ['::ffff:127.0.0.1', 6]],
    ['every address of this machine', ['0.0.0.0', 4]],
    ['every address of this machine, in IPv6', ['::', 6]],
  ] as const)(
    'a name on the Internet that resolves to %s gets no connection',
    async (_name, [address, family]) => {
      const system = await answering((_, response) => response.end(WRONG));
      const resolve = resolving([address, family]);
      const { ask, said } = clientOf(`https://old.example:${system.port}`, { resolve });
      expect(await ask()).toBe(UNAVAILABLE);
      expect(said).toEqual(['fault: the name resolves to no permitted address']);
      expect(system.connections).toBe(0);
    },
  );

  it('a name that resolves to another address later is checked again for each connection', async () => {
    const system = await answering((_, response) =>
      response.writeHead(200, { connection: 'close' }).end(WRONG),
    );
    const resolve = resolving(['127.0.0.1', 4], ['93.184.216.34', 4]);
    const { ask } = clientOf(`http://localhost:${system.port}`, { resolve });
    expect([await ask(), await ask()]).toEqual([WRONG, UNAVAILABLE]);
    expect(system.connections).toBe(1);
  });

  it('private ones are called if a setting allows it', async () => {
    const system = await answering((_, response) => response.end(WRONG));
    const resolve = resolving(['127.0.0.1', 4]);
    const { ask } = clientOf(`http://old.internal:${system.port}`, { resolve, allowsPrivate: true });
    expect(await ask()).toBe(WRONG);
  });
});

it.each([302, 308])('does not follow a redirect with status %s', async (status) => {
  const other = await answering((_, response) => response.end(WRONG));
  const location = `http://127.0.0.1:${other.port}/`;
  const system = await answering((_, response) => response.writeHead(status, { location }).end());
  expect(await clientOf(`http://127.0.0.1:${system.port}`).ask()).toBe(UNAVAILABLE);
  expect([system.requests, other.connections]).toEqual([1, 0]);
});

describe('hostile answers', () => {
  it('that do not end are cut off', async () => {
    let sent = 0;
    let isCut = false;
    const system = await answering((_, response) => {
      const chunk = Buffer.alloc(16 * 1024, ' ');
      const write = (): void => {
        if (isCut) return;
        sent += chunk.length;
        response.write(chunk, () => setImmediate(write));
      };
      response.on('close', () => {
        isCut = true;
      });
      write();
    });
    expect(await clientOf(`http://127.0.0.1:${system.port}`).ask()).toBe(UNAVAILABLE);
    while (!isCut) await new Promise((resolve) => setTimeout(resolve, 5));
    // What the sockets of this machine hold comes on top.
    expect(sent).toBeLessThan(16 * 1024 * 1024);
  });

  it('that are half a message are faults', async () => {
    const system = await answering((_, response) => {
      response.writeHead(200, { 'content-length': String(WRONG.length + 1) });
      response.write(WRONG, () => response.destroy());
    });
    expect(await clientOf(`http://127.0.0.1:${system.port}`).ask()).toBe(UNAVAILABLE);
  });

  it('that come byte by byte end with the timeout', async () => {
    const system = await answering((_, response) => {
      const drip = setInterval(() => response.write(' '), 20);
      response.on('close', () => clearInterval(drip));
    });
    expect(await clientOf(`http://127.0.0.1:${system.port}`, { timeoutMs: 200 }).ask()).toBe(UNAVAILABLE);
  });
});

it('signs requests that the example accepts once, for five minutes, and unchanged', async () => {
  const server = createLegacySystem(new Map([['ada@b.c', { id: 'old-1', password: 'x' }]]), SECRET);
  const received: { headers: Record<string, string>; body: string }[] = [];
  server.prependListener('request', (request) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () =>
      received.push({
        headers: Object.fromEntries(
          Object.entries(request.headers).filter(([name]) => name.startsWith('webhook-')),
        ) as Record<string, string>,
        body: Buffer.concat(chunks).toString(),
      }),
    );
  });
  const { port } = await listen(server);
  const url = `http://127.0.0.1:${port}`;
  expect(await clientOf(url).ask('ada@b.c')).toContain('"OK"');
  const stale = clientOf(url, { now: () => Date.now() - 301_000 });
  expect(await stale.ask('ada@b.c')).toBe(UNAVAILABLE);
  const [original] = received;
  if (original === undefined) throw new Error('nothing was received');
  const { headers, body } = original;
  const replay = async (changes: Record<string, string>, text = body) =>
    (await fetch(url, { method: 'POST', headers: { ...headers, ...changes }, body: text })).status;
  expect(await replay({})).toBe(401);
  // Another id or time is not what was signed.
  expect(await replay({ 'webhook-id': 'msg_2' })).toBe(401);
  expect(await replay({ 'webhook-id': 'msg_2', 'webhook-timestamp': String(Date.now() / 1000) })).toBe(401);
  expect(await replay({ 'webhook-id': 'msg_2' }, body.replace('"x"', '"y"'))).toBe(401);
  expect(await replay({ 'webhook-signature': '' })).toBe(401);
  // Half a request, as that of a service that is killed, leaves the example running.
  const half = connect(port, '127.0.0.1').on('error', () => {});
  half.write('POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\n{');
  await once(server, 'request');
  half.resetAndDestroy();
  expect(await clientOf(url).ask('ada@b.c')).toContain('"OK"');
});
