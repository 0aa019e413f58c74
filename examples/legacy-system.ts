import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';

/** A user of the legacy system. A real one compares the password with its hash. */
export interface LegacyUser {
  id: string;
  password: string;
}

/**
 * The answering side of first sign-ins (docs/moving-in.md): checks the signature, then the password.
 * @param users by e-mail, in lower case
 */
export const createLegacySystem = (users: ReadonlyMap<string, LegacyUser>, secret: string): Server => {
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  const seen = new Set<unknown>();
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<unknown> => {
    const { 'webhook-id': id, 'webhook-timestamp': time, 'webhook-signature': signature } = request.headers;
    const body = Buffer.concat(await request.toArray()).toString();
    const wanted = Buffer.from(
      `v1,${createHmac('sha256', key).update(`${id}.${time}.${body}`).digest('base64')}`,
    );
    const given = Buffer.from(String(signature));
    const isFresh = Math.abs(Date.now() / 1000 - Number(time)) < 300 && !seen.has(id);
    if (given.length !== wanted.length || !timingSafeEqual(given, wanted) || !isFresh)
      return response.writeHead(401).end();
    seen.add(id); // A real system forgets ids after five minutes.
    const { type, email, password } = JSON.parse(body);
    const user = users.get(email);
    // A database that ignores accents must answer with the address that it found, not with the one that was asked.
    const known = {
      status: 'OK',
      user: { email, externalUserId: user?.id, userMetadata: { movedFrom: 'legacy' } },
    };
    const isKnown = user !== undefined && (type === 'lookup' || user.password === password);
    const unknown = { status: type === 'lookup' ? 'UNKNOWN' : 'WRONG_CREDENTIALS' };
    return response
      .setHeader('content-type', 'application/json')
      .end(JSON.stringify(isKnown ? known : unknown));
  };
  // The service may break a request off.
  return createServer((request, response) => answer(request, response).catch(() => response.destroy()));
};
