/**
 * Measures the cost of HTTP alone: Node's server around the gate and a verifier, without framework, checks,
 * routes or database. Usage: `bare-server.ts <algorithm>`. Prints its URL when it listens.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { availableParallelism } from 'node:os';
import { KdfGate } from '../src/hashing/kdf-gate.ts';
import { testVerifier } from './test-verifier.ts';

const verifyOnce = testVerifier(process.argv[2] ?? '');
const gate = new KdfGate({ concurrency: availableParallelism(), memoryBytes: 1024 ** 3, queueLimit: 1000 });

const server = createServer((request, response) => {
  request.resume().once('end', async () => {
    const matched = await gate.run({ memoryBytes: 0, ms: 0 }, verifyOnce);
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ matched }));
  });
});
server.listen(0, '127.0.0.1', () => {
  process.stderr.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});
