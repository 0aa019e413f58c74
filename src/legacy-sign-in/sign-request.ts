import { createHmac } from 'node:crypto';

const PREFIX = 'whsec_';

/** The secret has the form of Standard Webhooks: `whsec_` and base64. */
export const keyOf = (secret: string): Buffer => Buffer.from(secret.slice(PREFIX.length), 'base64');

/**
 * Signs as defined by Standard Webhooks
 * (https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md). The receiver
 * should refuse old timestamps and ids that it has seen.
 */
export function signedHeaders(
  key: Buffer,
  { id, nowMs, body }: { id: string; nowMs: number; body: string },
): Record<string, string> {
  const timestamp = String(Math.floor(nowMs / 1000));
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${signature}`,
  };
}
