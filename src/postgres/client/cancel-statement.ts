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

/** Short, because the caller of the cancelled statement has already got an error and waits no longer. */
const TIMEOUT_MS = 2000;

/**
 * Asks PostgreSQL to cancel the running statement of this client. A pooler recognises the statement only
 * while the client stays connected. Resolves also if the request has failed. Source:
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
    // PostgreSQL does not answer a request to cancel, but closes the connection.
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
