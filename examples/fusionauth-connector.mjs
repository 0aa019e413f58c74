/*
 * Server for a generic connector of FusionAuth, whose policy has "Migrate user". FusionAuth asks at the sign-in of somebody whom it
 * does not have, and creates the user from the answer. The connector sends `Authorization: Bearer CONNECTOR_KEY`.
 * Environment: CONNECTOR_KEY, HOOKS_URL, and HOOKS_KEY with the right `verify`.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';

const { CONNECTOR_KEY, HOOKS_URL, HOOKS_KEY, TIMEOUT_MS = '4000', PORT = '8091' } = process.env;
if (!CONNECTOR_KEY || !HOOKS_URL || !HOOKS_KEY) throw new Error('set CONNECTOR_KEY, HOOKS_URL and HOOKS_KEY');

const digest = (value) => createHash('sha256').update(value).digest();
const expected = digest(`Bearer ${CONNECTOR_KEY}`);

/** Returns the user as FusionAuth stores it, or undefined if the password is wrong. */
async function signIn({ loginId, password, applicationId }) {
  const response = await fetch(`${HOOKS_URL}/hooks/verify`, {
    method: 'POST',
    headers: { 'api-key': HOOKS_KEY, 'content-type': 'application/json' },
    body: JSON.stringify({ identifier: loginId, password }),
    redirect: 'error',
    signal: AbortSignal.timeout(Number(TIMEOUT_MS)),
  });
  if (response.status !== 200) throw new Error(`user-import-core answered ${response.status}`);
  const { status, user } = await response.json();
  if (status === 'NO_MATCH') return undefined;
  if (status !== 'MATCH') throw new Error('not an answer of user-import-core');
  const { id, externalUserId, email, isVerified, userMetadata, roles } = user;
  const data = { ...userMetadata, oldId: externalUserId ?? id };
  const registrations = applicationId ? [{ applicationId, roles, verified: isVerified }] : [];
  return { id, email, verified: isVerified, active: true, data, registrations };
}

const server = createServer(async (request, response) => {
  try {
    if (!timingSafeEqual(digest(request.headers.authorization ?? ''), expected))
      throw new Error('wrong CONNECTOR_KEY');
    const user = await signIn(JSON.parse(await text(request)));
    if (user === undefined) return response.writeHead(404).end();
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ user }));
  } catch (error) {
    // FusionAuth shows the person the same as after 404. Its event log and this line are where the fault can be seen.
    console.error(`fault: ${error instanceof SyntaxError ? 'not JSON' : error.message}`);
    response.writeHead(503).end();
  }
});
server.listen(Number(PORT), () => console.log(`listening on port ${server.address().port}`));
