import pg from 'pg';

// Members of the driver `pg` that its types lack.
declare module 'pg' {
  interface Client {
    /** Process id of the database session, as reported by PostgreSQL or by the pooler in front of it. */
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

/**
 * Maximum milliseconds for asking PostgreSQL to cancel a statement. Nobody waits for it, because the caller
 * has already got an error.
 */
const TIMEOUT_MS = 2000;

/**
 * Asks PostgreSQL to cancel the running statement of this client. A pooler recognises the statement only
 * while the client stays connected. Resolves when the request was sent or has failed; a failure is ignored,
 * because nothing can be done about it. Source:
 * https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-CANCELING-REQUESTS
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
    // PostgreSQL does not answer the request to cancel. It closes the connection when it has received the
    // request.
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
