import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { METRICS_TYPE, type Metrics } from '../lib/metrics.ts';

const REQUEST_MS = 5000;

/** Serves `GET /metrics`, and nothing else, on a port of its own and without an API key. */
export async function serveMetrics(
  metrics: Metrics,
  { port, host }: { port: number; host: string },
): Promise<{ url: string; close(): Promise<void> }> {
  const server = createServer(
    { requestTimeout: REQUEST_MS, headersTimeout: REQUEST_MS },
    (request, response) => {
      const isRead = request.method === 'GET' || request.method === 'HEAD';
      const isKnown = isRead && request.url?.split('?', 1)[0] === '/metrics';
      // The connection is closed after the answer, because a body of the request would not be read.
      response.setHeader('connection', 'close');
      if (!isKnown) return void response.writeHead(404).end();
      response.setHeader('content-type', METRICS_TYPE);
      metrics.text().then(
        (text) => response.end(text),
        () => response.writeHead(500).end(),
      );
    },
  );
  server.listen(port, host);
  await once(server, 'listening');
  const { address, port: bound, family } = server.address() as AddressInfo;
  return {
    url: `http://${family === 'IPv6' ? `[${address}]` : address}:${bound}/metrics`,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
