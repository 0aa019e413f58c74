import pg from 'pg';

// Members that the driver has and its types leave out.
declare module 'pg' {
  interface Client {
    /** Process id of the session, as reported by the server or by the pooler in front of it. */
    readonly processID: number | null;
    readonly secretKey: number | null;
    readonly sslNegotiation: string;
  }
  interface ClientConfig {
    sslNegotiation?: string;
  }
  interface Connection {
    connect(portOrPath: number | string, host?: string): void;
    requestSsl(): void;
    cancel(processID: number, secretKey: number): void;
    unref(): void;
  }
}

/** Longest the request may take, in ms. Nobody waits for it: the caller has had an error already. */
const TIMEOUT_MS = 2000;

/**
 * Asks the server to end the statement that this client waits for. The request names the session as the server, or the
 * pooler before it, named it to the client; a pooler knows whose statement is meant for as long as the client stays
 * connected. Resolves when the request was taken, or has failed, about which nothing can be done.
 * Source: https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-CANCELING-REQUESTS
 */
export function cancelStatement(client: pg.Client): Promise<void> {
  const { host, port, ssl, sslNegotiation, processID, secretKey } = client;
  if (processID === null || secretKey === null) return Promise.resolve();
  return new Promise((resolve) => {
    const request = new pg.Connection({ ssl, sslNegotiation });
    const end = () => {
      clearTimeout(timer);
      request.stream.destroy();
      resolve();
    };
    const timer = setTimeout(end, TIMEOUT_MS);
    timer.unref();
    request.on('error', end);
    // The server says nothing, and hangs up when it has taken the request.
    request.on('end', end);
    request.on('connect', () => {
      if (!ssl) request.cancel(processID, secretKey);
      else if (sslNegotiation !== 'direct') request.requestSsl();
    });
    request.on('sslconnect', () => {
      request.unref();
      request.cancel(processID, secretKey);
    });
    if (host.startsWith('/')) request.connect(`${host}/.s.PGSQL.${port}`);
    else request.connect(port, host);
    request.unref();
  });
}
