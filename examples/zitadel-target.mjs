/*
 * Target of Zitadel's actions: requests CreateSession and SetSession, and the response of SetPassword. Zitadel calls it before it
 * verifies a password. A user who waits has the metadata `old-login`, the address in the old system, and a random password;
 * if the old password is right, it becomes that of the user, and Zitadel then finds it right itself.
 * Environment: SIGNING_KEY of the target, ZITADEL_URL, ZITADEL_TOKEN of a service user, HOOKS_URL, and HOOKS_KEY with `verify`.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';

const { SIGNING_KEY, ZITADEL_URL, ZITADEL_TOKEN, HOOKS_URL, HOOKS_KEY } = process.env;
const { TIMEOUT_MS = '4000', PORT = '8090' } = process.env;
if (!SIGNING_KEY || !ZITADEL_URL || !ZITADEL_TOKEN || !HOOKS_URL || !HOOKS_KEY)
  throw new Error('a variable is missing');

async function call(url, key, method, body) {
  const response = await fetch(url, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    redirect: 'error',
    signal: AbortSignal.timeout(Number(TIMEOUT_MS)),
  });
  if (!response.ok) throw new Error(`${method} ${new URL(url).pathname} answered ${response.status}`);
  return response.json();
}
const zitadel = (method, path, body) => call(ZITADEL_URL + path, ZITADEL_TOKEN, method, body);

/** Ids are what the caller of Zitadel sent, and must not lead the token to another path. */
function segment(id) {
  if (/^\.*$/.test(id)) throw new Error('not an id');
  return encodeURIComponent(id);
}

async function userIdOf({ sessionId, sessionToken, checks }) {
  const { userId, loginName } = checks.user ?? {};
  if (userId) return userId;
  if (loginName) {
    const queries = [{ loginNameQuery: { loginName } }];
    return (await zitadel('POST', '/v2/users', { queries })).result?.[0]?.userId;
  }
  const token = encodeURIComponent(sessionToken);
  return (await zitadel('GET', `/v2/sessions/${segment(sessionId)}?sessionToken=${token}`)).session.factors
    .user.id;
}

/** Returns the address in the old system of a user who waits, otherwise undefined. */
async function oldLoginOf(userId) {
  const filters = [{ keyFilter: { key: 'old-login', method: 'TEXT_FILTER_METHOD_EQUALS' } }];
  const { metadata } = await zitadel('POST', `/v2/users/${segment(userId)}/metadata/search`, {
    filters,
  });
  return metadata?.[0] && Buffer.from(metadata[0].value, 'base64').toString();
}

async function handle({ fullMethod, request }) {
  const isReset = fullMethod === '/zitadel.user.v2.UserService/SetPassword';
  const password = request.checks?.password?.password;
  if (!isReset && !password) return;
  const userId = isReset ? request.userId : await userIdOf(request);
  const identifier = userId && (await oldLoginOf(userId));
  if (!identifier) return;
  if (isReset) {
    await call(`${HOOKS_URL}/hooks/changed`, HOOKS_KEY, 'POST', { identifier });
  } else {
    const question = { identifier, password, waits: true };
    const { status } = await call(`${HOOKS_URL}/hooks/verify`, HOOKS_KEY, 'POST', question);
    if (status === 'NO_MATCH') return; // Zitadel refuses it too, and counts the failure.
    if (status !== 'MATCH') throw new Error('not an answer of user-import-core');
    await zitadel('PATCH', `/v2/users/${segment(userId)}`, {
      human: { password: { password: { password } } },
    });
  }
  await zitadel('DELETE', `/v2/users/${segment(userId)}/metadata?keys=old-login`);
}

function isSigned(header, body) {
  const [, seconds, signature] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(header) ?? [];
  if (!signature || Math.abs(Date.now() / 1000 - seconds) > 300) return false;
  const expected = createHmac('sha256', SIGNING_KEY).update(`${seconds}.${body}`).digest();
  return timingSafeEqual(Buffer.from(signature, 'hex'), expected);
}

const server = createServer(async (request, response) => {
  try {
    const body = await text(request);
    if (!isSigned(request.headers['zitadel-signature'] ?? '', body)) throw new Error('wrong signature');
    await handle(JSON.parse(body));
    response.writeHead(200).end();
  } catch (error) {
    console.error(`fault: ${error instanceof SyntaxError ? 'not JSON' : error.message}`);
    response.writeHead(503).end(); // Zitadel stops the sign-in then, if the target has `interruptOnError`.
  }
});
server.listen(Number(PORT), () => console.log(`listening on port ${server.address().port}`));
