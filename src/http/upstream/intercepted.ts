import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Right } from '../../config/api-keys.ts';
import { bringIdentity, bringOwner, notHandedOver } from '../../hand-over/bring-into-core.ts';
import { type CoreChange, disownUser, followCore, followReset } from '../../hand-over/follow-core.ts';
import { type Forwarded, signInInFront } from '../../hand-over/sign-in-in-front.ts';
import { AppError } from '../../lib/errors.ts';
import { stripControlAndSpace } from '../../lib/text/characters.ts';
import type { Front } from '../context.ts';
import { DISABLED } from '../protocol/user-json.ts';
import { clientGone } from '../server/connections.ts';
import { statedCdiVersion } from '../server/request-checks.ts';
import { hasRight } from '../server/route-checks.ts';
import type { TenancyReach } from '../server/tenant-paths.ts';
import type { CoreBody } from './core-body.ts';
import { askCore, type WholeAnswer } from './forward.ts';

interface Call {
  request: FastifyRequest;
  reply: FastifyReply;
  body: Buffer;
  json: CoreBody;
}

/** Answers a call on its way to the SuperTokens core. `json` has the members of the body. */
type Interception = (front: Front, call: Call) => Promise<WholeAnswer>;

const signIn: Interception = async (front, call) => {
  const { request, reply, json } = call;
  const forward = async () => {
    const answer = await forwardCall(front, call);
    return { answer, outcome: outcomeOf(answer) };
  };
  const [email, password] = [json.text('email'), json.typedText('password')];
  const passwordAtCore = json.text('password');
  if (email === undefined || password === undefined || passwordAtCore === undefined)
    return (await forward()).answer;
  const credentials = { email, password, passwordAtCore };
  const result = await signInInFront(front, credentials, forward, clientGone(reply));
  request.hashAlgorithm = result.algorithm;
  return result.answer;
};

const signUp: Interception = async (front, call) =>
  (await isOnlyHere(front, [call.json.text('email') ?? ''])) ? EMAIL_TAKEN : forwardCall(front, call);

const signInUpThirdParty: Interception = async (front, call) => {
  const { json } = call;
  const [id, userId] = [json.text('thirdPartyId'), json.text('thirdPartyUserId')];
  if (id === undefined || userId === undefined) return forwardCall(front, call);
  const standing = await bringIdentity(front, { id, userId }, json.textWithin('email', 'id'));
  if (standing === 'only-here') throw notHandedOver();
  return standing === 'disabled' ? SIGN_IN_UP_NOT_ALLOWED : forwardCall(front, call);
};

/**
 * Looks up a user. A person whom only this service or the legacy system knows is first created in the core, if the key
 * has the right to do so.
 */
const lookUp: Interception = async (front, call) => {
  const query = new URL(call.request.originalUrl, 'http://localhost').searchParams;
  const [email, id, userId] = ['email', 'thirdPartyId', 'thirdPartyUserId'].map((name) => query.get(name));
  if (hasRight(call.request, 'signin')) {
    if (email) await isOnlyHere(front, [email]);
    if (id && userId) await bringIdentity(front, { id, userId });
  }
  return forwardCall(front, call);
};

const updateUser: Interception = async (front, call) => {
  const { json } = call;
  const [email, password] = [json.text('email'), json.text('password')];
  if (email !== undefined && (await isOnlyHere(front, [email]))) return EMAIL_TAKEN;
  const hasPassword = password !== undefined;
  return follow(front, call, { kind: 'login', id: userIdOf(call), email, hasPassword });
};

/** Adds a user of another tenant to the public tenant, which then has the user's address. */
const addToTenant: Interception = async (front, call) => {
  // The core strips blanks from the id in calls about tenants, and in no others.
  const user = await front.core.findUser(stripControlAndSpace(userIdOf(call)));
  const logins = user?.loginMethods.filter(({ recipeId }) => recipeId === 'emailpassword') ?? [];
  const emails = logins.flatMap(({ email }) => email ?? []);
  return (await isOnlyHere(front, emails)) ? EMAIL_TAKEN : forwardCall(front, call);
};

const removeFromTenant: Interception = async (front, call) => {
  await disownUser(front, stripControlAndSpace(userIdOf(call)));
  return forwardCall(front, call);
};

/** SDKs older than CDI 4 set a new password with the token of a password reset. */
const resetPassword: Interception = async (front, call) => {
  const answer = await forwardCall(front, call);
  const { status, userId } = answer.json ?? {};
  // Before CDI 2.12, the core's answer does not name the user. This service then notices the new password
  // at the next sign-in.
  if (status === 'OK' && typeof userId === 'string') await followReset(front, userId);
  return answer;
};

