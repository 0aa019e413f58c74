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
import { askCore, type WholeAnswer, wholeAnswer } from './forward.ts';

interface Call {
  request: FastifyRequest;
  reply: FastifyReply;
  body: Buffer;
  json: CoreBody;
}

/** Answers a call on its way to the SuperTokens core. `json` has the members of the body. */
type Interception = (front: Front, call: Call) => Promise<WholeAnswer>;

/**
 * Calls that may concern users whose passwords the core does not know yet. Such users are in the public tenant
 * of the public app. `reach` is `public app` where the core, in some version of its interface, changes a user
 * of the app whatever tenant the path names.
 */
export const INTERCEPTED: readonly {
  method: 'GET' | 'POST' | 'PUT';
  url: string;
  reach: TenancyReach;
  key: Right;
  answer: Interception;
}[] = [
  {
    method: 'POST',
    url: '/recipe/signin',
    reach: 'public tenant',
    key: 'signin',
    answer: async (front, call) => {
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
    },
  },
  {
    method: 'POST',
    url: '/recipe/signup',
    reach: 'public tenant',
    key: 'signin',
    answer: async (front, call) => {
      const isTaken = await isOnlyHere(front, [call.json.text('email') ?? '']);
      return isTaken ? EMAIL_TAKEN : forwardCall(front, call);
    },
  },
  {
    method: 'POST',
    url: '/recipe/signinup',
    reach: 'public tenant',
    key: 'signin',
    answer: async (front, call) => {
      const { json } = call;
      const [id, userId] = [json.text('thirdPartyId'), json.text('thirdPartyUserId')];
      if (id === undefined || userId === undefined) return forwardCall(front, call);
      const standing = await bringIdentity(front, { id, userId }, json.textWithin('email', 'id'));
      if (standing === 'only-here') throw notHandedOver();
      return standing === 'disabled' ? SIGN_IN_UP_NOT_ALLOWED : forwardCall(front, call);
    },
  },
  {
    method: 'GET',
    url: '/users/by-accountinfo',
    reach: 'public tenant',
    key: 'read',
    answer: async (front, call) => {
      const query = queryOf(call);
      await find(front, call, query.get('email'));
      const [id, userId] = [query.get('thirdPartyId'), query.get('thirdPartyUserId')];
      if (id !== null && userId !== null && mayCreate(call)) await bringIdentity(front, { id, userId });
      return forwardCall(front, call);
    },
  },
  {
    // SDKs older than CDI 4 look up a user by address before a password reset.
    method: 'GET',
    url: '/recipe/user',
    reach: 'public tenant',
    key: 'read',
    answer: async (front, call) => {
      await find(front, call, queryOf(call).get('email'));
      return forwardCall(front, call);
    },
  },
  {
    method: 'PUT',
    url: '/recipe/user',
    reach: 'public app',
    key: 'manage',
    answer: async (front, call) => {
      const { json } = call;
      const [email, password] = [json.text('email'), json.text('password')];
      if (email !== undefined && (await isOnlyHere(front, [email]))) return EMAIL_TAKEN;
      return follow(front, call, {
        kind: 'login',
        id: userIdOf(call),
        email,
        hasPassword: password !== undefined,
      });
    },
  },
  {
    // Gives a user of another tenant, with the address, to the public tenant.
    method: 'POST',
    url: '/recipe/multitenancy/tenant/user',
    reach: 'public tenant',
    key: 'manage',
    answer: async (front, call) => {
      // The core strips blanks from the id of this call, and of no other.
      const user = await front.core.findUser(stripControlAndSpace(userIdOf(call)));
      const emails = user?.loginMethods.filter(({ recipeId }) => recipeId === 'emailpassword') ?? [];
      const isTaken = await isOnlyHere(
        front,
        emails.flatMap(({ email }) => email ?? []),
      );
      return isTaken ? EMAIL_TAKEN : forwardCall(front, call);
    },
  },
  {
    method: 'POST',
    url: '/recipe/multitenancy/tenant/user/remove',
    reach: 'public tenant',
    key: 'manage',
    answer: async (front, call) => {
      await disownUser(front, stripControlAndSpace(userIdOf(call)));
      return forwardCall(front, call);
    },
  },
  {
    // SDKs older than CDI 4 set a new password with the token of a password reset.
    method: 'POST',
    url: '/recipe/user/password/reset',
    reach: 'public app',
    key: 'manage',
    answer: async (front, call) => {
      const answer = await forwardCall(front, call);
      const { status, userId } = answer.json ?? {};
      // Before CDI 2.12, the core's answer does not name the user. This service then notices the new password
      // at the next sign-in.
      if (status === 'OK' && typeof userId === 'string') await followReset(front, userId);
      return answer;
    },
  },
  {
    method: 'POST',
    url: '/user/remove',
    reach: 'public app',
    key: 'manage',
    answer: (front, call) =>
      follow(front, call, {
        kind: 'removal',
        id: call.json.text('userId') ?? '',
        isWhole: call.json.flag('removeAllLinkedAccounts') ?? true,
      }),
  },
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

async function find(front: Front, call: Call, email: string | null): Promise<void> {
  if (email !== null && mayCreate(call)) await isOnlyHere(front, [email]);
}

/** A look-up creates the person in the core, and needs the right to do so. */
const mayCreate = ({ request }: Call) => hasRight(request, 'signin');

const queryOf = ({ request }: Call) => new URL(request.originalUrl, 'http://localhost').searchParams;

/**
 * Returns the member with the id of a login. It is `userId` before CDI 4. A caller who does not name the version
 * gets the newest one that the settings of the core permit, so that only one of the two may be given.
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

const forwardCall = async (front: Front, { request, reply, body }: Call) =>
  wholeAnswer(await askCore(front.connection, request, reply, body));

/** @param path a path in lower case without a trailing slash */
export const reachOfIntercepted = (path: string): TenancyReach | undefined => {
  const reaches = INTERCEPTED.filter(({ url }) => url === path).map(({ reach }) => reach);
  return reaches.includes('public app') ? 'public app' : reaches[0];
};
