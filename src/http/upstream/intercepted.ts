import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Right } from '../../config/api-keys.ts';
import { type CoreChange, followCore, followReset } from '../../hand-over/follow-core.ts';
import { bringIntoCore, type Forwarded, signInInFront } from '../../hand-over/sign-in-in-front.ts';
import type { JsonObject } from '../../lib/json/json-object.ts';
import type { Front } from '../context.ts';
import { clientGone } from '../server/client-gone.ts';
import { askCore, type WholeAnswer, wholeAnswer } from './forward.ts';

/** Answers a call on its way to the SuperTokens core. `json` has the members of the body. */
type Interception = (
  front: Front,
  call: { request: FastifyRequest; reply: FastifyReply; body: Buffer; json: JsonObject },
) => Promise<WholeAnswer>;

/**
 * Calls that may concern users whose passwords the core does not know yet. Such users exist in the public
 * tenant only.
 */
export const INTERCEPTED: readonly {
  method: 'GET' | 'POST' | 'PUT';
  url: string;
  key: Right;
  answer: Interception;
}[] = [
  {
    method: 'POST',
    url: '/recipe/signin',
    key: 'signin',
    answer: async (front, { request, reply, body, json: { email, password } }) => {
      const forward = async () => {
        const answer = await ask(front, request, reply, body);
        return { answer, outcome: outcomeOf(answer) };
      };
      if (typeof email !== 'string' || typeof password !== 'string') return (await forward()).answer;
      const result = await signInInFront(
        front,
        { email, password, contentType: request.headers['content-type'] },
        forward,
        clientGone(reply),
      );
      request.hashAlgorithm = result.algorithm;
      return result.answer;
    },
  },
  {
    method: 'POST',
    url: '/recipe/signup',
    key: 'signin',
    answer: async (front, { request, reply, body, json: { email } }) => {
      if (typeof email === 'string') await bringIntoCore(front, email);
      return ask(front, request, reply, body);
    },
  },
  {
    method: 'GET',
    url: '/users/by-accountinfo',
    key: 'read',
    answer: async (front, { request, reply, body }) => {
      const email = new URL(request.originalUrl, 'http://localhost').searchParams.get('email');
      if (email !== null) await bringIntoCore(front, email);
      return ask(front, request, reply, body);
    },
  },
  {
    method: 'PUT',
    url: '/recipe/user',
    key: 'manage',
    // Before CDI 4, the member `recipeUserId` is called `userId`.
    answer: (front, { json: { recipeUserId, userId, email, password }, ...call }) =>
      follow(front, call, {
        kind: 'login',
        id: String(recipeUserId ?? userId),
        email: typeof email === 'string' ? email : undefined,
        hasPassword: typeof password === 'string',
      }),
  },
  {
    // SDKs older than CDI 4 set a new password with the token of a password reset.
    method: 'POST',
    url: '/recipe/user/password/reset',
    key: 'manage',
    answer: async (front, { request, reply, body }) => {
      const answer = await ask(front, request, reply, body);
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
    key: 'manage',
    answer: (front, { json: { userId, removeAllLinkedAccounts }, ...call }) =>
      follow(front, call, {
        kind: 'removal',
        id: String(userId),
        isWhole: removeAllLinkedAccounts !== false,
      }),
  },
];

function outcomeOf({ status, json }: WholeAnswer): Forwarded<WholeAnswer>['outcome'] {
  if (status === 200 && json?.status === 'OK') return 'signed-in';
  return status === 200 && json?.status === 'WRONG_CREDENTIALS_ERROR' ? 'wrong-credentials' : 'unclear';
}

async function follow(
  front: Front,
  { request, reply, body }: { request: FastifyRequest; reply: FastifyReply; body: Buffer },
  change: CoreChange,
): Promise<WholeAnswer> {
  return followCore(front, change, async () => {
    const answer = await ask(front, request, reply, body);
    return { answer, isMade: answer.status === 200 && answer.json?.status === 'OK' };
  });
}

const ask = async (front: Front, request: FastifyRequest, reply: FastifyReply, body: Buffer) =>
  wholeAnswer(await askCore(front.connection, request, reply, body));

/** @param path a path in lower case without a trailing slash */
export const isIntercepted = (path: string): boolean => INTERCEPTED.some(({ url }) => url === path);