const removeUser: Interception = (front, call) =>
  follow(front, call, {
    kind: 'removal',
    id: call.json.text('userId') ?? '',
    isWhole: call.json.flag('removeAllLinkedAccounts') ?? true,
  });

interface InterceptedCall {
  method: 'GET' | 'POST' | 'PUT';
  url: string;
  reach: TenancyReach;
  key: Right;
  answer: Interception;
}

/**
 * Calls that may concern users whose passwords the core does not know yet. Such users are in the public tenant
 * of the public app. `reach` is `public app` where the core, in some version of its interface, changes a user
 * of the app whatever tenant the path names. SDKs older than CDI 4 look up a user by address, with GET
 * /recipe/user, before a password reset.
 */
// biome-ignore format: rows are compared by their columns
export const INTERCEPTED: readonly InterceptedCall[] = [
  { method: 'POST', url: '/recipe/signin',                          reach: 'public tenant', key: 'signin', answer: signIn },
  { method: 'POST', url: '/recipe/signup',                          reach: 'public tenant', key: 'signin', answer: signUp },
  { method: 'POST', url: '/recipe/signinup',                        reach: 'public tenant', key: 'signin', answer: signInUpThirdParty },
  { method: 'GET',  url: '/users/by-accountinfo',                   reach: 'public tenant', key: 'read',   answer: lookUp },
  { method: 'GET',  url: '/recipe/user',                            reach: 'public tenant', key: 'read',   answer: lookUp },
  { method: 'PUT',  url: '/recipe/user',                            reach: 'public app',    key: 'manage', answer: updateUser },
  { method: 'POST', url: '/recipe/multitenancy/tenant/user',        reach: 'public tenant', key: 'manage', answer: addToTenant },
  { method: 'POST', url: '/recipe/multitenancy/tenant/user/remove', reach: 'public tenant', key: 'manage', answer: removeFromTenant },
  { method: 'POST', url: '/recipe/user/password/reset',             reach: 'public app',    key: 'manage', answer: resetPassword },
  { method: 'POST', url: '/user/remove',                            reach: 'public app',    key: 'manage', answer: removeUser },
];

const answered = (members: object): WholeAnswer => ({
  status: 200,
  headers: { 'content-type': 'application/json; charset=UTF-8' },
  body: Buffer.from(JSON.stringify(members)),
  json: undefined,
});

const EMAIL_TAKEN = answered({ status: 'EMAIL_ALREADY_EXISTS_ERROR' });
const SIGN_IN_UP_NOT_ALLOWED = answered(DISABLED);

function outcomeOf({ status, json }: WholeAnswer): Forwarded<WholeAnswer>['outcome'] {
  if (status === 200 && json?.status === 'OK') return 'signed-in';
  return status === 200 && json?.status === 'WRONG_CREDENTIALS_ERROR' ? 'wrong-credentials' : 'unclear';
}

/** Returns whether one of the addresses belongs to a user of this service whom the core has refused. */
async function isOnlyHere(front: Front, emails: readonly string[]): Promise<boolean> {
  for (const email of emails) if ((await bringOwner(front, email)) === 'only-here') return true;
  return false;
}

/**
 * Returns the id of a login, which is the member `recipeUserId`, or `userId` before CDI 4. If the caller names no
 * version, the core uses the newest that its settings permit, which is unknown here. Then only one of the members may
 * be given.
 */
function userIdOf({ request, json }: Call): string {
  const version = statedCdiVersion(request);
  const [old, id] = [json.text('userId'), json.text('recipeUserId')];
  if (version === undefined && old !== undefined && id !== undefined)
    throw new AppError(
      'FIELD_INVALID',
      "Field name 'userId' is invalid in JSON input: send only recipeUserId",
    );
  if (version === undefined) return id ?? old ?? '';
  return (Number.parseInt(version, 10) < 4 ? old : id) ?? '';
}

async function follow(front: Front, call: Call, change: CoreChange): Promise<WholeAnswer> {
  return followCore(front, change, async () => {
    const answer = await forwardCall(front, call);
    return { answer, isMade: answer.status === 200 && answer.json?.status === 'OK' };
  });
}

const forwardCall = (front: Front, { request, reply, body }: Call) =>
  askCore(front.connection, request, reply, body);

/** @param path a path in lower case without a trailing slash */
export const reachOfIntercepted = (path: string): TenancyReach | undefined => {
  const reaches = INTERCEPTED.filter(({ url }) => url === path).map(({ reach }) => reach);
  return reaches.includes('public app') ? 'public app' : reaches[0];
};
